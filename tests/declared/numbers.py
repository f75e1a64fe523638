"""Every declared number that a text mentions: what it is moved to, and the sentences that have to go along."""

from __future__ import annotations

from typing import Final, NamedTuple


class Said(NamedTuple):
    """How texts write a number before and after it is moved; `around` narrows down where small numbers are meant."""

    before: str
    after: str
    around: str = "#"  # the words around the number, which # stands for; alone, no text at all may say the old number


class Number(NamedTuple):
    """A declared number: where, the source of its new value, and how texts say it."""

    place: str  # module:NAME, or module:Class.field
    moved: str
    said: tuple[Said, ...]

    @property
    def module(self) -> str:
        """The module that declares it."""
        return f"scoresheet.{self.place.partition(':')[0]}"

    @property
    def name(self) -> str:
        """The name that it is declared under."""
        return self.place.partition(":")[2]


def _number(place: str, moved: str, before: str, after: str, *around: str) -> Number:
    """Return a number that all texts write in one way."""
    return Number(place, moved, tuple(Said(before, after, words) for words in around or ("#",)))


_STATS: Final = (
    _number("metrics.options:Options.seed", "5", "0", "5", "`--seed` | N | `#`"),
    _number("metrics.stats.bootstrap:RESAMPLES", "2_357", "2,000", "2,357", "#", "# resamples", "# seeded resamples"),
    Number(
        "metrics.stats.confidence:CONFIDENCE_LEVEL",
        "0.977",
        (
            *(Said("95 %", "97.7 %", around) for around in ("#", "with # intervals", "(# unless --ci", "`--ci` (#)")),
            Said("0.95", "0.977", "`--ci` | LEVEL | `#`"),
            Said("0.05", "0.023"),
            Said("0.05", "0.023", "p < #"),
            Said("5 %", "2.3 %"),
            Said("five", "six", "With # units or fewer"),
        ),
    ),
    _number("metrics.stats.confidence:LOWEST_CONFIDENCE", "0.53", "0.5", "0.53", "a level of confidence is # to"),
    _number("metrics.stats.confidence:HIGHEST_CONFIDENCE", "0.987", "0.999", "0.987", "#", "to #, not"),
    Number(
        "metrics.stats.confidence:FEWEST_CLUSTERS",
        "7",
        (
            Said("5", "7", "none for fewer than # of them"),
            Said("5", "7", "at least # are needed"),
            Said("five", "seven", "under # there is no interval"),
            Said("five", "seven", "Fewer than # idioms: none"),
            Said("five", "seven", "none for fewer than # ([how]"),
        ),
    ),
    _number(
        "metrics.stats.confidence:POWER", "0.83", "80 %", "83 %", "finds in # of samples", "find it in # of samples"
    ),
    Number(
        "metrics.stats.paired_draws:N_PERMUTATIONS",
        "20_347",
        (
            Said("10,000", "20,347", "# seeded draws"),
            Said("13", "14", "for up to # units"),
            Said("500", "468", "with more than # models"),
        ),
    ),
    _number("metrics.stats.ratio_distances:MOST_KINDS", "3_457", "3,000", "3,457", "#", "more than # different scores"),
    _number(
        "metrics.stats.bands:TOLERANCE",
        "3e-8",
        "1e-9",
        "3e-8",
        *("arithmetic says (#)", "A value within # of", "a tolerance of # for"),
    ),
    _number("metrics.compare:MOST_MODELS", "34", "30", "34", "more than # models", "More than # models"),
    _number(
        "cli.shared_values:MOST_GONE", "0.07", "5 %", "7 %", "or over # of its units", "lost more than # of its units"
    ),
    _number(
        "metrics.compare:MOST_UNITS", "5_432", "5,000", "5,432", "#", "with more than #, a seeded", "sample of # is"
    ),
)

_SINFO: Final = (
    Number(
        "metrics.families.sinfo.measures:BANDS",
        '((0.0, "low"), (0.52, "moderate"), (0.83, "high"))',
        (
            Said("0.5", "0.52"),
            Said("0.5", "0.52", "low below #"),
            Said("0.5", "0.52", "below # low"),
            Said("0.8", "0.83"),
            Said("0.8", "0.83", "moderate below #"),
            Said("0.8", "0.83", "high from #"),
            Said("0.8", "0.83", "from # high"),
        ),
    ),
    Number(
        "metrics.families.sinfo.measures:FEWEST_WITH_BAND",
        "12",
        (
            Said("10", "12", "too few: under # idioms"),
            Said("ten", "12", "under # idioms *too few"),
        ),
    ),
    _number(
        "metrics.families.sinfo.components:EDGE",
        "0.57",
        "0.5",
        "0.57",
        *("`--component-edge #`", "`--component-edge` | SHARE | `#`"),
    ),
    _number(
        "metrics.families.sinfo.audit:MAX_WORDS", "432", "400", "432", "#", "Texts over # words", "rows over # words"
    ),
    _number(
        "metrics.families.sinfo.options:SinfoOptions.audit",
        "23",
        "20",
        "23",
        *("`--audit` rows (#)", "`--audit` | N | `#`"),
    ),
    _number("metrics.text.rouge_l:LIBRARY", '"1.0.7"', "1.0.1", "1.0.7", "#", "PyPI rouge #", "rouge:#|", "`rouge` #"),
)

_MODE_COLLAPSE: Final = (
    Number(
        "metrics.families.mode_collapse.verdicts:GINI_BANDS",
        "((0.0, LOW), (0.31, MODERATE), (0.62, HIGH))",
        (
            Said("0.3", "0.31", "low below #"),
            Said("0.3", "0.31", "| low | below # |"),
            Said("0.3", "0.31", "# is moderate"),
            Said("0.6", "0.62", "moderate below #"),
            Said("0.6", "0.62", "high from #"),
            Said("0.6", "0.62", "# high"),
            Said("0.6", "0.62", "| high | # and more"),
        ),
    ),
    Number(
        "metrics.families.mode_collapse.verdicts:ENTROPY_BANDS",
        "((0.0, HIGH), (0.43, MODERATE), (0.73, LOW))",
        (
            Said("0.7", "0.73", "low from #"),
            Said("0.7", "0.73", "# is low"),
            Said("0.4", "0.43"),
            Said("0.4", "0.43", "moderate from #"),
            Said("0.4", "0.43", "# moderate"),
        ),
    ),
    _number(
        "metrics.families.mode_collapse.null_distribution:DRAWS", "14_321", "10,000", "14,321", "#", "# seeded draws"
    ),
    _number("metrics.families.mode_collapse.permutation_test:BLOCK", "1_100", "1,000", "1,100", "are dealt # times"),
    _number(
        "metrics.families.mode_collapse.permutation_test:PERMUTATIONS", "13_200", "10,000", "13,200", "times, # times"
    ),
    _number(
        "metrics.families.mode_collapse.permutation_test:MOST_PERMUTATIONS", "132_000", "100,000", "132,000", "up to #"
    ),
    Number(
        "metrics.families.mode_collapse.permutation_test:STAGES",
        "((BLOCK, 130), (PERMUTATIONS, 14), (MOST_PERMUTATIONS, 0))",
        (Said("100", "130", "fewer than # of these"), Said("10", "14", "fewer than #. With")),
    ),
    _number("metrics.families.mode_collapse.options:POWER_GINI", "0.33", "0.3", "0.33", "a Gini of #", "| GINI | `#`"),
    Number(
        "metrics.families.mode_collapse.options:POWER_GINIS",
        "(0.024, 0.987)",
        (Said("0.02", "0.024", "between # and"), Said("0.99", "0.987")),
    ),
    Number(
        "metrics.families.mode_collapse.power:POWERS",
        "(0.81, 0.91, 0.98)",
        (
            Said("80, 90 and 99 %", "81, 91 and 98 %"),
            Said("80%", "81%", "found in # of all cases"),
            Said("99%", "98%", "N_#"),
        ),
    ),
    _number(
        "metrics.families.mode_collapse.debiased_gini:SAMPLES_PER_OPTION",
        *("0.7", "0.6", "0.7", "fewer than # per option"),
    ),
    _number("metrics.families.mode_collapse.power:MOST_SAMPLES", "4_321", "4,096", "4,321"),
    _number(
        "metrics.families.mode_collapse.options:MOST_FUZZY", "97", "100", "97", "(1 to #)", "90 of #.", "the most is #"
    ),
    _number("metrics.families.mode_collapse.options:FUZZY_OFF", "-3", "0", "-3", "# switches that off. Every"),
)

_DIVERSITY: Final = (
    Number(
        "metrics.families.diversity.options:MeasureRules.cutoffs",
        "(7, 11, 23)",
        (Said("5,10,20", "7,11,23"), Said("5", "7", "at rank #."), Said("20", "23", "alpha_nDCG@#")),
    ),
    _number(
        "metrics.families.diversity.options:MeasureRules.alpha",
        "0.45",
        "0.5",
        "0.45",
        *("`--alpha #`", "| ALPHA | `#`"),
    ),
    _number(
        "metrics.families.diversity.constants:HEADLINE_CUTOFF",
        "11",
        "10",
        "11",
        "sum over the sheets. | | `alpha_nDCG@#`",
    ),
    _number(
        "metrics.families.diversity.constants:LARGEST_ALPHA", "2", "1", "2", "α-nDCG, from 0 to #.", ".0; the most is #"
    ),
    _number("metrics.families.diversity.constants:LARGEST_GRADE", "63", "60", "63", "A grade above #", "the most is #"),
    _number("metrics.families.diversity.constants:UNNAMED_GRADE", "0.04", "0", "0.04", "# takes the largest"),
    _number(
        "metrics.families.diversity.constants:UNWRITTEN_GRADE",
        "1.3",
        "1",
        "1.3",
        *("for these subtopics; empty: #.", "Without the column: #."),
    ),
    _number("metrics.families.diversity.constants:DISCOUNT", "0.87", "0.85", "0.87", "#", "# a rank", "a chance of #"),
    _number(
        "metrics.families.diversity.ideal:MAX_EXACT_ITEMS",
        "13",
        "10",
        "13",
        *("Exact for up to # relevant items", "For up to # relevant items"),
    ),
)

_DISAGREE: Final = (
    _number("metrics.families.disagree.constants:CONSENSUS_SLOPE", "2.1", "2", "2.1", "max(0, 1 − #·CV)"),
    _number(
        "metrics.families.disagree.constants:RELIABILITY_SLOPE",
        "5.3",
        "5",
        "5.3",
        *("min(1, #·variance)", "min(1, #·Variance)", "Reliability's # × variance"),
    ),
    _number(
        "metrics.families.disagree.constants:RELIABILITY_BONUS",
        "0.13",
        "0.1",
        "0.13",
        *("#", "+# above a consensus", "+ # if consensus"),
    ),
    Number(
        "metrics.families.disagree.constants:BONUS_ABOVE",
        "0.82",
        (Said(".8", ".82", "a consensus of #"), Said("0.8", "0.82", "consensus exceeds #")),
    ),
    _number("metrics.families.disagree.constants:MAD_OF_NORMAL", "0.6543", "0.6745", "0.6543"),
    Number(
        "metrics.families.disagree.constants:VERDICTS",
        '((-math.inf, "unreliable"), (0.678, "tentative"), (0.84, "reliable"))',
        (
            Said(".667", ".678"),
            Said(".8", ".84"),
            Said(".8", ".84", "alpha from # on is reliable"),
            Said(".8", ".84", "reliable from # on"),
        ),
    ),
    _number(
        "metrics.families.disagree.constants:DISCORDANT_FROM",
        "0.057",
        "0.05",
        "0.057",
        *("them by # or more", "means by # or more", "to rise by # without"),
    ),
    _number("metrics.families.disagree.constants:RARE_SPREAD", "0.0008", "1,000", "1,250", "one item in #"),
    _number("metrics.families.disagree.odd_judges:N_EXCHANGES", "1_100", "1,000", "1,100", "its judges, # times"),
    _number("metrics.families.disagree.odd_judges:MOST_EXCHANGED", "2_600", "2,500", "2,600", "(beyond # ratings"),
    _number("metrics.families.disagree.odd_judges:LARGEST_PART", "0.2", "1/4", "1/5", "in the first # of"),
    _number(
        "metrics.families.disagree.odd_judges:FEWEST_JUDGES",
        "4",
        "three",
        "four",
        *("at least # must", "as long as # judges"),
    ),
    _number("metrics.families.disagree.constants:MOST_COMPARED_JUDGES", "123", "100", "123", "over # judges"),
    Number(
        "metrics.families.disagree.constants:ONE_JUDGE",
        "Decreed(0.94, 0.72)",
        (
            Said("1", "0.94", "One judge: #. None"),
            Said("1", "0.94", "One judge: consensus #,"),
            Said("0.7", "0.72", "One judge: #. None"),
            Said("0.7", "0.72", "reliability #, flagged"),
        ),
    ),
    Number(
        "metrics.families.disagree.constants:NO_JUDGE",
        "Decreed(0.03, 0.04)",
        (
            Said("0", "0.03", "None: #."),
            Said("0", "0.04", "None: #."),
            Said("0 and 0", "0.03 and 0.04", "No judge: #,"),
        ),
    ),
    Number(
        "metrics.families.disagree.constants:OutlierRules.outlier",
        "1.8",
        (
            Said("1.5", "1.8"),
            Said("1.5", "1.8", "**# standard deviations"),
            Said("1.5", "1.8", "`--outlier-threshold` (#)"),
            Said("four", "five", "# judges or fewer"),
        ),
    ),
    _number("metrics.families.disagree.constants:OutlierRules.robust", "3.7", "3.5", "3.7"),
    _number("metrics.families.disagree.constants:OutlierRules.mad_floor", "0.027", "0.02", "0.027"),
    _number("metrics.families.disagree.strategies:BIAS_WEIGHT", "0.12", "0.1", "0.12", "bias × #"),
    _number("metrics.families.disagree.strategies:EMPHASIS_WEIGHT", "0.23", "0.2", "0.23", "#", "relevance × #"),
    _number(
        "metrics.families.disagree.strategies:MIDDLE_EMPHASIS",
        "0.55",
        "0.5",
        "0.55",
        *("emphasis exceeds #", "(emphasis − #)"),
    ),
    _number(
        "metrics.families.disagree.strategies:DEFAULT_STRATEGIES",
        '(Strategy("standard", 0.44, 0.45, 0.06, {"cultural_authenticity": 0.35}),)',
        "standard | .5 | .5 | 0 | |",
        "standard | .44 | .45 | +.06 | cultural_authenticity .35 |",
    ),
    _number(
        "metrics.families.disagree.options:DisagreeOptions.consensus_threshold",
        "0.74",
        "0.7",
        "0.74",
        *("`--consensus-threshold` (#)", "`--consensus-threshold` | SHARE | `#`"),
    ),
    _number(
        "metrics.families.disagree.options:DisagreeOptions.high_threshold",
        "0.34",
        "0.3",
        "0.34",
        *("`--high-threshold` (#)", "`--high-threshold` | SHARE | `#`"),
    ),
    _number(
        "metrics.families.disagree.options:DisagreeOptions.dimension_threshold",
        "0.36",
        "0.3",
        "0.36",
        *("`--dimension-threshold` (#)", "`--dimension-threshold` | CV | `#`"),
    ),
    _number("metrics.families.disagree.options:DisagreeOptions.recommend", '"0.32:0.93"', "0.3:0.9", "0.32:0.93"),
    _number(
        "metrics.families.disagree.options:DisagreeOptions.scale", '"0:2"', "0:1", "0:2", "(default `#`", "HIGH | `#`"
    ),
)

_ENTROPY: Final = (
    _number(
        "metrics.families.entropy.constants:SHORTEST_CHUNK",
        "22",
        "20",
        "22",
        *("max(#, length", "text under #.", "of it or # words"),
    ),
    Number(
        "metrics.families.entropy.constants:CHUNKS_A_TEXT",
        "12",
        (Said("10", "12", "length // #)"), Said("a tenth", "1/12", "# of it or")),
    ),
    _number("metrics.families.entropy.constants:MOST_CHUNKS", "24", "20", "24", "ones count: at most #,"),
    _number(
        "metrics.families.entropy.constants:DROP",
        "0.81",
        "0.8",
        "0.81",
        *("less than # of the entropy", "A drop is below # of"),
    ),
    _number(
        "metrics.families.entropy.constants:FALLING",
        "0.91",
        "0.9",
        "0.91",
        "#",
        "decreasing below #",
        "below # decreasing",
    ),
    _number("metrics.families.entropy.constants:RISING", "1.12", "1.1", "1.12"),
    Number(
        "metrics.families.entropy.constants:NEVER_REPETITIVE",
        "7",
        (
            *(Said("6", "7", around) for around in ("Under #: never", "Under # words: never", "| under # |", "# to")),
            Said("six", "seven", "Under # words no text"),
        ),
    ),
    _number(
        "metrics.families.entropy.constants:WINDOW",
        "53",
        "50",
        "53",
        *("(unless it says otherwise, #)", "`--window #`", "as texts of # words", "`--window` | N | `#`"),
    ),
    _number("metrics.families.entropy.constants:RUN_WORDS", "4", "five", "four", "runs of # words"),
    _number(
        "metrics.families.entropy.constants:RUN_CHARACTERS",
        "22",
        "20",
        "22",
        *("(# characters in an unspaced script", "are characters a run has #,", "(# where a word is a character"),
    ),
    _number(
        "metrics.families.entropy.constants:REPEATED_SHARE",
        "0.28",
        "25 %",
        "28 %",
        *("Repeated_Share is # or more", "# or more of the words", "in which # of the words"),
    ),
    Number(
        "metrics.families.entropy.constants:HUMAN_SHARE",
        "0.06",
        (Said("0.05", "0.06", "rare below #, frequent"), Said("5 %", "6 %", "# is the most that the rule")),
    ),
    Number(
        "metrics.families.entropy.constants:SHORT_TEXT",
        "26",
        (
            Said("19", "25", "to #: top word"),
            Said("19", "25", "to # | above"),
            Said("20", "26", "From #, under"),
            Said("20", "26", "from #, with"),
        ),
    ),
    Number(
        "metrics.families.entropy.constants:FEW_CHUNKS",
        "4",
        (
            Said("three", "four", "under # chunks"),
            Said("Three", "Four", "# chunks or more"),
            Said("three", "four", "# chunks or more"),
            Said("three", "four", "from # chunks on"),
            Said("one or two", "one or two or three", "with # chunks"),
        ),
    ),
    _number("metrics.families.entropy.constants:SHORT_TOP_SHARE", "0.27", "25 %", "27 %", "#", "above #"),
    _number("metrics.families.entropy.constants:TOP_SHARE", "0.21", "20 %", "21 %"),
    _number(
        "metrics.families.entropy.constants:FEW_BIGRAMS", "3", "twice", "three times", "or a pair #", "| # or more"
    ),
    _number(
        "metrics.families.entropy.constants:MANY_BIGRAMS",
        "5",
        "three times",
        "five times",
        *(", a pair #,", "a pair must stand #"),
    ),
    _number("metrics.families.entropy.constants:FLAT_VARIANCE", "0.14", "0.1", "0.14", "variance below #"),
    _number("metrics.families.entropy.constants:MANY_DROPS", "6", "two", "six", "# drops"),
    _number(
        "metrics.families.entropy.constants:SEMANTIC_BINS", "9", "ten", "nine", "# equal bins", "cosines in # bins"
    ),
    _number("metrics.families.entropy.constants:COMPRESSION_LEVEL", "8", "9", "8", "zlib at level #"),
    _number("metrics.families.entropy.constants:VENDI_TEXTS", "2_468", "2,000", "2,468", "sample of #", "Over # texts"),
    _number(
        "metrics.families.entropy.phrases:LONGEST", "7", "eight", "seven", "#", "its first # words", "two to # words"
    ),
)

_COLLECTIVE: Final = (
    _number("metrics.families.collective.emergence:FAILURE_BELOW", "1.04", "1", "1.04", "elow # failure"),
    _number("metrics.families.collective.emergence:MARGINAL_BELOW", "2.2", "2", "2.2", "below # marginal"),
    _number("metrics.families.collective.emergence:STRONG_UP_TO", "11.0", "10", "11", "up to # strong"),
    _number("metrics.families.collective.diagnostics:SHARP_BELOW", "0.56", ".5", ".56", "Below # nats sharp"),
    _number(
        "metrics.families.collective.diagnostics:BALANCED_UP_TO",
        "1.6",
        "1.5",
        "1.6",
        *("up to # balanced", "above #, diffuse", "diffuse, above #"),
    ),
    _number("metrics.families.collective.diagnostics:HIGH_DIVERSITY", "0.86", "0.8", "0.86", "above # is high"),
    _number(
        "metrics.families.collective.contribution:MOST_EXACT",
        "9",
        "10",
        "9",
        "coalitions of up to # streams",
        "only up to #",
    ),
    _number("metrics.families.collective.contribution:MOST_SUBSETS", "1_234", "1,000", "1,234", "or over # seeded"),
    _number("metrics.families.collective.diagnostics:SUM_TOLERANCE", "3e-5", "1e-4", "3e-5", "sum to 1 within #, or"),
    _number(
        "metrics.families.collective.diagnostics:DEAD_SHARE", "0.13", "0.1", "0.13", "less than # of an even share"
    ),
    _number(
        "metrics.families.collective.alerts:DROP",
        "0.92",
        "0.9",
        "0.92",
        *("ρ < # ×", "a ratio below # of the highest so far"),
    ),
    _number("metrics.families.collective.alerts:DEAD_ACCURACY", "0.017", ".01", ".017"),
    _number("metrics.families.collective.alerts:LEAST_DIVERSITY", "0.58", ".5", ".58", "#", "diversity < #"),
    Number(
        "metrics.families.collective.alerts:MOST_ENTROPY",
        "2.3",
        (
            Said("2.0", "2.3", "entropy > #;"),
            Said("2", "2.3", "the alert above # cannot"),
            Said("7", "9", "# experts or fewer"),
        ),
    ),
    _number("metrics.families.collective.alerts:FLAT_BELOW", "0.018", "1 %", "1.8 %"),
    _number("metrics.families.collective.options:CollectiveOptions.dead_anchor", "0.013", "0.01", "0.013"),
)

_SHELL: Final = (
    _number("cli.exits:Exit.OK", "6", "0", "6", "exit code #, or", "happened: # all scored", "| # | everything"),
    _number(
        "cli.exits:Exit.PARTIAL",
        "33",
        "3",
        "33",
        *("exit #;", "exit code #,", "or # with `--strict`", "(# otherwise)", "# some input was skipped"),
    ),
    _number("cli.exits:Exit.NOTHING", "44", "4", "44", "or # if nothing is left", "# nothing could be"),
    _number("cli.exits:Exit.GATE", "17", "10", "17", "exits with # if", "exit code # if"),
    _number("cli.exits:Exit.BUSY", "76", "75", "76", "#", "exits with #"),
    _number("cli.write.cell_text:CELL_LIMIT", "32_001", "32,767", "32,001"),
    _number("cli.write.html.cells:DIGITS", "7", "5", "7", "rounded to # digits"),
    _number("cli.write.html.cells:LONGEST", "357", "320", "357", "of a text # characters"),
    _number("cli.write.html.content:MOST_UNITS", "23_571", "20,000", "23,571", "at most # units"),
    _number("cli.write.html.content:MOST_PAIRS", "1_357", "1,000", "1,357", "first # pairs"),
    _number("cli.write.html.content:MOST_EXPLORATORY", "135", "100", "135", "the # of the others"),
    _number("cli.write.html.content:MOST_LISTED", "137", "100", "137", "input files the first #"),
)

_LIMITS: Final = (
    _number("cli.input.limits:Limits.file_mb", "233", "200", "233", "`--max-file-mb` | # MiB"),
    _number("cli.input.limits:Limits.expanded_mb", "533", "512", "533", "#"),
    _number("cli.input.limits:Limits.cells", "21_000_003", "20,000,000", "21,000,003", "#"),
    _number("cli.input.limits:Limits.columns", "16_411", "16,384", "16,411", "#"),
    _number("cli.input.limits:Limits.parts", "12_011", "12,000", "12,011", "`--max-parts` | #"),
    _number("cli.input.limits:Limits.models", "5_011", "5,000", "5,011", "`--max-models` | #"),
    _number("cli.input.limits:Limits.problems", "200_017", "200,000", "200,017", "`--max-problems` | #"),
    _number("cli.run.allowance:SMALL_MB", "17", "16", "17", "from # MiB on"),
)

NUMBERS: Final = (
    *_STATS,
    *_SINFO,
    *_MODE_COLLAPSE,
    *_DIVERSITY,
    *_DISAGREE,
    *_ENTROPY,
    *_COLLECTIVE,
    *_SHELL,
    *_LIMITS,
)

# Sentences that hold such a number and speak of something else; none of them may be there for nothing.
OTHER_SENTENCES: Final = (
    '3 is none in "3,000"',
    "a text of 5,000 words",
    "with two options 0.5",
    "which is 0.5 for n = 2",
    "and 0.5 by `lin`",
    'rouge="lin") # 0.5',
    "with nothing in common gets 0.5",
    "disagreement([0.6, 0.8, 0.7, 0.9, 0.75])",
    "sampled rows equal rouge 1.0.1",  # the release that is installed, as it says of itself
    'opacity="0.85"',
    "emergence_ratio(0.85, ",
    "q2,0.9,,0.8",
    "exactly 1.5 for four",
    "For B = [.5, .2, .1, .1, .1]",
    "for A = [.5, .3, .1, .1, 0]",
)

# Declared, and in no text, or not as a number that could be another.
NEVER_SAID: Final = (
    "metrics.families.collective.fusion:BLANK",
    "metrics.families.collective.fusion:MOST_STREAMS",
    "metrics.families.disagree.constants:MOST_SHOWN_JUDGES",
    "metrics.families.disagree.odd_judges:COMMON_SCALES",
    "metrics.families.disagree.odd_judges:LEAST_REACH",
    "metrics.families.disagree.scales:UNIT",
    "metrics.families.diversity.constants:LARGEST_CUTOFF",
    "metrics.families.diversity.constants:LOG_BASES",
    "metrics.families.entropy.constants:SHORTEST_WINDOW",
    "metrics.families.entropy.measures:REPETITION_BANDS",
    "metrics.families.mode_collapse.power:OPTIONS",
    "cli.input.formats.plain_sheets:REVISION",
    "cli.write.cell_maker:REVISION",
    "metrics.columns:BATCH",
    "metrics.spread:BLOCK_ROWS",
    "metrics.text.kernel:REVISION",
    "metrics.text.lcs_lanes:MOST_LANES",
)
