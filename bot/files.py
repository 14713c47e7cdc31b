"""Files of this machine: what the command line reads of them, inflated and under a cap."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

from bot.inflated import PIECE, CutError, Inflated, TooLargeError
from digests.errors import FetchError

FILE_CAP = 50_000_000
"""A larger file is refused by its size; to read one of 45 MB takes up to 400 MB, in two processes."""


def read_file(place: str | Path, cap: int = FILE_CAP) -> bytes:
    """The content of a file of this machine, inflated where it is gzip; FetchError for everything else.

    Takes a path, with `~`, or a `file:` address; refuses by size before it reads, and never waits on a pipe.
    """
    path = _path_of(str(place))
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise _unreadable(path, f"is {_kind(found.st_mode)}", "give a file")
        if found.st_size > cap:
            raise _unreadable(path, f"holds {found.st_size:,} bytes", f"split it: at most {cap:,} are read")
        with path.open("rb") as file:
            body = _inflated(file, cap)
    except TooLargeError:
        raise _unreadable(path, f"inflates to more than {cap:,} bytes", "split it: no more is read") from None
    except CutError as error:
        raise _unreadable(path, f"is damaged gzip ({error})", "get it again") from None
    except OSError as error:
        raise _unreadable(
            path, f"cannot be read: {error.strerror}", "look at its path and its rights"
        ) from None
    except ValueError:  # a NUL in the name
        raise _unreadable(path, "is not a path", "look at its spelling") from None
    if not body:
        raise _unreadable(path, "is empty", "give a file with papers in it")
    return body


def _unreadable(path: Path | str, what: str, hint: str) -> FetchError:
    return FetchError(f"{str(path)!r} {what}", url=str(path), hint=hint)


def _path_of(place: str) -> Path:
    if place[:5].lower() != "file:":
        path = Path(place)
    else:
        address = urlsplit(place)
        if address.netloc not in ("", "localhost"):
            raise _unreadable(place, "is a file of another machine", "write file:///path")
        path = Path(unquote(address.path))
    try:
        return path.expanduser()
    except RuntimeError:
        raise _unreadable(place, "names a home that is not known", "write the whole path") from None


def _inflated(file: BinaryIO, cap: int) -> bytes:
    body = Inflated("", cap)
    while piece := file.read(PIECE):
        body.add(piece)
    return body.body()


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a pipe" if stat.S_ISFIFO(mode) else "a device or a socket"
