"""What holds for documents that come from a file of this machine."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.files import read_file
from digests.errors import FetchError
from tests.bot.fetching import FEED
from tests.servers.web import gzip_bomb


def test_reads_a_file_by_each_of_its_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A path, text, a file: address, and one that begins at home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    file = tmp_path / "my feed.xml"
    file.write_bytes(FEED)
    names: list[str | Path] = [
        file,
        str(file),
        file.as_uri(),
        Path("~/my feed.xml"),
        f"file://localhost{file}",
    ]
    assert [read_file(name) for name in names] == [FEED] * 5


def test_reads_gzip_by_content(tmp_path: Path) -> None:
    """The name does not matter."""
    (tmp_path / "list.txt").write_bytes(gzip.compress(FEED, mtime=0))
    assert read_file(tmp_path / "list.txt") == FEED


def _missing(path: Path) -> None:
    """Leave it out."""


def _empty(path: Path) -> None:
    path.touch()


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(2_000_000_000)


def _bomb(path: Path) -> None:
    path.write_bytes(gzip_bomb(500_000_000))


def _cut(path: Path) -> None:
    path.write_bytes(gzip.compress(FEED, mtime=0)[:-5])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (_missing, "cannot be read: No such file"),
        (Path.mkdir, "is a folder"),
        (os.mkfifo, "is a pipe"),
        (_empty, "is empty"),
        (_huge, "holds 2,000,000,000 bytes; split it: at most 50,000,000 are read"),
        (_bomb, "inflates to more than 50,000,000 bytes"),
        (_cut, "is damaged gzip"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_line(
    make: Callable[[Path], None], says: str, tmp_path: Path
) -> None:
    """What, where and the next step; by size before it is read, and without waiting on a pipe."""
    path = tmp_path / "feed.xml"
    make(path)
    with pytest.raises(FetchError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{str(path)!r} {says}")
    assert caught.value.hint
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "place",
    ["/dev/zero", "a\0b", "x" * 5000, "~nobody-of-that-name/feed", "file://elsewhere/feed", "file:", ""],
)
def test_a_place_that_is_no_file_is_one_line(place: str) -> None:
    """Devices, impossible names, other machines."""
    with pytest.raises(FetchError) as caught:
        read_file(place)
    assert caught.value.hint
    assert "\n" not in str(caught.value)


def test_a_file_without_the_right_to_read_it(tmp_path: Path) -> None:
    """The system's reason is given."""
    path = tmp_path / "feed.xml"
    path.write_bytes(FEED)
    path.chmod(0)
    if os.access(path, os.R_OK):
        pytest.skip("root may read every file, so none can be forbidden here; run as another user")
    with pytest.raises(FetchError, match="Permission denied"):
        read_file(path)
