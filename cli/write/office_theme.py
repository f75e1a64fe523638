"""The colours and fonts that every workbook names, whether it uses them or not: those of Office 2007."""

from __future__ import annotations

from typing import Final

from scoresheet.cli.write.cell_text import XML_DECLARATION

_ACCENTS: Final = {
    "dk2": "1F497D",
    "lt2": "EEECE1",
    "accent1": "4F81BD",
    "accent2": "C0504D",
    "accent3": "9BBB59",
    "accent4": "8064A2",
    "accent5": "4BACC6",
    "accent6": "F79646",
    "hlink": "0000FF",
    "folHlink": "800080",
}
_HEADINGS: Final = {  # by script
    "Jpan": "ＭＳ Ｐゴシック",
    "Hang": "맑은 고딕",
    "Hans": "宋体",
    "Hant": "新細明體",
    "Arab": "Times New Roman",
    "Hebr": "Times New Roman",
    "Thai": "Tahoma",
    "Ethi": "Nyala",
    "Beng": "Vrinda",
    "Gujr": "Shruti",
    "Khmr": "MoolBoran",
    "Knda": "Tunga",
    "Guru": "Raavi",
    "Cans": "Euphemia",
    "Cher": "Plantagenet Cherokee",
    "Yiii": "Microsoft Yi Baiti",
    "Tibt": "Microsoft Himalaya",
    "Thaa": "MV Boli",
    "Deva": "Mangal",
    "Telu": "Gautami",
    "Taml": "Latha",
    "Syrc": "Estrangelo Edessa",
    "Orya": "Kalinga",
    "Mlym": "Kartika",
    "Laoo": "DokChampa",
    "Sinh": "Iskoola Pota",
    "Mong": "Mongolian Baiti",
    "Viet": "Times New Roman",
    "Uigh": "Microsoft Uighur",
}
_TEXTS: Final = _HEADINGS | {"Arab": "Arial", "Hebr": "Arial", "Khmr": "DaunPenh", "Viet": "Arial"}
_EFFECTS: Final = (
    '<a:fmtScheme name="Office"><a:fillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    '<a:gradFill rotWithShape="1"><a:gsLst><a:gs pos="0"><a:schemeClr val="phClr"><a:tint val="50000"/>'
    '<a:satMod val="300000"/></a:schemeClr></a:gs><a:gs pos="35000"><a:schemeClr val="phClr"><a:tint val="37000"/>'
    '<a:satMod val="300000"/></a:schemeClr></a:gs><a:gs pos="100000"><a:schemeClr val="phClr"><a:tint val="15000"/>'
    '<a:satMod val="350000"/></a:schemeClr></a:gs></a:gsLst><a:lin ang="16200000" scaled="1"/></a:gradFill>'
    '<a:gradFill rotWithShape="1"><a:gsLst><a:gs pos="0"><a:schemeClr val="phClr"><a:shade val="51000"/>'
    '<a:satMod val="130000"/></a:schemeClr></a:gs><a:gs pos="80000"><a:schemeClr val="phClr"><a:shade val="93000"/>'
    '<a:satMod val="130000"/></a:schemeClr></a:gs><a:gs pos="100000"><a:schemeClr val="phClr"><a:shade val="94000"/>'
    '<a:satMod val="135000"/></a:schemeClr></a:gs></a:gsLst><a:lin ang="16200000" scaled="0"/></a:gradFill>'
    '</a:fillStyleLst><a:lnStyleLst><a:ln w="9525" cap="flat" cmpd="sng" algn="ctr"><a:solidFill>'
    '<a:schemeClr val="phClr"><a:shade val="95000"/><a:satMod val="105000"/></a:schemeClr></a:solidFill>'
    '<a:prstDash val="solid"/></a:ln><a:ln w="25400" cap="flat" cmpd="sng" algn="ctr"><a:solidFill>'
    '<a:schemeClr val="phClr"/></a:solidFill><a:prstDash val="solid"/></a:ln>'
    '<a:ln w="38100" cap="flat" cmpd="sng" algn="ctr"><a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    '<a:prstDash val="solid"/></a:ln></a:lnStyleLst><a:effectStyleLst><a:effectStyle><a:effectLst>'
    '<a:outerShdw blurRad="40000" dist="20000" dir="5400000" rotWithShape="0"><a:srgbClr val="000000">'
    '<a:alpha val="38000"/></a:srgbClr></a:outerShdw></a:effectLst></a:effectStyle><a:effectStyle><a:effectLst>'
    '<a:outerShdw blurRad="40000" dist="23000" dir="5400000" rotWithShape="0"><a:srgbClr val="000000">'
    '<a:alpha val="35000"/></a:srgbClr></a:outerShdw></a:effectLst></a:effectStyle><a:effectStyle><a:effectLst>'
    '<a:outerShdw blurRad="40000" dist="23000" dir="5400000" rotWithShape="0"><a:srgbClr val="000000">'
    '<a:alpha val="35000"/></a:srgbClr></a:outerShdw></a:effectLst><a:scene3d><a:camera prst="orthographicFront">'
    '<a:rot lat="0" lon="0" rev="0"/></a:camera><a:lightRig rig="threePt" dir="t">'
    '<a:rot lat="0" lon="0" rev="1200000"/></a:lightRig></a:scene3d><a:sp3d><a:bevelT w="63500" h="25400"/></a:sp3d>'
    '</a:effectStyle></a:effectStyleLst><a:bgFillStyleLst><a:solidFill><a:schemeClr val="phClr"/></a:solidFill>'
    '<a:gradFill rotWithShape="1"><a:gsLst><a:gs pos="0"><a:schemeClr val="phClr"><a:tint val="40000"/>'
    '<a:satMod val="350000"/></a:schemeClr></a:gs><a:gs pos="40000"><a:schemeClr val="phClr"><a:tint val="45000"/>'
    '<a:shade val="99000"/><a:satMod val="350000"/></a:schemeClr></a:gs><a:gs pos="100000"><a:schemeClr val="phClr">'
    '<a:shade val="20000"/><a:satMod val="255000"/></a:schemeClr></a:gs></a:gsLst><a:path path="circle">'
    '<a:fillToRect l="50000" t="-80000" r="50000" b="180000"/></a:path></a:gradFill><a:gradFill rotWithShape="1">'
    '<a:gsLst><a:gs pos="0"><a:schemeClr val="phClr"><a:tint val="80000"/><a:satMod val="300000"/></a:schemeClr>'
    '</a:gs><a:gs pos="100000"><a:schemeClr val="phClr"><a:shade val="30000"/><a:satMod val="200000"/></a:schemeClr>'
    '</a:gs></a:gsLst><a:path path="circle"><a:fillToRect l="50000" t="50000" r="50000" b="50000"/></a:path>'
    "</a:gradFill></a:bgFillStyleLst></a:fmtScheme></a:themeElements><a:objectDefaults/><a:extraClrSchemeLst/>"
    "</a:theme>"
)


def theme_xml() -> bytes:
    """Return the part of a workbook that has them."""
    accents = "".join(f'<a:{name}><a:srgbClr val="{colour}"/></a:{name}>' for name, colour in _ACCENTS.items())
    return (
        f'{XML_DECLARATION}<a:theme xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
        'name="Office Theme"><a:themeElements><a:clrScheme name="Office">'
        '<a:dk1><a:sysClr val="windowText" lastClr="000000"/></a:dk1>'
        f'<a:lt1><a:sysClr val="window" lastClr="FFFFFF"/></a:lt1>{accents}</a:clrScheme><a:fontScheme name="Office">'
        f"{_fonts('majorFont', 'Cambria', _HEADINGS)}{_fonts('minorFont', 'Calibri', _TEXTS)}</a:fontScheme>{_EFFECTS}"
    ).encode()


def _fonts(name: str, latin: str, others: dict[str, str]) -> str:
    made = "".join(f'<a:font script="{script}" typeface="{font}"/>' for script, font in others.items())
    return f'<a:{name}><a:latin typeface="{latin}"/><a:ea typeface=""/><a:cs typeface=""/>{made}</a:{name}>'
