"""The library's version and settings."""

from __future__ import annotations

import io

import pytest
from stats_text import REPOSITORY, block, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import Failure, Lines, MpichEnvironment, MpiioStats
from iotriage_parsers.readers.mpich_environment import MOST_RUNS, stats_2_note

SAMPLES = REPOSITORY / "sample-logs"
BANNER = (
    "MPI VERSION    : CRAY MPICH version {} (ANL base 3.4a2)\nMPI BUILD INFO : Sun Feb 26 16:42 2023 (git hash a)\n"
)


def runs(text: str | bytes) -> tuple[MpichEnvironment, ...]:
    return read(text).of(MpichEnvironment)


def sample(path: str) -> MpichEnvironment:
    (file,) = (SAMPLES / path).glob("*.txt")
    (found,) = runs(file.read_bytes())
    return found


def display(*settings: tuple[str, str], title: str = "MPICH MPIIO environment settings") -> str:
    return f"PE 0: {title} ====\n" + "".join(f"PE 0:   {k:<46} = {v}\n" for k, v in settings)


def value(run: MpichEnvironment, name: str) -> str | None:
    setting = run.setting(name)
    return None if setting is None else setting.value


def test_the_older_form() -> None:
    found = sample("mpich_environment/display-stats-off")
    assert (len(found.settings), found.lines, found.complete, found.rank, found.displays) == (
        15,
        Lines(9, 27),
        True,
        0,
        1,
    )
    assert [(s.title, s.line) for s in found.sections] == [
        ("MPICH environment settings", 9),
        ("MPICH MPIIO environment settings", 16),
        ("MPICH MPIIO statistics environment settings", 23),
    ]
    assert [(v.source, v.version, v.line) for v in found.versions] == [("module", "7.7.16", 2), ("banner", "7.7.16", 7)]
    assert found.version is not None
    assert found.version.base == "ANL base 3.2"
    assert (value(found, "MPICH_MPIIO_STATS"), value(found, "MPICH_MPIIO_STATS_FILE")) == ("0", "")
    assert value(found, "MPICH_MPIIO_HINTS") == "*.chk:romio_cb_write=enable:striping_factor=24"
    assert value(found, "MPICH_MPIIO_DVS_MAXNODES") == "14"
    assert value(found, "MPICH_MPIIO_CB_ALIGN_2") is None


def test_the_later_form() -> None:
    found = sample("mpich_hints/plume-ssf")
    assert (len(found.sections), len(found.settings), found.lines) == (6, 27, Lines(17, 52))
    assert (found.processor, found.processor_line) == ("AMD Rome (23:49:0) (family:model:stepping)", 18)
    assert found.notes == ("rank 0 required = funneled, was provided = funneled",)
    assert value(found, "MPICH_ALLTOALL_SHORT_MSG") == "64-512"
    assert value(found, "MPICH_REDUCE_SCATTER_COMMUTATIVE_LONG_MSG_SIZE") == "524288"
    assert value(found, "MPICH_OFI_NIC_MAPPING") == "NULL"
    assert found.version is not None
    assert (found.version.version, found.version.source) == ("8.1.23.11", "banner")


def test_files_of_stats_2_are_said_not_to_be_read() -> None:
    evidence = read((SAMPLES / "mpich_environment/stats-2-files/delta-7401155.err.txt").read_bytes())
    assert codes(evidence) == ["note"]
    assert "those files are not read" in message(evidence, "note")
    assert evidence.problems[0].line == 9


@pytest.mark.parametrize(
    ("line", "set_to_2"),
    [
        ("export MPICH_MPIIO_STATS=2", True),
        ("setenv MPICH_MPIIO_STATS 2", True),
        ('export MPICH_MPIIO_STATS="2"', True),
        ("PE 0:   MPICH_MPIIO_STATS      = 2", True),
        ("# export MPICH_MPIIO_STATS=2", False),
        ("export MPICH_MPIIO_STATS=1", False),
        ("export MPICH_MPIIO_STATS=20", False),
        ("export MPICH_MPIIO_STATS_FILE=2", False),
    ],
)
def test_what_sets_stats_2(line: str, set_to_2: bool) -> None:
    assert (stats_2_note(line, 1) is not None) == set_to_2


def test_the_note_comes_beside_other_evidence_too() -> None:
    evidence = read("+ MPICH_MPIIO_STATS=2 srun ./a\n" + block())
    assert [(p.code, p.line) for p in evidence.problems] == [("note", 1)]
    shown = read(display(("MPICH_MPIIO_STATS", "2")))
    assert [(p.code, p.line) for p in shown.problems] == [("note", 2)]


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("  1) cce/14.0.2   2) cray-mpich/8.1.17   3) xpmem/2.4\n", "8.1.17"),
        ("cray-mpich/8.1.25\n", "8.1.25"),
        ("  1) cray-mpich/8.1.17 => cray-mpich/8.1.25\n", "8.1.25"),
        ("   cray-mpich/8.1.17    cray-mpich/8.1.25 (L,D)\n", "8.1.25"),
        ("   cray-mpich/8.1.17    cray-mpich/8.1.25\n", None),
        ("-L/opt/cray/pe/modulefiles/cray-mpich/8.1.25.lua\n", None),
        ("cray-mpich/default\n", None),
        ("my-cray-mpich/8.1.25\n", None),
    ],
)
def test_the_version_of_a_module(text: str, version: str | None) -> None:
    assert [r.version.version for r in runs(text + block()) if r.version] == ([version] if version else [])


def test_a_module_alone_is_no_evidence() -> None:
    answer = detect.read(io.BytesIO(b"  1) cray-mpich/8.1.25\nstep 1\n"))
    assert isinstance(answer, Failure)
    assert "Darshan log" in answer.next_step


def test_a_module_and_its_banner_are_one_run_others_are_not() -> None:
    (one,) = runs("cray-mpich/8.1.25\n" + BANNER.format("8.1.25.17"))
    assert [v.version for v in one.versions] == ["8.1.25", "8.1.25.17"]
    two = runs("cray-mpich/8.1.2\n" + BANNER.format("8.1.25.17"))
    assert [r.version.version for r in two if r.version] == ["8.1.2", "8.1.25.17"]


def test_the_same_display_twice_is_counted() -> None:
    text = display(("MPICH_MPIIO_STATS", "0"), ("MPICH_MPIIO_TIMERS", "0"))
    (found,) = runs(text + "step 1\n" * 50 + text)
    assert (found.displays, found.lines) == (2, Lines(1, 3))
    assert len(runs(text + "step 1\n" * 50 + text.replace("= 0", "= 1"))) == 2


def test_a_display_without_its_first_lines_is_partial() -> None:
    evidence = read("PE 0:   MPICH_MPIIO_CB_ALIGN      = 2\n" + display(("MPICH_MPIIO_STATS", "0")))
    (found,) = evidence.of(MpichEnvironment)
    assert (found.complete, len(found.settings), evidence.status) == (False, 2, "partial")


def test_a_cut_value_is_left_out() -> None:
    evidence = read(display(("MPICH_MPIIO_CB_ALIGN", "2"), ("MPICH_MPIIO_DVS_MAXNODES", "14"))[:-2])
    (found,) = evidence.of(MpichEnvironment)
    assert (value(found, "MPICH_MPIIO_CB_ALIGN"), value(found, "MPICH_MPIIO_DVS_MAXNODES")) == ("2", None)
    assert evidence.status == "partial"


@pytest.mark.parametrize("width", [80, 72])
def test_a_value_that_goes_on_on_the_next_line_is_left_out(width: int) -> None:
    """A terminal breaks it at its width, a mail program at the blank before it."""
    hints = "*.chk:romio_cb_write=enable:striping_factor=24"
    text = display(("MPICH_MPIIO_HINTS", hints), ("MPICH_MPIIO_CB_ALIGN", "2"))
    at = text.index(hints) if width == 72 else text.index("\n") + 1 + width
    evidence = read(f"{text[:at].rstrip()}\n{text[at:]}")
    (found,) = evidence.of(MpichEnvironment)
    assert (value(found, "MPICH_MPIIO_HINTS"), value(found, "MPICH_MPIIO_CB_ALIGN")) == (None, "2")
    assert evidence.status == "partial"
    assert value(read(f"{text}done\n").of(MpichEnvironment)[0], "MPICH_MPIIO_CB_ALIGN") == "2"


@pytest.mark.parametrize("below", ["=" * 40, "Starting:", "nid001:", "step: 1"])
def test_a_setting_that_is_empty_is_so_above_what_is_no_value(below: str) -> None:
    evidence = read(f"{display(('MPICH_MPIIO_STATS', '1'), ('MPICH_MPIIO_HINTS', ''))}{below}\n")
    assert value(evidence.of(MpichEnvironment)[0], "MPICH_MPIIO_HINTS") == ""
    assert evidence.status == "complete"


@pytest.mark.parametrize(("value", "words"), [("0", "were not switched on"), ("1", "though MPICH_MPIIO_STATS is set")])
def test_settings_alone_say_why_there_are_no_statistics(value: str, words: str) -> None:
    assert words in message(read(display(("MPICH_MPIIO_STATS", value))), "note")


def test_settings_beside_statistics_need_no_word() -> None:
    evidence = read(display(("MPICH_MPIIO_STATS", "1")) + block())
    assert (evidence.reader, len(evidence.of(MpiioStats)), evidence.problems) == ("mpich_stats", 1, ())


def test_versions_without_end_are_bounded() -> None:
    evidence = read("".join(BANNER.format(f"8.{n}.1") for n in range(MOST_RUNS + 50)))
    assert len(evidence.of(MpichEnvironment)) == MOST_RUNS
    assert "limit" in codes(evidence)


def test_a_display_whose_blanks_a_ticket_system_made_one() -> None:
    text = display(("MPICH_MPIIO_STATS", "0"), ("MPICH_MPIIO_HINTS", "*:cb_nodes=4"))
    (found,) = runs("\n".join(" ".join(line.split()) for line in text.splitlines()) + "\n")
    assert (value(found, "MPICH_MPIIO_STATS"), value(found, "MPICH_MPIIO_HINTS")) == ("0", "*:cb_nodes=4")


def test_the_title_of_a_section_in_quoted_code() -> None:
    text = (
        "> `PE 0: MPICH MPIIO environment settings:`  \n"
        "> `PE 0:   MPICH_MPIIO_CB_ALIGN                      = 2`  \n"
        "> `PE 0: MPICH MPIIO statistics environment settings:`  \n"
        "> `PE 0:   MPICH_MPIIO_STATS                         = 0`  \n"
    )
    evidence = read(text)
    (found,) = evidence.of(MpichEnvironment)
    assert [s.title for s in found.sections] == [
        "MPICH MPIIO environment settings",
        "MPICH MPIIO statistics environment settings",
    ]
    assert found.complete
    assert "unterminated" not in codes(evidence)
