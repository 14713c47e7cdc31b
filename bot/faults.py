"""What went wrong with an address, told without its secrets."""

from __future__ import annotations

import re
from datetime import timedelta

from yarl import URL

from digests.errors import FetchError

_USERINFO = re.compile(r"^((?:[a-z][a-z0-9+.-]*:)?[/\\]+)?[^/?#\\]*@", re.IGNORECASE)
_SECRET = re.compile(
    r"([?&;#][^=&;#]*(?:key|token|secret|password|passwd|pwd|auth|signature|sig|session(?:id)?|credentials?|jwt)=)"
    r"[^&;#]*",
    re.IGNORECASE,
)


def redacted(url: str) -> str:
    """`url` fit for messages and logs: no user, password, key or token, at most 300 characters.

    "https://me:pw@a.org/?api_key=1&q=x" → "https://a.org/?api_key=***&q=x"
    """
    shown = _SECRET.sub(r"\1***", _USERINFO.sub(r"\1", url))
    return shown if len(shown) <= 300 else shown[:299] + "…"


def failed(
    url: URL | str,
    what: str,
    *,
    status: int | None = None,
    retry_after: timedelta | None = None,
    hint: str = "",
) -> FetchError:
    """The error that says `what` of an address: "'https://a.org/feed' answered 404"."""
    shown = redacted(str(url))
    return FetchError(f"{shown!r} {what}", url=shown, status=status, retry_after=retry_after, hint=hint)
