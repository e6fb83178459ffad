"""Two findings that want a directory, a hint or a variable otherwise do not both get their way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.analysis.decision.contradictions import with_settings, without_contradictions
from iotriage.analysis.document import Finding, FindingScope, Said
from iotriage.rules.core.action import (
    EditCode,
    Export,
    FileHint,
    FillIn,
    HintsFile,
    MpiioHint,
    Named,
    Place,
    RunCommand,
    SetHint,
    SetStripe,
    Unset,
)
from iotriage.rules.core.advice import advice, advice_text
from iotriage.rules.core.commands import line

CODE = advice("Call it collectively.", EditCode("MPI_File_write_all();", "call MPI_File_write_all()"))


def stripe(directory: str | Place = "/lus/p/run", count: int | None = None, mib: int | None = None):
    """A striping that wishes for what is given, of files with one stripe of 1 MiB."""
    where = Named(directory) if isinstance(directory, str) else directory
    kept = tuple(name for name, wish in (("count", count), ("size", mib)) if wish is None)
    return advice("Stripe it.", SetStripe(where, count or 1, (mib or 1) * 2**20, kept=kept))


def finding(rule, *given, verdict="triggered"):
    says = Said("It is so.", "In figures.", given, None)
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
        advice=given,
        error=None,
    )


def decided(findings):
    """As a diagnosis does; what each would say is left as its rule gives it."""
    done = without_contradictions(with_settings(findings))
    assert [f.says.advice for f in done] == [f.says.advice for f in findings]
    return tuple(replace(f, says=replace(f.says, settings=())) for f in done)


def test_the_finding_that_is_read_first_keeps_its_line():
    first, second = finding("shared", stripe(count=12)), finding("small", stripe(count=1), CODE)
    kept, other = decided((first, second))
    assert kept == first
    code, reason = other.advice
    assert code == CODE
    assert (reason.command, reason.kind) == (None, "none")
    assert advice_text(reason).startswith("Not advised: lfs setstripe on /lus/p/run, because “Shared” asks for -c 12")
    assert "with -c 1" in advice_text(reason)


@pytest.mark.parametrize(
    "second",
    [
        finding("same", stripe(count=12)),
        finding("elsewhere", stripe("/lus/p/other", count=1)),
        finding("clear", stripe(count=1), verdict="clear"),
        finding("code", CODE),
        finding("quoted", advice("Do it.", RunCommand(("lfs", "setstripe", "-c", "1", "'open")))),
    ],
    ids=lambda f: f.rule,
)
def test_what_does_not_contradict_stays(second):
    first = finding("shared", stripe(count=12))
    assert decided((first, second)) == (first, second)


def test_a_line_with_a_name_that_bash_escapes_is_compared_as_it_stands():
    odd = "/lus/a\nb"
    first, second = finding("a", stripe(odd, count=2)), finding("b", stripe(odd, count=1))
    assert decided((first, replace(second, verdict="clear")))[1].advice == second.advice
    assert decided((first, second))[1].advice[0].command is None


def test_a_count_and_a_size_for_one_directory_become_one_line():
    first, second = (
        finding("count", stripe(FillIn("OUTPUT_DIR", "a folder"), count=-1)),
        finding("size", stripe(FillIn("OUTPUT_DIR", "a folder"), mib=8)),
    )
    kept, other = decided((first, second))
    line = 'lfs setstripe -c -1 -S 8M "${OUTPUT_DIR:?a folder}"'
    assert kept.advice[0].command == line
    assert other.advice[0].command == line


def test_it_gives_way_to_the_finding_that_contradicts_it_and_not_to_one_that_agrees():
    *_, last = decided(
        (finding("size", stripe(mib=8)), finding("count", stripe(count=4)), finding("c", stripe(count=1)))
    )
    assert "“Count” asks for -c 4" in advice_text(last.advice[0])


def test_who_gives_way_takes_nobodys_line():
    one, two, three = finding("a", stripe(count=4)), finding("b", stripe(count=1, mib=8)), finding("c", stripe(mib=1))
    first, second, third = decided((one, two, three))
    assert second.advice[0].command is None
    assert first.advice[0].command == third.advice[0].command == "lfs setstripe -c 4 -S 1M /lus/p/run"


def test_the_same_rule_on_other_files_of_the_directory_gives_way_too():
    one = finding("count", stripe(count=4))
    two = replace(finding("count", stripe(count=1)), scope=FindingScope("group", "g2", "others"))
    first, second = decided((one, two))
    assert (first.advice[0].command, second.advice[0].command) == ("lfs setstripe -c 4 -S 1M /lus/p/run", None)


def test_who_comes_later_and_disagrees_adds_nothing():
    first, second = finding("count", stripe(count=-1)), finding("other", stripe(count=1, mib=8))
    kept, other = decided((first, second))
    assert kept == first
    assert "-c 1 -S 8M" in advice_text(other.advice[-1])


def hint(*pairs, pattern="*out.dat", through=None):
    return advice("Set it.", SetHint(pattern, tuple(MpiioHint(*pair) for pair in pairs), through))


WRITE, READ, OFF = ("romio_cb_write", "enable"), ("romio_cb_read", "enable"), ("romio_cb_write", "disable")


def test_hints_of_two_findings_for_files_of_one_name_are_one_variable():
    kept, other = decided((finding("a", hint(WRITE)), finding("b", hint(WRITE, READ, ("cb_nodes", "8")))))
    assert kept.advice[0].command == (
        'export MPICH_MPIIO_HINTS="*out.dat:romio_cb_write=enable:romio_cb_read=enable:cb_nodes=8"'
    )
    assert other.advice[0].command == kept.advice[0].command


def test_hints_for_files_of_another_name_are_one_variable_and_those_of_the_program_stay():
    others = (hint(OFF, pattern="*log"), hint(READ, through="MPI-IO"))
    first, second = decided((finding("a", hint(WRITE)), finding("b", *others)))
    assert first.advice[0].command == (
        'export MPICH_MPIIO_HINTS="*out.dat:romio_cb_write=enable,*log:romio_cb_write=disable"'
    )
    assert second.advice[0].command == (
        'export MPICH_MPIIO_HINTS="*log:romio_cb_write=disable,*out.dat:romio_cb_write=enable"'
    )
    assert second.advice[1] == others[1]


def test_the_hints_that_the_job_has_stay_beside_those_that_are_asked_for():
    has = (FileHint("*", "cb_nodes", "8"), FileHint("*out.dat", "romio_cb_write", "disable"))
    asked = advice("Set it.", SetHint("*out.dat", (MpiioHint(*WRITE),), None, has))
    (kept,) = decided((finding("a", asked),))
    assert kept.advice[0].command == 'export MPICH_MPIIO_HINTS="*:cb_nodes=8,*out.dat:romio_cb_write=enable"'
    everywhere = SetHint("*", (MpiioHint(*WRITE),), None, has)
    assert line(everywhere) == 'export MPICH_MPIIO_HINTS="*:cb_nodes=8:romio_cb_write=enable"'


def test_two_values_of_one_hint_contradict_in_the_script_and_in_the_program():
    first = finding("on", hint(WRITE, READ), hint(WRITE, READ, through="HDF5"))
    kept, other = decided((first, finding("off", hint(OFF), CODE, hint(OFF, through="HDF5"))))
    assert kept == first
    code, reason = other.advice
    assert code == CODE
    assert (reason.command, reason.fortran, reason.kind) == (None, None, "none")
    assert advice_text(reason) == (
        "Not advised: romio_cb_write=disable for *out.dat, because “On” asks for romio_cb_write=enable and "
        "romio_cb_read=enable for files of this name, and a hint has one value; try one after the other."
    )


def test_a_second_way_of_a_finding_is_nobody_elses():
    ways = finding("ways", hint(("cray_cb_write_lock_mode", "2")), hint(("cray_cb_write_lock_mode", "1"), READ))
    first, second = decided((ways, finding("b", hint(WRITE))))
    assert second.advice[0].command == (
        'export MPICH_MPIIO_HINTS="*out.dat:romio_cb_write=enable:cray_cb_write_lock_mode=2"'
    )
    assert [a.command for a in first.advice] == [
        'export MPICH_MPIIO_HINTS="*out.dat:cray_cb_write_lock_mode=2:romio_cb_write=enable"',
        'export MPICH_MPIIO_HINTS="*out.dat:cray_cb_write_lock_mode=1:romio_cb_read=enable:romio_cb_write=enable"',
    ]


def test_a_variable_has_one_value():
    first, same = finding("a", advice("Set.", Export("X", "1"))), finding("b", advice("Set.", Export("X", "1")))
    assert decided((first, same)) == (first, same)
    _, unset = decided((first, finding("c", advice("Drop it.", Unset("X")))))
    assert (
        advice_text(unset.advice[0])
        == "Not advised: unset X, because “A” asks for export X=1 and a variable has one value."
    )


def test_what_stands_beside_the_hints_in_one_piece_of_advice_stays_there():
    shown = advice("Look.", Export("A", "1"), SetHint("*out.dat", (MpiioHint(*READ),)), Export("B", "2"))
    _, other = decided((finding("a", hint(WRITE)), finding("b", shown)))
    assert other.advice[0].command == (
        'export A=1\nexport MPICH_MPIIO_HINTS="*out.dat:romio_cb_read=enable:romio_cb_write=enable"\nexport B=2'
    )


def test_advice_that_gives_way_in_one_thing_sets_nothing():
    two = advice("Set both.", Export("X", "2"), Export("Y", "2"))
    findings = (finding("a", advice("Set.", Export("X", "1"))), finding("b", two))
    *_, last = decided((*findings, finding("c", advice("Set.", Export("Y", "3")))))
    assert last.advice[0].command == "export Y=3"


def test_a_count_that_is_only_kept_gives_way_to_one_that_is_asked_for():
    kept, other = decided((finding("size", stripe(mib=8)), finding("count", stripe(count=4))))
    assert kept.advice[0].command == other.advice[0].command == "lfs setstripe -c 4 -S 8M /lus/p/run"


def test_what_several_findings_advise_in_the_same_words_is_said_once_by_the_first():
    pack = advice("Pack the files.", RunCommand(("tar", "-cf", "files.tar", ".")))
    elsewhere = replace(finding("small", pack), scope=FindingScope("group", "g2", "other files"))
    first, same_rule, other = decided((finding("small", pack), elsewhere, finding("many", CODE, pack)))
    assert (first.advice, same_rule.advice) == ((pack,), (pack,))
    kept, left = other.advice
    assert kept == CODE
    assert (left.text, left.command) == ("the same a second time", None)
    assert advice_text(left) == "Not advised: the same a second time, because “Small” advises it already."


def test_it_is_said_where_the_first_finding_does_not_hold():
    pack = advice("Pack the files.")
    _, other = decided((finding("small", pack, verdict="clear"), finding("many", pack)))
    assert other.advice == (pack,)


def test_hints_in_a_text_of_their_own_are_one_text_whoever_asks_for_them():
    def asks(*pairs):
        return advice("Set it.", HintsFile(tuple(MpiioHint(key, value) for key, value in pairs)))

    first, second, third = decided(
        (
            finding("many", asks(("cb_nodes", "8"))),
            finding("buffered", asks(("romio_cb_write", "enable"))),
            finding("few", asks(("cb_nodes", "2"))),
        )
    )
    lines = {"'cb_nodes 8'", "'romio_cb_write enable'"}
    for one in (first, second):
        command = one.advice[0].command or ""
        assert command.endswith(
            ' > romio-hints.$$ && mv romio-hints.$$ romio-hints\nexport ROMIO_HINTS="$PWD/romio-hints"'
        )
        assert all(line in command for line in lines)
    assert "Not advised: cb_nodes=2, because “Many” asks for 'cb_nodes 8'" in advice_text(third.advice[0])


def test_what_gives_way_twice_for_one_reason_is_said_once():
    packed, read = advice("Pack them."), advice("Read fewer.")
    first, second = finding("many", packed, read), finding("meta", packed, read)
    assert [advice_text(one) for one in decided((first, second))[1].advice] == [
        "Not advised: the same a second time, because “Many” advises it already."
    ]
