"""Dates and names out of the strings that sources put them in."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digests.formats._dates import iso
from digests.formats._people import people


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("Tue, 04 Mar 2025 00:00:00 GMT", "2025-03-04"),
        ("2017-06-02T22:05:47-07:00", "2017-06-02"),
        ("2021-11-24T02:34:50+0900", "2021-11-24"),
        ("2021/10/16 9:23:28", "2021-10-16"),
        ("20250304", "2025-03-04"),
        ("2025/03/04/", "2025-03-04"),
        ("2014//", "2014"),
        ("2018 Apr", "2018-04"),
        ("2018 Nov-Dec", "2018-11"),
        ("1998 Dec-1999 Jan", "1998-12"),
        ("2009 Spring", "2009"),
        ("March 4th, 2025", "2025-03-04"),
        ("June 2019", "2019-06"),
        ("4 Mar 25", "2025-03-04"),
        ("1652340600", "2022-05-12"),
        ("1720600000000", "2024-07-10"),
        ("2021.0", "2021"),
        ("2999-01-01", "2999-01-01"),
        ("2024-02-30", ""),
        ("Sun, 30 Feb 2031 09:30:00 GMT", ""),
        ("2024-13", ""),
        ("16/10/2021", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_date_is_as_exact_as_it_is_written(said: str, date: str) -> None:
    """Nothing is invented; what no calendar has is no date."""
    assert iso(said) == date


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("Noor, Omar; Pia, Quin", ("Omar Noor", "Quin Pia")),
        ("A|B C|D", ("A", "B C", "D")),
        ("A. Li (MIT, USA), B. Qu (1 and 2) and C. Xu ((1) Here, (2) There)", ("A. Li", "B. Qu", "C. Xu")),
        ("Zed, Abe and Yale, Bo", ("Abe Zed", "Bo Yale")),
        ("Ana Ost, Ben Poll, and Cem Quay", ("Ana Ost", "Ben Poll", "Cem Quay")),
        ("Ana Ost,\nBen Poll", ("Ana Ost", "Ben Poll")),
        ("Abbas, C. C., Schmid, J. P.", ("C. C. Abbas", "J. P. Schmid")),
        ("Sankar, Martial", ("Martial Sankar",)),
        ("Martin Luther King, Jr., Ana Ost, PhD", ("Martin Luther King Jr.", "Ana Ost")),
        ("King, Jr., Martin; Ost, Ana", ("Martin King Jr.", "Ana Ost")),
        ("desk@example.org (Eve Sand)", ("Eve Sand",)),
        ('<a href="x">Ana Ost</a> (for the HERON Collaboration)', ("Ana Ost",)),
        ("朱弘；库伟鹏、戎建涛", ("朱弘", "库伟鹏、戎建涛")),
        ('K\\"ahler, A. and Erd\\H{o}s, P.', ('A. K\\"ahler', "P. Erd\\H{o}s")),
        ("", ()),
        (" ; ", ()),
    ],
)
def test_names_are_told_apart(said: str, names: tuple[str, ...]) -> None:
    """One string of authors gives the people in it, given names first."""
    assert people(said) == names


@given(st.text(max_size=200))
def test_any_string_gives_names_or_none(said: str) -> None:
    """No string of authors is an error, and no name is empty."""
    assert all(name.strip() for name in people(said))


@given(
    st.text(max_size=40) | st.from_regex(r"\d{1,5}[-/. ]\d{0,3}[-/. ]?[A-Za-z]{0,4}\d{0,5}", fullmatch=True)
)
def test_any_string_gives_a_date_or_none(said: str) -> None:
    """What comes out is an ISO date of one of three lengths."""
    assert len(iso(said)) in (0, 4, 7, 10)
