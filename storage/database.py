"""The seam between the repositories and an engine: statements in, rows out.

Statements are written once, in the SQL that SQLite and PostgreSQL share, and name their parameters `:so`.
A parameter may be a collection; `ids` and `texts` write the list of its members for use after IN.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from digests.paper import PaperId

Parameters = Mapping[str, object]


class Row(Protocol):
    """A row of an answer, by the names of its columns."""

    def __getitem__(self, column: str, /) -> Any: ...


class Session(Protocol):
    """One transaction."""

    def all(self, sql: str, /, **parameters: object) -> Sequence[Row]:
        """Every row of the answer."""
        ...

    def one(self, sql: str, /, **parameters: object) -> Row | None:
        """The first row of the answer, if there is any."""
        ...

    def run(self, sql: str, /, **parameters: object) -> int:
        """Change rows; gives how many."""
        ...

    def run_many(self, sql: str, rows: Iterable[Parameters], /) -> None:
        """The same change for each row of parameters."""
        ...

    def new_ids(self, table: str, /) -> Iterator[int]:
        """Ids that the table never gave, ascending, for rows that this transaction is to insert."""
        ...

    def ids(self, parameter: str, /) -> str:
        """SQL for the members of a parameter that is a collection of numbers."""
        ...

    def texts(self, parameter: str, /) -> str:
        """SQL for the members of a parameter that is a collection of texts."""
        ...

    def index(self, texts: Iterable[tuple[PaperId, str, str, str]], /) -> None:
        """Make papers searchable by their index texts of title, abstract and authors."""
        ...

    def unindex(self, papers: Iterable[PaperId], /) -> None:
        """Take papers out of the search."""
        ...

    def find(self, prefilter: str, /) -> Sequence[PaperId]:
        """The papers that a full-text expression finds, latest id first."""
        ...


class Database(Protocol):
    """An open database; each thread may use it."""

    def read(self) -> AbstractContextManager[Session]:
        """A transaction that sees one state of the database."""
        ...

    def write(self) -> AbstractContextManager[Session]:
        """A transaction that changes the database, one at a time; an exception undoes it whole."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


def insertion(table: str, columns: Sequence[str]) -> str:
    """INSERT of one row whose parameters are called as the columns."""
    names = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(f":{column}" for column in columns)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"


def assignments(columns: Iterable[str]) -> str:
    """The SET part of an UPDATE whose parameters are called as the columns."""
    return ", ".join(f'"{column}" = :{column}' for column in columns)
