"""The errors of Paperround: each says what happened, to what, and the next step.

PaperroundError
├── InputError               what a person gave cannot be used
│   ├── QueryError           ... a query, with the place of the fault
│   ├── CommandError         ... a command, with what was understood and one that works
│   ├── ScheduleError        ... a time, a day, a zone
│   ├── UnknownError         ... it names something that is not there
│   └── ConflictError        ... it would double something that is there
├── FetchError               an address or a file did not answer with a document
├── ParseError               a document is not what its format promises
├── DeliveryError            a platform did not take a message
└── StorageError             the database cannot be used
"""

from __future__ import annotations

from datetime import timedelta


class PaperroundError(Exception):
    """What went wrong and, where there is one, the next step.

    `str(error)` is one line fit for people: "what; hint".
    """

    def __init__(self, what: str, hint: str = "") -> None:
        super().__init__(what, hint)
        self.what = what
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.what}; {self.hint}" if self.hint else self.what


class InputError(PaperroundError):
    """Something that a person gave cannot be used."""


class QueryError(InputError):
    """A query cannot be understood; `at` is the offset of the fault in `text`."""

    def __init__(self, what: str, text: str, at: int, hint: str = "") -> None:
        super().__init__(what, hint)
        self.text = text
        self.at = at

    def pointed(self) -> str:
        """The part of the query around the fault, with a caret on a second line under its place."""
        before, after = self.text[max(0, self.at - 40) : self.at], self.text[self.at : self.at + 30]
        line = "".join(c if c.isprintable() else " " for c in before + after)
        return f"{line}\n{' ' * len(before)}^"


class CommandError(InputError):
    """A command cannot be understood.

    `understood` is the part that was, `works` a command that works, `pointed` the place of the fault, if a
    query is at fault.
    """

    def __init__(
        self, what: str, hint: str = "", *, understood: str = "", works: str = "", pointed: str = ""
    ) -> None:
        super().__init__(what, hint)
        self.understood = understood
        self.works = works
        self.pointed = pointed


class ScheduleError(InputError):
    """A time, a day, a zone or a date cannot be used."""


class UnknownError(InputError):
    """A feed, a channel, a subscription or a paper of that name does not exist."""


class ConflictError(InputError):
    """The same name, address or query exists already."""


class FetchError(PaperroundError):
    """`url` did not answer with a document; `status` is the HTTP status, None where none came."""

    def __init__(
        self,
        what: str,
        *,
        url: str,
        status: int | None = None,
        retry_after: timedelta | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(what, hint)
        self.url = url
        self.status = status
        self.retry_after = retry_after


class ParseError(PaperroundError):
    """A document cannot be read as `format`; `where` is a place in it ("line 7"), empty for the whole."""

    def __init__(self, what: str, *, format: str, where: str = "", hint: str = "") -> None:
        super().__init__(what, hint)
        self.format = format
        self.where = where


class DeliveryError(PaperroundError):
    """A platform did not take a message.

    `permanent` says that trying again cannot help; `everywhere` that the platform refuses the whole app (its
    token is revoked), which is no fault of the channel; `retry_after` is how long the platform asked to wait;
    `unclear` says that the message may have been posted all the same.
    """

    def __init__(
        self,
        what: str,
        *,
        permanent: bool = False,
        everywhere: bool = False,
        unclear: bool = False,
        retry_after: timedelta | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(what, hint)
        self.permanent = permanent
        self.everywhere = everywhere
        self.unclear = unclear
        self.retry_after = retry_after


class StorageError(PaperroundError):
    """The database cannot be opened, is of another version, or is damaged."""
