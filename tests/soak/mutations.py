"""Files as disks, networks, editors and careless programs leave them: bytes, lines, parts of archives, XML."""

from __future__ import annotations

import codecs
import io
import random
import re
import struct
import zipfile
import zlib
from collections.abc import Callable
from typing import Final

# what zipfile raises where an archive is damaged
NO_ARCHIVE: Final = (
    *(zipfile.BadZipFile, zlib.error, struct.error, KeyError, IndexError, EOFError, OSError, ValueError),
    *(NotImplementedError, RuntimeError, OverflowError),
)

Mutation = Callable[[bytes, random.Random], bytes]

_ODD_BYTES: Final = b"\0\n\r\t \"',;|\\\x1a\x1b\x7f\x80\xa0\xbf\xc3\xef\xff\xfe=+-@"


def _span(data: bytes, rng: random.Random, longest: int = 200) -> tuple[int, int]:
    start = rng.randrange(len(data) + 1)
    return start, min(len(data), start + rng.randint(1, longest))


def flip_bit(data: bytes, rng: random.Random) -> bytes:
    """One bit is another."""
    place = rng.randrange(max(len(data), 1))
    return data[:place] + bytes([data[place] ^ 1 << rng.randrange(8)]) + data[place + 1 :] if data else data


def change_byte(data: bytes, rng: random.Random) -> bytes:
    """One byte is another, mostly one that means something."""
    place = rng.randrange(len(data) + 1)
    byte = rng.choice(_ODD_BYTES) if rng.random() < 0.7 else rng.randrange(256)
    return data[:place] + bytes([byte]) + data[place + rng.randrange(2) :]


def cut_off(data: bytes, rng: random.Random) -> bytes:
    """The file ends too early."""
    return data[: rng.randrange(len(data) + 1)]


def lose_piece(data: bytes, rng: random.Random) -> bytes:
    """A piece is missing."""
    start, end = _span(data, rng)
    return data[:start] + data[end:]


def repeat_piece(data: bytes, rng: random.Random) -> bytes:
    """A piece is there again."""
    start, end = _span(data, rng)
    return data[:end] + data[start:end] * rng.choice((1, 1, 2, 50)) + data[end:]


def zero_piece(data: bytes, rng: random.Random) -> bytes:
    """A piece was never written."""
    start, end = _span(data, rng)
    return data[:start] + b"\0" * (end - start) + data[end:]


def swap_pieces(data: bytes, rng: random.Random) -> bytes:
    """Two pieces stand in each other's place."""
    (a, b), (c, d) = sorted((_span(data, rng), _span(data, rng)))
    return data if c < b else data[:a] + data[c:d] + data[b:c] + data[a:b] + data[d:]


OF_BYTES: Final[tuple[Mutation, ...]] = (
    *(flip_bit, change_byte, change_byte, cut_off, lose_piece, repeat_piece, zero_piece, swap_pieces),
)


# --- text tables -----------------------------------------------------------------------------------------------------


def encode_anew(data: bytes, rng: random.Random) -> bytes:
    """Another encoding, with its mark or without, or the mark in the wrong place."""
    text = data.decode("utf-8", "replace")
    name = rng.choice(("utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252", "gb18030"))
    encoded = text.encode(name, "replace")
    return rng.choice((b"", b"", b"", codecs.BOM_UTF8, codecs.BOM_UTF16_LE)) + encoded


def change_line_ends(data: bytes, rng: random.Random) -> bytes:
    """Lines that end as they do elsewhere, all or some."""
    ends = (b"\r\n", b"\r", b"\n\n", b"\n\r", b"\x0b", b"\xc2\x85", b"\xe2\x80\xa8")
    end, share = rng.choice(ends), rng.choice((1.0, 0.3))
    lines = data.split(b"\n")
    return b"".join(line + (end if rng.random() < share else b"\n") for line in lines[:-1]) + lines[-1]


def misplace_quotes(data: bytes, rng: random.Random) -> bytes:
    """Quotes too many or too few."""
    if rng.random() < 0.3 and b'"' in data:
        return data.replace(b'"', rng.choice((b"", b'""', b"'", b'\\"')), rng.choice((1, -1)))
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.choice((b'"', b'""', b'"""', b'",', b',"', b'"\n', b"'")) + data[place:]


def change_separators(data: bytes, rng: random.Random) -> bytes:
    """Another separator, everywhere or on some lines."""
    new, share = rng.choice((b";", b"\t", b"|", b", ", b",,", b" ")), rng.choice((1.0, 0.2))
    lines = [line.replace(b",", new) if rng.random() < share else line for line in data.split(b"\n")]
    return b"\n".join(lines)


def change_lines(data: bytes, rng: random.Random) -> bytes:
    """A line more, a line less, in another order, with a field more or less, above the header, or blank."""
    lines = data.split(b"\n")
    place = rng.randrange(len(lines))
    match rng.randrange(8):
        case 0:
            lines.insert(place, rng.choice(lines))
        case 1:
            del lines[place]
        case 2:
            rng.shuffle(lines)
        case 3:
            lines[place] += rng.choice((b",", b",x", b",,,", b";"))
        case 4:
            lines[place] = lines[place].rpartition(b",")[0]
        case 5:
            lines.insert(0, rng.choice((b"Results, final", b"", b"sep=;", b"# made by us", b"a,b")))
        case 6:
            lines.insert(place, rng.choice((b"", b"   ", b",,,", b"\t", b'""')))
        case _:
            lines[0] = rng.choice((lines[0].upper(), lines[0] + b"," + lines[0], lines[0][::-1], b""))
    return b"\n".join(lines)


def odd_cell(data: bytes, rng: random.Random) -> bytes:
    """A cell that other programs take for something else."""
    odd = "=1+1|NA|null|1e5|001|TRUE|nan|-inf|1e999|0x10|\u200b|\ufeff|\u202e|😀|e\u0301|\x1b[31m|\x07|\ud7ff|{}|[]|%"
    cell = rng.choice(odd.split("|")).encode()
    found = list(re.finditer(rb"[^,\n\"]+", data))
    if not found:
        return cell
    spot = rng.choice(found)
    return data[: spot.start()] + cell + data[spot.end() :]


def odd_json(data: bytes, rng: random.Random) -> bytes:
    """JSON with a value of another kind."""
    values = 'null|true|[]|{}|[1, 2]|1e400|NaN|-0|""|{"a": {"b": 1}}|12345678901234567890|"\\ud800"|"\\u0000"|\'x\'|'
    value = rng.choice(values.split("|")).encode()
    found = list(re.finditer(rb'"[^"]*"', data))
    if not found:
        return value
    spot = rng.choice(found)
    return data[: spot.start()] + value + data[spot.end() :]


OF_TABLES: Final[tuple[Mutation, ...]] = (
    *(encode_anew, change_line_ends, misplace_quotes, change_separators, change_lines, odd_cell, *OF_BYTES),
)
OF_JSON: Final[tuple[Mutation, ...]] = (
    *(odd_json, odd_json, encode_anew, change_line_ends, misplace_quotes, change_lines, *OF_BYTES),
)


# --- archives --------------------------------------------------------------------------------------------------------

Parts = list[tuple[str, bytes]]

_ADDRESSES: Final = (
    *("A1", "B2", "A0", "a2", "B", "2", "", "AA", "A2A", "$A$2", "R1C1", "A-1", "A1.5", "B1048576", "XFD1", "XFE1"),
    *("XFD1048576", "A1048577", "A99999999999", "ZZZZ1", "A2:B3", " A2", "Ä2", "A٢", "C3", "B3", "A4"),
)
_KINDS: Final = ("s", "n", "b", "e", "str", "inlineStr", "d", "", "x", "S")
_VALUES: Final = (
    *("0", "1", "2", "-1", "999999", "1e5", "1e999", "nan", "", " 1 ", "1,5", "TRUE", "#N/A", "0x1", "1.0", "12.50"),
    *("_x0041_", "_x000D_", "&#10;", "&lt;b&gt;", "2024-01-31", "0.1", "0.30000000000000004", "99999999999999999999"),
)


def _parts(data: bytes) -> Parts:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def _packed(parts: Parts, rng: random.Random) -> bytes:
    content = io.BytesIO()
    packing = rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))
    with zipfile.ZipFile(content, "w", packing) as archive:
        for name, part in parts:
            info = zipfile.ZipInfo(name)  # dated 1980: equal parts, equal bytes
            info.compress_type = packing
            archive.NameToInfo.pop(name, None)  # a name that is there twice is meant
            archive.writestr(info, part)
    return content.getvalue()


def change_parts(data: bytes, rng: random.Random) -> bytes:
    """Parts that are lost, exchanged, renamed or there twice."""
    parts = _parts(data)
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            del parts[one]
        case 1:
            (a, content), (b, rest) = parts[one], parts[other]
            parts[one], parts[other] = (a, rest), (b, content)
        case 2:
            name = parts[one][0]
            parts[one] = (rng.choice((name.upper(), f"/{name}", name.replace("/", "\\"), f"../{name}")), parts[one][1])
        case 3:
            parts.append((parts[one][0], parts[other][1]))
        case 4:
            rng.shuffle(parts)
        case _:
            parts[one] = (parts[one][0], b"")
    return _packed(parts, rng)


def damage_part(data: bytes, rng: random.Random) -> bytes:
    """A part that was damaged before it was packed: the archive itself is whole."""
    parts = _parts(data)
    place = rng.randrange(len(parts))
    parts[place] = (parts[place][0], rng.choice(OF_BYTES)(parts[place][1], rng))
    return _packed(parts, rng)


def change_cells(data: bytes, rng: random.Random) -> bytes:
    """A worksheet as another program might have written it: addresses, kinds, values, rows and cells."""
    parts = _parts(data)
    sheets = [n for n, (name, _) in enumerate(parts) if "worksheets/sheet" in name or name == "content.xml"]
    place = rng.choice(sheets)
    name, xml = parts[place]
    for _ in range(rng.choice((1, 1, 2, 3))):
        xml = rng.choice(_OF_SHEETS)(xml, rng)
    parts[place] = (name, xml)
    return _packed(parts, rng)


def change_workbook(data: bytes, rng: random.Random) -> bytes:
    """Names, states and places of sheets, shared strings, styles and relations."""
    parts = _parts(data)
    place = rng.choice([n for n, (name, _) in enumerate(parts) if "worksheets/" not in name])
    name, xml = parts[place]
    attributes = list(re.finditer(rb'([\w:]+)="([^"]*)"', xml))
    if attributes and rng.random() < 0.7:
        spot, other = rng.choice(attributes), rng.choice(attributes)
        values = (other[2], b"", b"0", b"-1", b"999999999999", spot[2] + spot[2], b"hidden", b"rId9", b"x:y")
        xml = xml[: spot.start(2)] + rng.choice(values) + xml[spot.end(2) :]
    else:
        xml = rng.choice((_change_text, _repeat_element, _lose_element, _odd_xml))(xml, rng)
    parts[place] = (name, xml)
    return _packed(parts, rng)


def _replaced(pattern: bytes, new: bytes, xml: bytes, rng: random.Random) -> bytes:
    """One place that fits a pattern has a new text for its first group."""
    found = list(re.finditer(pattern, xml))
    if not found:
        return xml
    spot = rng.choice(found)
    return xml[: spot.start(1)] + new + xml[spot.end(1) :]


def _change_address(xml: bytes, rng: random.Random) -> bytes:
    return _replaced(rb'<c r="([^"]*)"', rng.choice(_ADDRESSES).encode(), xml, rng)


def _change_row(xml: bytes, rng: random.Random) -> bytes:
    numbers = ("1", "2", "3", "0", "-1", "", "1048576", "1048577", "2.0", " 3", "4294967297", "x")
    return _replaced(rb'<row r="([^"]*)"', rng.choice(numbers).encode(), xml, rng)


def _change_kind(xml: bytes, rng: random.Random) -> bytes:
    new = f' t="{rng.choice(_KINDS)}"' if rng.random() < 0.9 else ""
    return _replaced(rb'<c r="[^"]*"(?: s="[0-9]*")?((?: t="[^"]*")?)[^>]*>', new.encode(), xml, rng)


def _change_style(xml: bytes, rng: random.Random) -> bytes:
    return _replaced(rb'<c r="[^"]*"((?: s="[0-9]*")?)', rng.choice((b' s="1"', b' s="99"', b' s="-1"', b"")), xml, rng)


def _change_value(xml: bytes, rng: random.Random) -> bytes:
    pattern = rng.choice((rb"<v>([^<]*)</v>", rb"<v>([^<]*)</v>", rb"(<v>[^<]*</v>)", rb"<text:p>([^<]*)</text:p>"))
    new = rng.choice(_VALUES).encode()
    return _replaced(
        pattern, new if b"(<v>" not in pattern else rng.choice((b"", b"<v/>", b"<v>1</v><v>2</v>")), xml, rng
    )


def _change_text(xml: bytes, rng: random.Random) -> bytes:
    return _replaced(rb">([^<>]+)<", rng.choice(_VALUES).encode(), xml, rng)


def _repeat_element(xml: bytes, rng: random.Random) -> bytes:
    found = list(
        re.finditer(rb"<(row|c|si|sheet|xf|table:table-row|table:table-cell)\b[^>]*?(?:/>|>.*?</\1>)", xml, re.DOTALL)
    )
    if not found:
        return xml
    spot, place = rng.choice(found), rng.choice(found)
    return xml[: place.end()] + spot[0] * rng.choice((1, 1, 3)) + xml[place.end() :]


def _lose_element(xml: bytes, rng: random.Random) -> bytes:
    found = list(re.finditer(rb"<(\w+)\b[^>]*?(?:/>|>[^<]*</\1>)", xml))
    if not found:
        return xml
    spot = rng.choice(found)
    return xml[: spot.start()] + xml[spot.end() :]


def _lose_attribute(xml: bytes, rng: random.Random) -> bytes:
    return _replaced(rb'( [\w:]+="[^"]*")', b"", xml, rng)


def _repeat_in_place(xml: bytes, rng: random.Random) -> bytes:
    kind, count = rng.choice((b"rows", b"columns")), rng.choice((b"0", b"2", b"3", b"1000", b"-1", b"99999999", b"x"))
    element = b"table:table-row" if kind == b"rows" else b"table:table-cell"
    return _replaced(
        rb"<" + element + rb"( )", b" table:number-%s-repeated=%s " % (kind, b'"' + count + b'"'), xml, rng
    )


def _odd_xml(xml: bytes, rng: random.Random) -> bytes:
    """XML that says the same, or nothing that it may."""
    place = rng.choice([found.start() for found in re.finditer(rb"<", xml)] or [0])
    odd = (
        b"<!-- x -->",
        b"<![CDATA[x]]>",
        b"<?x y?>",
        b"&amp;",
        b"&x;",
        b"&#0;",
        b"<x/>",
        b"<!DOCTYPE x []>",
        b"\xff",
        b" ",
    )
    return xml[:place] + rng.choice(odd) + xml[place:]


def _merge_cells(xml: bytes, rng: random.Random) -> bytes:
    areas = (b"A1:B1", b"A2:A3", b"A2:B3", b"B3:A2", b"A2", b"A1:XFD1048576", b"x", b"", b"A0:A1")
    merged = b'<mergeCells count="1"><mergeCell ref="%s"/></mergeCells>' % rng.choice(areas)
    return xml.replace(b"</sheetData>", b"</sheetData>" + merged, 1)


def _change_size(xml: bytes, rng: random.Random) -> bytes:
    sizes = (b"A1", b"A1:B2", b"A1:XFD1048576", b"B2:A1", b"x", b"", b"A1:ZZZZ9")
    return _replaced(rb'<dimension ref="([^"]*)"', rng.choice(sizes), xml, rng)


_OF_SHEETS: Final[tuple[Mutation, ...]] = (
    *(_change_address, _change_address, _change_row, _change_kind, _change_style, _change_value, _change_value),
    *(_change_text, _repeat_element, _lose_element, _lose_attribute, _repeat_in_place, _odd_xml, _merge_cells),
    _change_size,
)

OF_ARCHIVES: Final[tuple[Mutation, ...]] = (
    *(change_cells, change_cells, change_cells, change_workbook, change_workbook, change_parts, damage_part),
    *OF_BYTES[:4],
    *OF_BYTES[4:7],
)


def mutated(data: bytes, mutations: tuple[Mutation, ...], rng: random.Random) -> bytes:
    """The data, changed once or a few times; what no longer is an archive is changed as bytes."""
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        mutation = rng.choice(mutations)
        try:
            data = mutation(data, rng)
        except NO_ARCHIVE:
            data = rng.choice(OF_BYTES)(data, rng)
    return data
