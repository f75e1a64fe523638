"""What a part of a workbook points to: other parts, and files beside the workbook."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from scoresheet.cli.write.cell_text import XML_DECLARATION, attribute_text
from scoresheet.metrics.records import dataclass

PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ESCAPED: Final = re.compile("%[0-9a-fA-F]{2}")
# what no address may hold, as Excel writes it
_UNFIT: Final = str.maketrans({mark: f"%{ord(mark):02x}" for mark in '%" <>[]^`{}'})


@dataclass(frozen=True)
class Relation:
    """Something that a part points to, by the number of its place among all."""

    kind: str
    target: str
    is_file: bool = False
    schema: str = DOCUMENT


def file_relation(name: str) -> Relation:
    """Return the relation to a file beside the workbook; what follows # is a place in it.

    >>> file_relation("a b.xlsx").target
    'a%20b.xlsx'
    """
    path = name.partition("#")[0]
    return Relation("hyperlink", path if _ESCAPED.search(path) else path.translate(_UNFIT), is_file=True)


def relations_xml(relations: Iterable[Relation]) -> bytes:
    """Return the part that lists what another one points to."""
    made = [
        f'<Relationship Id="rId{number}" Type="{each.schema}/{each.kind}" Target="{attribute_text(each.target)}"'
        + (' TargetMode="External"/>' if each.is_file else "/>")
        for number, each in enumerate(relations, start=1)
    ]
    return f'{XML_DECLARATION}<Relationships xmlns="{PACKAGE}">{"".join(made)}</Relationships>'.encode()
