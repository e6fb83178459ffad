"""Lines of code that advice has: what every compiler takes."""

from __future__ import annotations

import re

import pytest

from iotriage.rules.advice import calls, snippets
from iotriage.rules.core.action import EditCode

OF_THE_STANDARD = {
    *("access", "action", "asynchronous", "blank", "decimal", "delim", "encoding", "err", "file", "form", "iomsg"),
    *("iostat", "newunit", "pad", "position", "recl", "round", "sign", "status", "unit"),
}
"""Specifiers of OPEN in Fortran 2018; compilers refuse those of others."""


def fortran_of(found: object) -> list[str]:
    if isinstance(found, EditCode):
        return [found.fortran]
    values = found.values() if isinstance(found, dict) else found if isinstance(found, tuple | list) else ()
    return [code for value in values for code in fortran_of(value)]


CODE = [code for module in (snippets, calls) for found in vars(module).values() for code in fortran_of(found)]
OPENS = sorted(
    {line.partition("!")[0].strip() for code in CODE for line in code.splitlines() if line.startswith("open(")}
)


@pytest.mark.parametrize("line", OPENS)
def test_fortran_opens_a_file_as_the_standard_has_it(line: str) -> None:
    assert set(re.findall(r"(\w+)=", line)) <= OF_THE_STANDARD
