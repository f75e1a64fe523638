"""The numbers that the hand-written pages quote, by the names of their marks; each is made from its declaration.

A page writes `<!--=resamples-->2,000<!--/-->`: what stands between the marks is written by `make docs`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import count
from textwrap import fill
from typing import Final

from scoresheet.cli.exits import WORST_FIRST, Exit
from scoresheet.cli.input.limits import MIB, MOST_JSON_DEPTH, RATIO_FROM, UNITS, Limits
from scoresheet.cli.input.manifests import LARGEST_MANIFEST
from scoresheet.cli.run import allowance, pool
from scoresheet.cli.run.engines import engine, foreman
from scoresheet.cli.run.page_tables import LONGEST_PAGE
from scoresheet.cli.shared_values import MOST_GONE
from scoresheet.cli.tools import verify
from scoresheet.cli.version import VERSION
from scoresheet.cli.write import cells
from scoresheet.cli.write.cell_text import CELL_LIMIT
from scoresheet.cli.write.html import cells as page_cells
from scoresheet.cli.write.html import content as page
from scoresheet.metrics import stored_columns
from scoresheet.metrics.compare import MOST_MODELS, MOST_UNITS
from scoresheet.metrics.families.collective import alerts, contribution, diagnostics, emergence
from scoresheet.metrics.families.collective.options import CollectiveOptions
from scoresheet.metrics.families.disagree import constants as judges
from scoresheet.metrics.families.disagree import odd_judges, strategies
from scoresheet.metrics.families.disagree.measures import CONSENSUS_FORMULA
from scoresheet.metrics.families.disagree.options import DisagreeOptions
from scoresheet.metrics.families.disagree.outliers import most_judges_without_outlier
from scoresheet.metrics.families.diversity.constants import DISCOUNT, LARGEST_GRADE
from scoresheet.metrics.families.diversity.ideal import MAX_EXACT_ITEMS
from scoresheet.metrics.families.diversity.options import DiversityOptions
from scoresheet.metrics.families.entropy import constants as texts
from scoresheet.metrics.families.entropy.measures import REPETITION_BANDS
from scoresheet.metrics.families.entropy.options import EntropyOptions
from scoresheet.metrics.families.entropy.phrases import LONGEST
from scoresheet.metrics.families.mode_collapse import permutation_test, refusals, verdicts
from scoresheet.metrics.families.mode_collapse.debiased_gini import SAMPLES_PER_OPTION
from scoresheet.metrics.families.mode_collapse.null_distribution import DRAWS
from scoresheet.metrics.families.mode_collapse.options import MOST_FUZZY, ModeCollapseOptions
from scoresheet.metrics.families.mode_collapse.power import POWERS
from scoresheet.metrics.families.sinfo.audit import MAX_WORDS
from scoresheet.metrics.families.sinfo.family import FAMILY as SINFO
from scoresheet.metrics.families.sinfo.measures import BANDS, FEWEST_WITH_BAND
from scoresheet.metrics.families.sinfo.options import SinfoOptions
from scoresheet.metrics.messages import number_word, percent, times_word
from scoresheet.metrics.stats.bands import TOLERANCE, describe_bands
from scoresheet.metrics.stats.bootstrap import RESAMPLES
from scoresheet.metrics.stats.confidence import (
    CONFIDENCE_LEVEL,
    FEWEST_CLUSTERS,
    POWER,
    SIGNIFICANCE_LEVEL,
    confidence_percent,
)
from scoresheet.metrics.stats.paired_draws import N_PERMUTATIONS
from scoresheet.metrics.stats.randomisation import least_p_value
from scoresheet.metrics.stats.ratio_distances import MOST_KINDS
from scoresheet.metrics.text.rouge_l import LIBRARY


def small(value: float) -> str:
    """Return a tolerance as one writes it.

    >>> small(1e-9), small(0.0001)
    ('1e-9', '1e-4')
    """
    return f"{value:.0e}".replace("e-0", "e-")


def last_before(is_too_many: Callable[[int], bool]) -> int:
    """Return the largest number that is not yet too many.

    >>> last_before(lambda number: number > 7)
    7
    """
    return next(number for number in count(2) if is_too_many(number + 1))


def code(text: str) -> str:
    """Return a text as code; marks inside of code would show."""
    return f"`{text}`"


def table(header: tuple[str, ...], *rows: tuple[str, ...]) -> str:
    """Return a table with a blank line on either side, so that the marks are no part of it."""
    lines = [_line(header), f"|{'---|' * len(header)}", *map(_line, rows)]
    return "\n\n" + "\n".join(lines) + "\n\n"


def _line(cells: tuple[str, ...]) -> str:
    return "|".join(["", *(f" {cell} " if cell else " " for cell in cells), ""])


def signed(value: float) -> str:
    """Return a share with its sign, without a leading zero.

    >>> signed(-0.2), signed(0.1), signed(0)
    ('−.2', '+.1', '0')
    """
    sign = "−" if value < 0 else "+" if value else ""
    return sign + (judges.short_decimal(abs(value)) if value else "0")


def _bands_of_sinfo() -> str:
    (_, lowest), (first, _), *_ = BANDS
    return ", ".join([f"below {first:g} {lowest}", *(f"from {edge:g} {name}" for edge, name in BANDS[1:])])


def _bands_of_collapse() -> str:
    (_, low), (moderate_gini, moderate), (high_gini, high) = verdicts.GINI_BANDS
    _, (moderate_entropy, _), (low_entropy, _) = verdicts.ENTROPY_BANDS
    return table(
        ("collapse", "Gini", "normalised entropy"),
        (low, f"below {moderate_gini:g}", f"{low_entropy:g} and more"),
        (
            moderate,
            f"from {moderate_gini:g}, below {high_gini:g}",
            f"from {moderate_entropy:g}, below {low_entropy:g}",
        ),
        (high, f"{high_gini:g} and more", f"below {moderate_entropy:g}"),
    )


def _phrases(phrases: Iterable[str]) -> str:
    """Return phrases as a page lists them, in lines that are not too long."""
    listed = fill(", ".join(phrases), 118, initial_indent="> ", subsequent_indent="> ", break_on_hyphens=False)
    return f"\n\n{listed}\n\n"


def _edges_of_collapse() -> str:
    _, (moderate_gini, moderate), (high_gini, high) = verdicts.GINI_BANDS
    _, (moderate_entropy, _), (low_entropy, low) = verdicts.ENTROPY_BANDS
    gini = f"{moderate_gini:g} is {moderate} and {high_gini:g} {high}"
    return f"{gini}, {low_entropy:g} is {low} and {moderate_entropy:g} {moderate}"


def _rules_of_repetition() -> str:
    few, many = f"{times_word(texts.FEW_BIGRAMS)} or more", f"{times_word(texts.MANY_BIGRAMS)} or more"
    top = f"above {percent(texts.TOP_SHARE)}"
    fewer_chunks = " or ".join(map(number_word, range(1, texts.FEW_CHUNKS)))
    flat = f"variance below {texts.FLAT_VARIANCE:g} and {number_word(texts.MANY_DROPS)} drops or more"
    return table(
        ("length", "commonest word", "or commonest pair", "or"),
        (f"under {texts.NEVER_REPETITIVE}", "–", "–", ""),
        (f"{texts.NEVER_REPETITIVE} to {texts.SHORT_TEXT - 1}", f"above {percent(texts.SHORT_TOP_SHARE)}", few, ""),
        (f"from {texts.SHORT_TEXT}, with {fewer_chunks} chunks", top, few, ""),
        (f"{number_word(texts.FEW_CHUNKS)} chunks or more", top, many, flat),
    )


def _built_in_strategies() -> str:
    return table(
        ("strategy", "emphasis", "threshold", "bias", "weights"),
        *(
            (
                each.name,
                judges.short_decimal(each.emphasis),
                judges.short_decimal(each.threshold),
                signed(each.bias),
                ", ".join(f"{name} {judges.short_decimal(weight)}" for name, weight in each.weights.items()),
            )
            for each in strategies.DEFAULT_STRATEGIES
        ),
    )


def _powers() -> str:
    *others, last = (f"{100 * power:g}" for power in POWERS)
    return f"{', '.join(others)} and {last} %"


def _common() -> Iterator[tuple[str, str]]:
    yield "confidence", confidence_percent(CONFIDENCE_LEVEL)
    yield "fewest-clusters", number_word(FEWEST_CLUSTERS)
    yield "power", percent(POWER)
    yield "resamples", f"{RESAMPLES:,}"
    yield "sign-flips", f"{N_PERMUTATIONS:,}"
    yield "listed-units", str(last_before(lambda units: 2**units > N_PERMUTATIONS))
    yield "level", f"{SIGNIFICANCE_LEVEL:g}"
    yield "level-in-percent", percent(SIGNIFICANCE_LEVEL)
    yield "tolerance", small(TOLERANCE)
    yield "units", f"{MOST_UNITS:,}"
    yield "too-few-units", number_word(last_before(lambda units: least_p_value(units) < SIGNIFICANCE_LEVEL))
    yield "many-models", str(MOST_MODELS)
    # held against the best, which has one hypothesis for every model
    yield "enough-models", str(last_before(lambda n: n / (1 + N_PERMUTATIONS) >= SIGNIFICANCE_LEVEL))
    # its p-values are multiplied by half of the others, and corrected for all of them
    yield (
        "enough-choosers",
        str(1 + last_before(lambda n: n**2 / 2 / (1 + permutation_test.MOST_PERMUTATIONS) >= SIGNIFICANCE_LEVEL)),
    )
    yield "most-gone", percent(MOST_GONE)
    yield "exit-order", ", ".join(str(int(code)) for code in WORST_FIRST)
    yield "longest-page", f"{LONGEST_PAGE:,}"
    yield "cell-limit", f"{CELL_LIMIT:,}"
    for each in Exit:
        yield f"exit-{each.name.lower()}", str(int(each))


def _limits() -> Iterator[tuple[str, str]]:
    for name in UNITS:
        yield f"max-{name.replace('_', '-')}", f"{getattr(Limits(), name):,}"
    yield "ratio-from", f"{RATIO_FROM // MIB}"
    yield "most-json-depth", f"{MOST_JSON_DEPTH}"
    yield "largest-manifest", f"{LARGEST_MANIFEST // MIB}"
    yield "memory-share", percent(allowance.SHARE)
    yield "held-mb", f"{stored_columns.HELD_BYTES // MIB}"
    yield "most-shared", f"{cells.MOST_SHARED:,}"
    yield "small-mb", f"{allowance.SMALL_MB}"
    yield "stopped", f"{pool.STOPPED:g}"
    yield "idle", f"{pool.IDLE:g}"
    yield "no-workers", f"{engine.NO_WORKERS:g}"
    yield "jobs-per-thread", f"{engine.PER_THREAD}"
    yield "foreman-idle", f"{foreman.IDLE:g}"


def _sinfo() -> Iterator[tuple[str, str]]:
    options = SinfoOptions()
    yield "rouge", LIBRARY
    yield "verified-rows", f"{verify.SAMPLE:,}"
    yield "signature", code("|".join([SINFO.name, *options.signature(), f"v:{VERSION}"]))
    yield "bands", _bands_of_sinfo()
    yield "fewest-with-band", number_word(FEWEST_WITH_BAND)
    yield "component-edge", code(f"--component-edge {options.component_edge:g}")
    yield "audit", str(options.audit)
    yield "audit-words", f"{MAX_WORDS:,}"


def _mode_collapse() -> Iterator[tuple[str, str]]:
    (dealt, as_often), (more, seldom), (most, _) = permutation_test.STAGES
    smallest = permutation_test.smallest_p_value(most)
    yield "collapse-bands", _bands_of_collapse()
    yield "collapse-edges", _edges_of_collapse()
    yield "declining", _phrases(refusals.DECLINING)
    yield "declined", _phrases(refusals.DECLINED)
    yield "refusals", _phrases(refusals.REFUSALS)
    yield "disclaimers", _phrases(refusals.DISCLAIMERS)
    yield "draws", f"{DRAWS:,}"
    yield "power-gini", f"{ModeCollapseOptions.power_gini:g}"
    yield "powers", _powers()
    yield "most-fuzzy", str(MOST_FUZZY)
    yield "samples-per-option", f"{SAMPLES_PER_OPTION:g}"
    yield "collapse-power", percent(POWER)
    yield "dealt", f"{dealt:,}"
    yield "dealt-as-often", str(as_often)
    yield "dealt-more", f"{more:,}"
    yield "dealt-seldom", str(seldom)
    yield "dealt-most", f"{most:,}"
    yield "dealt-models", str(last_before(lambda n: math.comb(n, 2) * smallest >= SIGNIFICANCE_LEVEL))


def _diversity() -> Iterator[tuple[str, str]]:
    options = DiversityOptions()
    yield "cutoffs", code(f"--cutoffs {options.cutoffs}")
    yield "alpha", code(f"--alpha {options.alpha:g}")
    yield "discount", f"{DISCOUNT:g}"
    yield "largest-grade", str(LARGEST_GRADE)
    yield "exact-items", str(MAX_EXACT_ITEMS)


def _disagree() -> Iterator[tuple[str, str]]:
    options = DisagreeOptions()
    variance = f"{judges.RELIABILITY_SLOPE:g}·Variance"
    farther = f"{judges.MAD_OF_NORMAL:g}·\\|s − median\\| / max(MAD, --mad-floor {options.mad_floor:g})"
    _, (tentative_from, tentative), (reliable_from, reliable) = judges.VERDICTS
    best, next_best = judges.short_decimal(reliable_from), judges.short_decimal(tentative_from)
    yield "consensus", code(CONSENSUS_FORMULA)
    yield "reliability", code(f"Consensus·(1 − min(1, {variance}))")
    yield "reliability-slope", f"{judges.RELIABILITY_SLOPE:g}"
    yield "bonus", f"{judges.RELIABILITY_BONUS:g}"
    yield "bonus-above", f"{judges.BONUS_ABOVE:g}"
    yield "outlier", f"{options.outlier_threshold:g}"
    yield "robust", f"{options.robust_threshold:g}"
    yield "robust-rule", code(farther)
    yield "judges-without-outlier", number_word(most_judges_without_outlier(judges.OutlierRules()))
    yield "recommend", code(f"--recommend {options.recommend}")
    yield "scale", code(options.scale)
    yield "one-judge", f"consensus {judges.ONE_JUDGE.consensus:g}, reliability {judges.ONE_JUDGE.reliability:g}"
    yield "no-judge", f"{judges.NO_JUDGE.consensus:g} and {judges.NO_JUDGE.reliability:g}"
    yield "consensus-threshold", f"{options.consensus_threshold:g}"
    yield "high-threshold", f"{options.high_threshold:g}"
    yield "dimension-threshold", f"{options.dimension_threshold:g}"
    yield "verdicts", f"{reliable} from {best} on, {tentative} from {next_best} on"
    yield "odd-from", f"{judges.DISCORDANT_FROM:g}"
    yield "rare-spread", f"{round(1 / judges.RARE_SPREAD):,}"
    yield "tie-labels", ", ".join(judges.TIE_LABELS)
    yield "exchanges", f"{odd_judges.N_EXCHANGES:,}"
    yield "most-exchanged", f"{odd_judges.MOST_EXCHANGED:,}"
    yield "largest-part", f"1/{1 / odd_judges.LARGEST_PART:g}"
    yield "fewest-judges", number_word(odd_judges.FEWEST_JUDGES)
    yield "compared-judges", str(judges.MOST_COMPARED_JUDGES)
    yield "different-scores", f"{MOST_KINDS:,}"
    yield "bias-weight", f"{strategies.BIAS_WEIGHT:g}"
    yield "middle-emphasis", f"{strategies.MIDDLE_EMPHASIS:g}"
    yield "emphasis-weight", f"{strategies.EMPHASIS_WEIGHT:g}"
    yield "strategies", _built_in_strategies()


def _entropy() -> Iterator[tuple[str, str]]:
    part = {10: "a tenth"}.get(texts.CHUNKS_A_TEXT, f"1/{texts.CHUNKS_A_TEXT}")
    yield "bins", number_word(texts.SEMANTIC_BINS)
    yield "compression", str(texts.COMPRESSION_LEVEL)
    yield "vendi", f"{texts.VENDI_TEXTS:,}"
    yield "chunk", f"max({texts.SHORTEST_CHUNK}, length // {texts.CHUNKS_A_TEXT})"
    yield "chunk-part", part
    yield "shortest-chunk", str(texts.SHORTEST_CHUNK)
    yield "most-chunks", str(texts.MOST_CHUNKS)
    yield "drop", f"{texts.DROP:g}"
    yield "falling", f"{texts.FALLING:g}"
    yield "rising", f"{texts.RISING:g}"
    yield "window", str(EntropyOptions().window)
    yield "window-option", code(f"--window {EntropyOptions().window}")
    yield "run-words", number_word(texts.RUN_WORDS)
    yield "run-characters", str(texts.RUN_CHARACTERS)
    yield "repeated-share", percent(texts.REPEATED_SHARE)
    yield "human-share", percent(texts.HUMAN_SHARE)
    yield "never-repetitive", number_word(texts.NEVER_REPETITIVE)
    yield "repetition-bands", describe_bands(REPETITION_BANDS)
    yield "repetitive", _rules_of_repetition()
    yield "few-chunks", number_word(texts.FEW_CHUNKS)
    yield "many-pairs", times_word(texts.MANY_BIGRAMS)
    yield "longest-phrase", number_word(LONGEST)


def _collective() -> Iterator[tuple[str, str]]:
    bands = (
        f"below {emergence.FAILURE_BELOW:g} {emergence.FAILURE}, below {emergence.MARGINAL_BELOW:g} "
        f"{emergence.MARGINAL}, up to {emergence.STRONG_UP_TO:g} {emergence.STRONG}, above {emergence.EXTRAORDINARY}"
    )
    yield "emergence", bands
    yield "dead-anchor", code(f"--dead-anchor {CollectiveOptions().dead_anchor:g}")
    yield "sum-tolerance", small(diagnostics.SUM_TOLERANCE)
    yield "dead-expert", f"{diagnostics.DEAD_SHARE:g}"
    yield "headline-split", code(f"--split {CollectiveOptions().split}")
    yield "adversarial", code(f"--adversarial {CollectiveOptions().adversarial}")
    yield "subsets", f"{contribution.MOST_SUBSETS:,}"
    yield "flat-loss", percent(alerts.FLAT_BELOW)
    yield "emergence-drop", f"{alerts.DROP:g}"
    yield "dead-accuracy", judges.short_decimal(alerts.DEAD_ACCURACY)
    yield "least-diversity", judges.short_decimal(alerts.LEAST_DIVERSITY)
    yield "most-entropy", f"{alerts.MOST_ENTROPY:.1f}"
    yield "too-few-experts", str(math.floor(math.exp(alerts.MOST_ENTROPY)))
    yield "diffuse", f"{diagnostics.DIFFUSE}, above {diagnostics.BALANCED_UP_TO:g}"
    yield "shapley", str(contribution.MOST_EXACT)


def _page() -> Iterator[tuple[str, str]]:
    yield "page-digits", str(page_cells.DIGITS)
    yield "page-text", f"{page_cells.LONGEST:,}"
    yield "page-units", f"{page.MOST_UNITS:,}"
    yield "page-pairs", f"{page.MOST_PAIRS:,}"
    yield "page-exploratory", f"{page.MOST_EXPLORATORY:,}"
    yield "page-problems", f"{page.MOST_LISTED:,}"


VALUES: Final = dict(
    pair
    for values in (_common, _limits, _sinfo, _mode_collapse, _diversity, _disagree, _entropy, _collective, _page)
    for pair in values()
)
