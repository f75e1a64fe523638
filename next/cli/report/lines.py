"""Lines: sentences and names that fit a width, broken where a reader would break them."""

import re

from rich.cells import cell_len, chop_cells

NO_BREAK = "\u00a0"

# Intervals, p-values and options with their values stay on one line.
_UNBROKEN = re.compile(
    r"[\d.]+% CI [-−]?[\d.]+%?(?:–| to )[-−]?[\d.]+%?|\bp [<=] [\d.]+|(?<!\S)--[\w-]+ \S+"
)


def unbroken(text: str) -> str:
    """Return a sentence with no-break spaces inside its intervals, p-values and options.

    >>> unbroken("it leads (95% CI 0.438–0.509, p < 0.001)").count(NO_BREAK)
    4
    """
    return _UNBROKEN.sub(lambda match: match[0].replace(" ", NO_BREAK), text)


def wrap(text: str, width: int, *, separator: str = " ", indent: int = 0) -> list[str]:
    """Return lines of at most `width` cells, broken at separators only, which are then dropped.

    A part that is longer than a line is folded. Lines after the first are indented.

    >>> wrap("a.csv: model ← file name · idiom", 26, separator=" · ", indent=2)
    ['a.csv: model ← file name', '  idiom']
    """
    lines: list[str] = []
    line = ""
    for part in text.split(separator):
        longer = f"{line}{separator}{part}" if line else part
        if line and cell_len(longer) > width - (indent if lines else 0):
            lines.append(line)
            longer = part
        if cell_len(longer) > width - (indent if lines else 0):
            *folded, longer = chop_cells(longer, max(width - indent, 2))
            lines += folded
        line = longer
    return [(" " * indent if n else "") + line for n, line in enumerate([*lines, line])]


def cut_middle(text: str, width: int, mark: str = "…") -> str:
    """Return a name of at most `width` cells, cut in the middle: both ends tell names apart.

    >>> cut_middle("Meta-Llama-3.1-70B-Instruct", 16)
    'Meta-Lla…nstruct'
    """
    if cell_len(text) <= width:
        return text
    room = width - cell_len(mark)
    start = chop_cells(text, room - room // 2)[0]
    end = chop_cells(text[::-1], room // 2)[0][::-1]
    return f"{start}{mark}{end}"
