"""Two findings that would stripe one directory otherwise do not both get their way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.analysis.contradictions import with_stripings, without_contradictions
from iotriage.analysis.document import Finding, FindingScope, Said
from iotriage.rules.core.rule import Advice

CODE = Advice("Call it collectively.", "MPI_File_write_all();", "code")


def stripe(options, directory="/lus/p/run"):
    return Advice("Stripe it.", f"lfs setstripe {options} {directory}", "shell")


def finding(rule, *advice, verdict="triggered"):
    says = Said("It is so.", "In figures.", advice, None)
    return Finding(
        rule=rule,
        title=rule.title(),
        clear_title="It is not so",
        verdict=verdict,
        severity="medium",
        confidence="measured",
        scope=FindingScope("group", "g1", "files"),
        explained_by=None,
        priority=1,
        weighed=True,
        says=says,
        advice=advice,
        reason=None,
        error=None,
    )


def decided(findings):
    """As a diagnosis does; what each would say is left as its rule gives it."""
    done = without_contradictions(with_stripings(findings))
    assert [f.says.advice for f in done] == [f.says.advice for f in findings]
    return tuple(replace(f, says=replace(f.says, stripings=())) for f in done)


def test_the_finding_that_is_read_first_keeps_its_line():
    first, second = finding("shared", stripe("-c 12")), finding("small", stripe("-c 1"), CODE)
    kept, other = decided((first, second))
    assert kept == first
    code, reason = other.advice
    assert code == CODE
    assert (reason.command, reason.kind) == (None, "none")
    assert reason.text.startswith("Withheld: lfs setstripe on /lus/p/run, for “Shared” asks for -c 12")
    assert "with -c 1" in reason.text


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
    assert decided((first, second)) == (first, second)


def test_a_line_with_a_name_that_bash_escapes_is_compared_as_it_stands():
    odd = "$'/lus/a\\x0ab'"
    first, second = finding("a", stripe("-c 2", odd)), finding("b", stripe("-c 1", odd))
    assert decided((first, replace(second, verdict="clear")))[1].advice == second.advice
    assert decided((first, second))[1].advice[0].command is None


def test_a_count_and_a_size_for_one_directory_become_one_line():
    first, second = (
        finding("count", stripe("-c -1", '"$OUTPUT DIR"')),
        finding("size", stripe("-S 8M", '"$OUTPUT DIR"')),
    )
    kept, other = decided((first, second))
    line = 'lfs setstripe -c -1 -S 8M "$OUTPUT DIR"'
    assert kept.advice[0].command == line
    assert other.advice[0].command == line


def test_it_gives_way_to_the_finding_that_contradicts_it_and_not_to_one_that_agrees():
    *_, last = decided(
        (finding("size", stripe("-S 8M")), finding("count", stripe("-c 4")), finding("c", stripe("-c 1")))
    )
    assert "“Count” asks for -c 4" in last.advice[0].text


def test_who_gives_way_takes_nobodys_line():
    one, two, three = finding("a", stripe("-c 4")), finding("b", stripe("-c 1 -S 8M")), finding("c", stripe("-S 1M"))
    first, second, third = decided((one, two, three))
    assert second.advice[0].command is None
    assert first.advice[0].command == third.advice[0].command == "lfs setstripe -c 4 -S 1M /lus/p/run"


def test_the_same_rule_on_other_files_of_the_directory_gives_way_too():
    one = finding("count", stripe("-c 4"))
    two = replace(finding("count", stripe("-c 1")), scope=FindingScope("group", "g2", "others"))
    first, second = decided((one, two))
    assert (first.advice[0].command, second.advice[0].command) == ("lfs setstripe -c 4 /lus/p/run", None)


def test_who_comes_later_and_disagrees_adds_nothing():
    first, second = finding("count", stripe("-c -1")), finding("other", stripe("-c 1 -S 8M"))
    kept, other = decided((first, second))
    assert kept == first
    assert "-c 1 -S 8M" in other.advice[-1].text
