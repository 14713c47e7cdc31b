"""Records of tagged lines, as RIS and MEDLINE write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from digests.decoding import split

_LONGEST = 50_000


@dataclass(slots=True)
class Record:
    """One record while it is read: the number of its first line, and its values by their tags."""

    line: int
    values: dict[str, list[str]] = field(default_factory=dict)

    def add(self, tag: str, value: str) -> None:
        """One more value of the tag."""
        self.values.setdefault(tag, []).append(value)

    def extend(self, tag: str, value: str) -> None:
        """A further line of the tag's last value."""
        if len(self.values[tag][-1]) < _LONGEST:
            self.values[tag][-1] = f"{self.values[tag][-1]}\n{value}".strip()

    def first(self, *tags: str) -> str:
        """The first value that is not empty under these tags."""
        return next((value for tag in tags for value in self.values.get(tag, ()) if value), "")

    def every(self, *tags: str) -> tuple[str, ...]:
        """All values under the first of these tags that has one."""
        return next((tuple(filter(None, self.values[tag])) for tag in tags if tag in self.values), ())


def records(text: str, tagged: re.Pattern[str], start: str, end: str = "") -> Iterator[Record]:
    """The records of a text whose lines match `tagged` (tag, value); each begins with the tag `start`.

    Lines without a tag continue the value above.  Behind the tag `end` they belong to nobody, and tagged ones
    still to the record that ended: some providers write an abstract there.
    """
    record: Record | None = None
    last, ended = "", False
    for number, line in enumerate(split(text), start=1):
        if not (found := tagged.match(line)):
            if record and last and line.strip():
                record.extend(last, line.strip())
            elif ended:
                last = ""
            continue
        tag, value = found[1], found[2].strip()
        if tag == start:
            if record:
                yield record
            record, ended = Record(number), False
        if record:
            ended = ended or tag == end
            last = "" if tag == end else tag
            record.add(tag, value)
    if record:
        yield record
