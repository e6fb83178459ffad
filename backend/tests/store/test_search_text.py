"""The words by which entries are found."""

from __future__ import annotations

import pytest

from iotriage.store.search_text import words_of


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("№5 IOR™", ["no5", "iortm"]),
        ("𝐀𝐁c ℡", ["abc", "tel"]),
        ("İzmir STRAẞE ﬁle", ["izmir", "strasse", "file"]),
        ("Müller, MU\u0308LLER", ["muller", "muller"]),
    ],
)
def test_words_are_in_lower_case_whatever_letters_they_are_made_of(written: str, words: list[str]) -> None:
    """PostgreSQL keeps the case of what it is given, where SQLite does not."""
    assert list(words_of(written)) == words
