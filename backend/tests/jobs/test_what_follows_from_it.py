"""What a cause explains on the same files has seconds of its own: the cure wins both, and a reader is told both."""

from __future__ import annotations

import pytest
from described import KIB, Part, Work, document, own, uneven

from iotriage.analysis.decision.following import seconds_lost
from iotriage.reports.plain_text import as_plain_text
from iotriage.reports.terminal import as_text
from iotriage.rules.core.words import seconds


def pieces(in_order: float, beside: tuple[Part, ...] = ()) -> Work:
    """Pieces of 2 KiB in own files, of which so many go on where the last ended."""
    part = Part(
        "/scratch/w/o.{}", range(64), writes=40_000, size=2 * KIB, write_s=uneven(64, 100), in_order=in_order,
        osts=own(64),
    )  # fmt: skip
    return Work((part, *beside), nprocs=64, runtime_s=600 if beside else 300, nodes=2)


@pytest.mark.parametrize(("in_order", "said"), [(0.5, True), (0.4, True), (0.05, False), (0.9, False)])
def test_the_sentence_on_top_has_what_the_cause_explains_beside_what_it_takes(in_order: float, said: bool) -> None:
    found = document(pieces(in_order))
    assert found.headline.rule == ("random-access" if in_order < 0.6 else "small-io")
    figure = found.headline.figure or ""
    assert ("and what follows from it" in figure) is said
    follow = sum(f.takes_s or 0.0 for f in found.findings if f.explained_by == "random-access")
    assert not said or f"{seconds(follow)} more." in figure
    first = next(f for f in found.findings if f.rule == found.headline.rule and f.explained_by is None)
    lost, takes = seconds_lost(first, found.findings), first.takes_s
    assert takes is not None
    assert lost == pytest.approx(takes + follow)
    account = found.account
    assert account is not None
    named = follow + sum(f.takes_s or 0.0 for f in found.findings if f.verdict == "triggered" and not f.explained_by)
    assert named == pytest.approx(account.cells.writes, rel=0.01)


def test_what_its_symptom_causes_in_other_files_is_another_matter() -> None:
    log = Part(
        "/scratch/w/log.txt", range(64), writes=40_000, size=3 * KIB, write_s=uneven(64, 300), in_order=0.4,
        aligned=False,
    )  # fmt: skip
    found = document(pieces(0.4, (log,)))
    rules = {(f.rule, f.explained_by) for f in found.findings if f.verdict == "triggered"}
    assert {("random-access", "shared-log"), ("random-access", None), ("small-io", "random-access")} <= rules
    assert found.headline.rule == "shared-log"
    assert "and what follows from it" not in (found.headline.figure or "")


def test_reports_say_it_of_each_that_is_explained() -> None:
    found = document(pieces(0.5))
    follow = sum(f.takes_s or 0.0 for f in found.findings if f.explained_by == "random-access")
    assert f"(small-io), which takes {seconds(follow)} more" in " ".join(as_text(found).split())
    assert f"({seconds(follow)} more)" in " ".join(as_plain_text(found).split())
