"""Places that a URL names, and what of a URL may be shown."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = "***"
_URL: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
# who is asked for by name and password, or with a signature, must not be read in reports and logs
_USER: Final = re.compile(r"(?<=://)(?:[^/@]*:[^@]*|[^/@]*)@")
_QUERY: Final = re.compile(r"\?[^?/]*=.*$", re.DOTALL)


def is_remote(place: str) -> bool:
    """Return whether a place is named by a URL.

    >>> is_remote("s3://bucket/runs"), is_remote("memory://a"), is_remote("runs/a.csv"), is_remote("C:/runs")
    (True, True, False, False)
    """
    return bool(_URL.match(place))


def without_secrets(text: str) -> str:
    """Return a text without what should not be shown of a URL in it: users, passwords, signatures.

    >>> without_secrets("s3://key:a/b@bucket/x.csv"), without_secrets("-o=https://host/x.csv?sig=1"), without_secrets("s3://bucket/run?.csv")
    ('s3://***@bucket/x.csv', '-o=https://host/x.csv?***', 's3://bucket/run?.csv')
    """
    return _QUERY.sub(f"?{HIDDEN}", _USER.sub(f"{HIDDEN}@", text)) if "://" in text else text


def secrets_in(url: str) -> list[str]:
    """Return the parts of a URL that should not be shown.

    >>> secrets_in("s3://key:a@bucket/x.csv?sig=1")
    ['key:a@', '?sig=1']
    """
    return [*_USER.findall(url), *_QUERY.findall(url)]
