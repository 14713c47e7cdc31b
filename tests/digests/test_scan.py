"""What `scan` promises: what `finditer` finds, for patterns that begin with one of a few texts."""

import re

from hypothesis import given
from hypothesis import strategies as st

from digests.scan import scan

PATTERN = re.compile(r"(?:\((?<!\w.)[^()]{1,4}\)|ab|aba|\.++(?! ))")


@given(st.lists(st.sampled_from(["(", ")", "a", "b", ".", " ", "xy"]), max_size=30).map("".join))
def test_it_finds_what_the_pattern_finds(text: str) -> None:
    """The same matches in the same order, none within another, whatever order the beginnings have."""
    found = [match.span() for match in scan(PATTERN, text, ("a", "(", "."))]
    assert found == [match.span() for match in PATTERN.finditer(text)]
