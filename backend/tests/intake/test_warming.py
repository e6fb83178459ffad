"""The made-up case is answered before any other; where it is not, all others still are."""

from __future__ import annotations

from iotriage.intake import warming
from iotriage_parsers.evidence import Evidence


def test_the_made_up_case_is_answered(capfd) -> None:
    warming.warm_up()
    assert capfd.readouterr().err == ""


def test_a_formula_that_fails_on_the_made_up_case_ends_no_other(monkeypatch, capfd) -> None:
    def failing() -> Evidence:
        raise ZeroDivisionError("in a formula")

    monkeypatch.setattr(warming, "synthetic_evidence", failing)
    warming.warm_up()
    assert "ZeroDivisionError: in a formula" in capfd.readouterr().err
