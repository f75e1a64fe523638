"""The runs whose outputs are held fast: for each a name, its command lines, and who writes its inputs.

Every line is run with `--seed 1 -j 1` and for a table, in some cases then as a dry run for JSON with every problem
said. The lines of a case share a folder, in which the sample data is `data`; reports go to `res` unless a line says
otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.golden import inputs


@dataclass(frozen=True)
class Case:
    """One folder, and what is run in it one after the other."""

    name: str
    lines: tuple[str, ...]
    write: Callable[[Path], None] | None = None  # what is there besides the sample data

    @property
    def json(self) -> bool:
        """Whether the answer in JSON is held fast too: once for samples and once for what is amiss, of each command."""
        return self.name.endswith(("-default", "-dry-run", "-bad-all"))


def _of_samples(command: str, places: str, options: Mapping[str, str]) -> Iterable[Case]:
    """Yield a case for each set of options on the sample data."""
    for name, words in options.items():
        yield Case(f"{command}-{name}", (f"{command} {places} {words}",))


def _of_inputs(
    command: str, places: str, write: Callable[[Path], None], options: Mapping[str, str | tuple[str, ...]]
) -> Iterable[Case]:
    """Yield a case for each set of options on inputs with much amiss; '{}' stands for the command and its inputs."""
    for name, words in options.items():
        lines = (words,) if isinstance(words, str) else words
        yield Case(f"{command}-bad-{name}", tuple(line.format(f"{command} {places}") for line in lines), write)


_SINFO: Final = (
    *_of_samples(
        "sinfo",
        "",
        {
            "default": "",
            "dry-run": "--dry-run",
            "another-folder": "-o some/where/else --quiet",
        },
    ),
    *_of_samples(
        "sinfo",
        "data/baseline_mean data/reference_explanations",
        {
            "lin": "--rouge lin --length tokens --references-by mean --verbose",
            "rows": "--aggregate rows --missing zero --raw-csv",
            "charset": "--rouge charset --tokenizer chars --references-by first --reference-separator '' --audit 0",
            "error": "--missing error --strict",
            "strict": "--strict --audit 5 --reader openpyxl",
            "part": "--sheet '*1' --limit 12 --language zh --tokenizer whitespace",
            "words": "--tokenizer words --language detect --skip-sheet '*2'",
            "columns": "--column Prediction=Idiom --json",
        },
    ),
    *_of_inputs(
        "sinfo",
        "outs refs",
        inputs.sinfo,
        {
            "all": "{}",
            "zero": "{} --missing zero --aggregate rows --references-by mean --encoding latin-1 --raw-csv -v --strict",
            "error": "{} --missing error --rouge lin --reference-separator '' --language en --reader openpyxl",
            "sheets": "{} --skip-sheet notes --skip-sheet 'f*' --limit 3 --json",
            "pruned": ("{} --limit 4", "sinfo outs/plain.csv refs", "sinfo 'outs/b*.xlsx' refs --prune"),
            "stops": (
                "sinfo outs",
                "sinfo nowhere refs",
                "sinfo outs nowhere",
                "sinfo outs outs",
                "sinfo outs/empty_folder refs",
                "sinfo outs refs/nothing.csv",
                "sinfo outs/unscored.csv refs",
                "sinfo outs/bad_book.xlsx refs",
                "{} --column nothing",
                "{} --column Nothing=x",
                "{} --column Prediction=Missing",
                "{} --encoding klingon",
                "{} --sheet nosuch",
                "{} --language 12",
                "{} --rouge other",
                "{} --limit -1",
            ),
        },
    ),
)

_MODE_COLLAPSE: Final = (
    *_of_samples("mode-collapse", "", {"default": "", "dry-run": "--dry-run"}),
    *_of_samples(
        "mode-collapse",
        "data/choices data/choice_options",
        {
            "fuzzy": "--fuzzy 60 --verbose",
            "part": "--limit 60 --strict --raw-csv",
            "json": "--json --reader openpyxl --strict",
        },
    ),
    *_of_samples(
        "mode-collapse",
        "data/choices",
        {
            "observed": "",
            "observed-sheet": "--observed sheet --strict",
            "observed-parent": "--observed parent --skip-sheet nothing",
        },
    ),
    *_of_inputs(
        "mode-collapse",
        "data/choices data/choice_options",
        inputs.mode_collapse,
        {"target": "{} --target target.csv", "power": "mode-collapse --power --power-gini 0.6"},
    ),
    *_of_inputs(
        "mode-collapse",
        "outs",
        inputs.mode_collapse,
        {
            "all": "{} options.csv",
            "fuzzy": "{} options.csv --fuzzy 70 --target target.csv -v --raw-csv",
            "questions": "{} questions.xlsx --strict --encoding latin-1 --json",
            "observed": "{}",
            "observed-sheet": "{} --observed sheet --sheet trip --sheet drink* --sheet Sheet1",
            "observed-parent": "{} --observed parent",
            "options": "{} bad_options.csv --limit 9",
            "stops": (
                "{} clash.csv",
                "{} options.csv --target targets/share.csv",
                "{} options.csv --target targets/level.csv",
                "{} options.csv --target targets/parent.csv",
                "{} options.csv --target targets/path.csv",
                "{} options.csv --target targets/option.csv",
                "{} options.csv --target targets/twice.csv",
                "{} options.csv --target targets/nothing.csv",
                "{} options.csv --target nowhere.csv",
                "{} --power",
                "{} --fuzzy 200",
                "{} --fuzzy 90",
                "{} --target target.csv",
                "mode-collapse outs/unscored.csv options.csv",
                "mode-collapse outs/free.csv",
                "mode-collapse --power --power-gini 0",
                "mode-collapse outs options.csv --observed never",
            ),
        },
    ),
)

_TABLES: Final = (
    "--intents data/diversity_tables/intents.csv --targets data/diversity_tables/targets.csv "
    "--features data/diversity_tables/features.csv"
)
_DIVERSITY: Final = (
    *_of_samples("diversity", "", {"default": "", "dry-run": "--dry-run"}),
    *_of_samples(
        "diversity",
        "data/rankings data/subtopics",
        {
            "tables": _TABLES,
            "ndeval": "--definition ndeval --alpha 0.3 --cutoffs 1,3,10 --targets data/diversity_tables/targets.csv",
            "graded": "--graded --complete --max-grade 4 --log-base 2 --verbose",
            "text": f"{_TABLES} --distance text --cutoffs 7 --raw-csv --strict",
            "features": f"{_TABLES} --distance features --log-base 10 --alpha 1 --cutoffs 2,4,6,8,10,12",
            "subtopics": "--distance subtopics --complete --alpha 0 --json",
            "part": "--limit 70 --sheet 'Sheet*' --reader openpyxl",
        },
    ),
    *_of_samples("diversity", "data/rankings", {"unjudged": "--features data/diversity_tables/features.csv"}),
    *_of_inputs(
        "diversity",
        "outs",
        inputs.diversity,
        {
            "in-line": "{}",
            "text": "{} --distance text --features texts.csv --cutoffs 1,2 --strict -v",
            "features": "{} --features features.csv --graded --complete --raw-csv --max-grade 2",
            "references": "{} refs --intents intents.csv --targets targets.csv",
            "ndeval": "{} refs --definition ndeval --max-grade 3 --cutoffs 3 --limit 5 --encoding latin-1 --json",
            "complete": "{} refs --complete --graded --distance text -v --skip-sheet notes",
            "stops": (
                "{} --distance features",
                "{} --distance features --features texts.csv",
                "{} refs --intents bad_weights.csv",
                "{} refs --definition ndeval --graded",
                "{} refs --definition ndeval --intents intents.csv",
                "{} refs --cutoffs 0",
                "{} refs --cutoffs five",
                "{} refs --alpha 2",
                "{} refs/large.csv",
                "{} refs/bad.qrels",
                "diversity outs/trec.run",
                "diversity outs/strangers.csv refs",
            ),
        },
    ),
)

_DISAGREE: Final = (
    *_of_samples("disagree", "", {"default": "", "dry-run": "--dry-run"}),
    *_of_samples(
        "disagree",
        "data/judgements",
        {
            "ordinal": "--level ordinal --verbose",
            "ratio": "--level ratio --consensus-threshold 0.9 --high-threshold 0.6 --dimension-threshold 0.1 --raw-csv",
            "nominal": "--level nominal",
            "outliers": "--outlier-threshold 1 --robust-threshold 2 --mad-floor 0 --recommend 0.5:0.8 --strict",
            "scale": "--scale 0:2 --sheet '*1*' --limit 40",
            "narrow": "--scale 0.3:0.9 --out-of-scale clip",
            "blank": "--scale 0.3:0.9 --out-of-scale blank --json",
            "refused": "--scale 0.3:0.9",
        },
    ),
    *_of_samples(
        "disagree", "data/judgements/split.xlsx", {"dimensions": "--dimensions accuracy,authenticity --reader openpyxl"}
    ),
    *_of_samples(
        "disagree",
        "data/judgement_tables/one_judge.csv",
        {
            "strategies": "--strategies data/judgement_tables/strategies.csv",
            "default-strategies": "--strategies default --level ordinal --strict",
        },
    ),
    *_of_inputs(
        "disagree",
        "outs",
        inputs.disagree,
        {
            "all": "{} --scale 1:5 --out-of-scale blank",
            "clip": "{} --scale 1:5 --out-of-scale clip --level ordinal -v --strict --raw-csv",
            "ratio": "{} --scale 0:9 --level ratio --out-of-scale blank --encoding latin-1 --limit 30 --json",
            "nominal": "{} --level nominal",
            "dimensions": "{} --scale 1:5 --dimensions style,truth --out-of-scale clip",
            "refused": "{}",
            "many": "disagree crowds --scale 1:5",
            "labels": "disagree labels --level nominal -v",
            "strategies": "disagree one --strategies strategies.csv --out-of-scale blank",
            "default-strategies": "disagree one --strategies default --out-of-scale clip -v",
            "stops": (
                "{} --scale 5:1",
                "{} --scale five",
                "{} --recommend 0:2",
                "{} --high-threshold 0.9",
                "{} --consensus-threshold 2",
                "{} --level nominal --scale 1:5",
                "{} --level nominal --strategies default",
                "{} --level ratio --scale -1:1",
                "{} --dimensions ,",
                "disagree one --strategies bad_strategies.csv",
                "disagree one --strategies nowhere.csv",
                "disagree outs/twice.csv",
                "disagree outs/long.csv --dimensions score --scale -9:9",
                "disagree labels",
            ),
        },
    ),
)

_ENTROPY: Final = (
    *_of_samples("entropy", "", {"default": "", "dry-run": "--dry-run"}),
    *_of_samples(
        "entropy",
        "data/responses",
        {
            "chars": "--tokenizer chars --definition seed --verbose",
            "whitespace": "--tokenizer whitespace --raw-csv --strict",
            "words": "--tokenizer words --limit 5 --json",
            "bpe": "--tokenizer bpe --vocabulary cl100k_base --sheet Sheet1",
            "static": "--vectors static --reader openpyxl",
            "columns": "--column text=response --strict",
        },
    ),
    *_of_inputs(
        "entropy",
        "outs",
        inputs.entropy,
        {
            "all": "{}",
            "chars": "{} --tokenizer chars --definition seed -v --raw-csv --strict",
            "whitespace": "{} --tokenizer whitespace --encoding latin-1 --skip-sheet notes --json",
            "words": "{} --tokenizer words --limit 6 --reader openpyxl",
            "bpe": "{} --tokenizer bpe --sheet one --sheet Sheet1",
            "static": "{} --vectors static --definition seed",
            "stops": (
                "entropy outs/unscored.csv",
                "entropy outs/two_texts.csv",
                "entropy nowhere",
                "{} --tokenizer none",
                "{} --vocabulary cl100k_base",
                "{} --sheet nosuch",
                "{} --column text=Output",
            ),
        },
    ),
)

_COLLECTIVE: Final = (
    *_of_samples("collective", "", {"default": "", "dry-run": "--dry-run"}),
    *_of_samples(
        "collective",
        "data/collective",
        {
            "weighted": "--fusion weighted --ties wrong --verbose",
            "class": "--ties class --signed --normalise --fail-on alert",
            "random": "--ties random --dead-anchor 0.2 --raw-csv --strict",
            "mean": "--fusion mean",
            "clean": "--clean noise --json --fail-on alert",
            "part": "--sheet 'p*' --sheet Sheet1 --limit 50",
        },
    ),
    *_of_samples(
        "collective", "data/collective/harbour.xlsx", {"streams": "--streams rigging,colour,wake --reader openpyxl"}
    ),
    *_of_inputs(
        "collective",
        "outs",
        inputs.collective,
        {
            "all": "{}",
            "mean": "{} --fusion mean --signed --normalise -v",
            "weighted": "{} --fusion weighted --ties random --fail-on alert --raw-csv",
            "weighted-mean": "{} --fusion weighted-mean --ties class --normalise --clean noise --strict",
            "logits": "{} --fusion mean --logits --ties wrong --dead-anchor 0 --skip-sheet logits --json",
            "streams": "collective 'outs/[fw]*' --streams 'Net 1,NET 2,net 4' --encoding latin-1 --limit 60",
            "crowd": "collective crowd",
            "columns": "{} --column collective=majority --column label=notes --skip-sheet remarks --fail-on alert",
            "stops": (
                "{} --streams ,",
                "{} --dead-anchor 2",
                "{} --fusion sum",
                "{} --clean moon",
                "collective outs/no_predictions.xlsx",
                "collective outs/same_sample.xlsx",
                "collective outs/looks_like.csv",
            ),
        },
    ),
)

CASES: Final = {
    case.name: case for case in (*_SINFO, *_MODE_COLLAPSE, *_DIVERSITY, *_DISAGREE, *_ENTROPY, *_COLLECTIVE)
}

_USUAL: Final = 4  # sets of options on the sample data that every test run tries, of each command
_AMISS: Final = ("-bad-all", "-bad-stops")


def usual_cases() -> set[str]:
    """Return the names of the cases of every test run; `make soak` runs the others."""
    usual: set[str] = set()
    for command in (_SINFO, _MODE_COLLAPSE, _DIVERSITY, _DISAGREE, _ENTROPY, _COLLECTIVE):
        usual |= {case.name for case in [case for case in command if case.write is None][:_USUAL]}
        usual |= {case.name for case in command if case.name.endswith(_AMISS)}
    return usual
