"""Text is always text: what a model wrote is shown as it is, and never becomes a formula, a link or an error."""

from __future__ import annotations

import re
from typing import Final

CELL_LIMIT: Final = 32_767  # UTF-16 units in one cell, Excel's rule

# control characters but tab and line feed, lone surrogates, and code points that are no characters
_UNSHOWABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef"
    + "".join(chr(plane << 16 | low) for plane in range(17) for low in (0xFFFE, 0xFFFF))
    + "]"
)
# what turns others around, or stands unseen between them; a joiner in a script that has use for it is text
UNSEEN: Final = re.compile(
    "[\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
    "|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
)
LOOKS_ESCAPED: Final = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")  # _x0041_ would be read as A
XML_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_RUNS: Final = "=+-@\t\r"  # what a spreadsheet program takes for the beginning of a formula
GUARDED: Final = f"{_RUNS}'"  # the beginnings of all texts that `csv_safe` changes
_NUMBER: Final = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z", re.ASCII)


def escape_control_characters(text: str) -> str:
    r"""Return the text with characters that no cell can hold written out.

    >>> escape_control_characters("bell \x07, line\r\nbreak")
    'bell \\x07, line\nbreak'
    """
    if text.isprintable() or not _UNSHOWABLE.search(text):  # the first test is the quick one, and mostly enough
        return text
    return _UNSHOWABLE.sub(_written_out, text.replace("\r\n", "\n"))


def escape_markup(text: str) -> str:
    """Return a text as it stands in XML.

    >>> escape_markup("Q&A <1>")
    'Q&amp;A &lt;1&gt;'
    """
    if "&" in text or "<" in text or ">" in text:
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


def element_text(text: str) -> str:
    """Return a text as it stands in an element of a workbook's XML, where _x0041_ would be read as A.

    >>> element_text("Q&A _x0041_x0042_ _x")
    'Q&amp;A _x005F_x0041_x005F_x0042_ _x'
    """
    return escape_markup(LOOKS_ESCAPED.sub("_x005F_", text) if "_x" in text else text)


def attribute_text(text: str) -> str:
    """Return a text as it stands in an attribute of XML.

    >>> attribute_text('"Q&A"')
    '&quot;Q&amp;A&quot;'
    """
    return escape_markup(text).replace('"', "&quot;").replace("\n", "&#xA;")


def escape_unseen_characters(text: str) -> str:
    r"""Return the text with what cannot be seen, and what would turn it around, written out.

    >>> escape_unseen_characters("a\u202eb\u200bc"), escape_unseen_characters("👩\u200d💻") == "👩\u200d💻"
    ('a\\u202eb\\u200bc', True)
    """
    return text if text.isprintable() else UNSEEN.sub(_written_out, text)


def fit_cell(text: str) -> str:
    """Return the text as a cell can hold it: whole, or cut with a mark that says how much is missing."""
    text = escape_control_characters(text)
    if text.startswith("<r>") and text.endswith("</r>"):
        text += " "  # some writers take such a text for markup of their own; a cell is copied as it is shown
    if len(text) <= CELL_LIMIT // 2 or _units(text) <= CELL_LIMIT:
        return text
    mark = f" […cut here: {len(text):,} characters in all]"
    encoded = text.encode("utf-16-le")[: 2 * (CELL_LIMIT - len(mark))]
    return encoded.decode("utf-16-le", errors="ignore") + mark


def csv_safe(text: str) -> str:
    """Return the text so that a spreadsheet program that opens the CSV sees text and runs nothing.

    One that looks as if it had been so guarded already gets another apostrophe: no two texts become the same.

    >>> csv_safe("=1+1"), csv_safe("-1.5"), csv_safe("-x"), csv_safe("'=1+1")
    ("'=1+1", '-1.5', "'-x", "''=1+1")
    """
    bare = text.lstrip("'") if text[:1] == "'" else text
    return "'" + text if bare[:1] in _RUNS and bare and not _NUMBER.match(bare) else text


def csv_unguarded(text: str) -> str:
    """Return the text that `csv_safe` made this of.

    >>> csv_unguarded("'=1+1"), csv_unguarded("'tis"), csv_unguarded("''tis")
    ('=1+1', "'tis", "''tis")
    """
    return text[1:] if text[:1] == "'" and csv_safe(text[1:]) == text else text


def _units(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)


def _written_out(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
