"""Tests of authors' names: who may be one person."""

import string

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from digests.author import same_author


@pytest.mark.parametrize(
    ("asked", "name", "same"),
    [
        ("Yann LeCun", "Yann LeCun", True),
        ("Yann LeCun", "Y. LeCun", True),
        ("Yann LeCun", "LeCun, Yann", True),
        ("Yann LeCun", "LeCun Y", True),
        ("Yann LeCun", "LeCun YA", True),
        ("Yann LeCun", "Yann A. Lecun", True),
        ("Yann LeCun", "LeCun Yann", True),
        ("Yann LeCun", "Yves LeCun", False),
        ("Yann LeCun", "L. Yann", False),
        ("Yann LeCun", "Yann Martin", False),
        ("Y. LeCun", "Yann LeCun", True),
        ("LeCun", "Yann LeCun", True),
        ("LeCun", "Lecunx, Y.", False),
        ("Bernhard Schölkopf", "B. Scholkopf", True),
        ("Laurens van der Maaten", "van der Maaten, L.J.P.", True),
        ("van der Maaten", "Laurens van der Maaten", True),
        ("Fei-Fei Li", "Li Fei-Fei", True),
        ("Fei-Fei Li", "Feifei Li", True),
        ("Fei-Fei Li", "F. Li", True),
        ("Wei Zhang", "Zhang Wei", True),
        ("Wei Zhang", "Wen Zhang", False),
        ("John A. Smith", "John B. Smith", False),
        ("John Smith", "John B. Smith", True),
        ("García Márquez", "Gabriel Garcia Marquez", True),
        ("Quoc Le", "Quoc V. Le", True),
        ("李明", "李明", True),
        ("李明", "李华", False),
        ("Yann LeCun", "", False),
    ],
)
def test_authors_are_matched_sensibly(asked: str, name: str, same: bool) -> None:
    """Initials, accents, order and missing middle names do not matter; another given name does."""
    assert same_author(asked, name) is same


@given(st.text(alphabet=string.ascii_letters + " .,-'é李", max_size=20))
def test_a_name_is_its_own_author(name: str) -> None:
    """A name of which anything is left is the same author as itself."""
    assume(any(map(str.isalnum, name)))
    assert same_author(name, name)
