"""Two findings that would stripe one directory otherwise do not both get their way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.analysis.condition import evaluate
from iotriage.analysis.contradictions import without_contradictions
from iotriage.analysis.document import Finding, FindingScope, WouldSay
from iotriage.rules.rule import Advice
from iotriage.rules.walk import ALWAYS

CODE = Advice("Call it collectively.", "MPI_File_write_all();", "code")


def stripe(options, directory="/lus/p/run"):
    return Advice("Stripe it.", f"lfs setstripe {options} {directory}", "shell")


def finding(rule, *advice, verdict="triggered"):
    always = evaluate(ALWAYS, {}, {})
    says = WouldSay("It is so.", "In figures.", advice, None)
    return Finding(
        rule=rule,
        title=rule.title(),
        verdict=verdict,
        severity="medium",
        confidence="measured",
        scope=FindingScope("group", "g1", "files"),
        condition=always,
        impact=None,
        headline="It is so.",
        summary="In figures.",
        advice=advice,
        citations=(),
        locators=(),
        explained_by=None,
        requires=always,
        supports=(),
        matters=None,
        base_severity="medium",
        explains=(),
        priority=1,
        leads=False,
        clear_title="It is not so",
        settle=(),
        would_say=says,
        error=None,
    )


def test_the_finding_that_is_read_first_keeps_its_line():
    first, second = finding("shared", stripe("-c 12")), finding("small", stripe("-c 1"), CODE)
    kept, other = without_contradictions((first, second))
    assert kept == first
    code, reason = other.advice
    assert code == CODE
    assert (reason.command, reason.kind) == (None, "none")
    assert reason.text.startswith("Withheld: lfs setstripe on /lus/p/run, for “Shared” asks for -c 12")
    assert "with -c 1" in reason.text
    assert other.would_say is not None
    assert other.would_say.advice == other.advice


@pytest.mark.parametrize(
    "second",
    [
        finding("same", stripe("-c 12")),
        finding("elsewhere", stripe("-c 1", "/lus/p/other")),
        finding("clear", stripe("-c 1"), verdict="clear"),
        finding("code", CODE),
        finding("quoted", Advice("Do it.", "lfs setstripe -c 1 'open", "shell")),
    ],
    ids=lambda f: f.rule,
)
def test_what_does_not_contradict_stays(second):
    first = finding("shared", stripe("-c 12"))
    assert without_contradictions((first, second)) == (first, second)


def test_a_line_with_a_name_that_bash_escapes_is_compared_as_it_stands():
    odd = "$'/lus/a\\x0ab'"
    first, second = finding("a", stripe("-c 2", odd)), finding("b", stripe("-c 1", odd))
    assert without_contradictions((first, replace(second, verdict="clear")))[1].advice == second.advice
    assert without_contradictions((first, second))[1].advice[0].command is None


def test_a_count_and_a_size_for_one_directory_become_one_line():
    first, second = (
        finding("count", stripe("-c -1", '"$OUTPUT DIR"')),
        finding("size", stripe("-S 8M", '"$OUTPUT DIR"')),
    )
    kept, other = without_contradictions((first, second))
    line = 'lfs setstripe -c -1 -S 8M "$OUTPUT DIR"'
    assert kept.advice[0].command == line
    assert other.advice[0].command == line
    assert kept.would_say.advice == kept.advice


def test_who_comes_later_and_disagrees_adds_nothing():
    first, second = finding("count", stripe("-c -1")), finding("other", stripe("-c 1 -S 8M"))
    kept, other = without_contradictions((first, second))
    assert kept == first
    assert "-c 1 -S 8M" in other.advice[-1].text
