"""Lists of hints: whose they are, what they say, and where they are not sure."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from stats_text import REPOSITORY, block, codes, message, read

from iotriage_parsers.evidence import Lines, MpiioHints, MpiioStats
from iotriage_parsers.readers.mpich_hints.lines import is_hint

SAMPLES = REPOSITORY / "sample-logs" / "mpich_hints"
ROWS = (("cb_nodes", "4"), ("striping_factor", "4"), ("romio_filesystem_type", "CRAY ADIO:"))


def lists(text: str | bytes) -> tuple[MpiioHints, ...]:
    return read(text).of(MpiioHints)


def sample(case: str) -> tuple[MpiioHints, ...]:
    (path,) = (SAMPLES / case).glob("*.txt")
    return lists(path.read_bytes())


def value(found: MpiioHints, key: str) -> str | None:
    hint = found.hint(key)
    return None if hint is None else hint.value


def cray(file: str = "a.dat", rows: tuple[tuple[str, str], ...] = ROWS) -> str:
    return f"PE 0: MPIIO hints for {file}:\n" + "".join(f"          {k:<24} = {v}\n" for k, v in rows)


def test_a_job_with_one_stripe() -> None:
    initial, output = sample("plume-ssf")
    assert (initial.file, initial.lines, value(initial, "romio_ds_read")) == (
        "in/initial.dat",
        Lines(56, 80),
        "automatic",
    )
    assert (output.printed_by, output.file, output.rank, output.stage) == (
        "cray-mpich",
        "out/plume.0064.dat",
        0,
        "effective",
    )
    assert (output.lines, output.complete, output.trusted, len(output.hints)) == (Lines(82, 106), True, True, 24)
    wanted = {
        "romio_cb_write": "automatic",
        "striping_factor": "1",
        "striping_unit": "1048576",
        "cb_nodes": "1",
        "cb_buffer_size": "16777216",
        "cray_cb_write_lock_mode": "0",
        "aggregator_placement_stride": "-1",
        "cb_config_list": "*:*",
        "romio_filesystem_type": "CRAY ADIO:",
    }
    assert {key: value(output, key) for key in wanted} == wanted
    assert [h.line for h in output.hints] == list(range(83, 107))


@pytest.mark.parametrize(
    "pasted",
    [
        lambda text: text.replace("   ", "\t"),
        lambda text: text.replace("\n", "\n\n"),
        lambda text: "".join(f"{line.strip()}\n" for line in text.splitlines()),
    ],
    ids=["tabs for blanks", "every other line empty", "no indents"],
)
@pytest.mark.parametrize("case", ["plume-ssf", "ior-pasted-hints"])
def test_no_hint_is_lost_where_a_paste_changed_the_blanks(case: str, pasted: Callable[[str], str]) -> None:
    (path,) = (SAMPLES / case).glob("*.txt")
    text = path.read_text()
    told, whole = ([(f.complete, [(h.key, h.value) for h in f.hints]) for f in lists(t)] for t in (pasted(text), text))
    assert told == whole


def test_labels_tell_two_lists_apart() -> None:
    ocean, atmosphere = sample("labelled-srun")
    assert (ocean.file, len(ocean.hints), ocean.complete) == ("restart/ocean.0007.bin", 24, True)
    assert (atmosphere.file, len(atmosphere.hints), atmosphere.complete) == ("restart/atmos.0007.bin", 24, True)
    assert [value(f, "striping_factor") for f in (ocean, atmosphere)] == ["4", "2"]
    assert [value(f, "romio_cb_write") for f in (ocean, atmosphere)] == ["automatic", "disable"]


@pytest.mark.parametrize("piece", ["", "          romio_ds_wr", "          striping_unit            = 10"])
@pytest.mark.parametrize(
    "end",
    [
        "slurmstepd: error: *** JOB 7340018 ON nid001410 CANCELLED AT 2026-11-20T17:00:00 DUE TO TIME LIMIT ***",
        "=>> PBS: job killed: walltime 3610 exceeded limit 3600",
        "srun: error: nid001410: task 0: Terminated",
    ],
)
def test_a_list_before_the_end_of_a_killed_job_may_lack_rows(piece: str, end: str) -> None:
    (found,) = lists(cray(rows=ROWS[:2]) + f"{piece}{end}\n")
    assert not found.complete
    assert [h.value for h in found.hints] == ["4", "4"]
    (whole,) = lists(cray() + f"{end}\n")
    assert whole.complete


def test_a_cut_list_has_what_came_before_the_cut() -> None:
    (cut,) = sample("cut-by-timeout")
    assert (cut.file, cut.complete, cut.trusted, len(cut.hints)) == ("snap/tide.0001.h5", False, True, 16)
    assert (cut.hints[-1].key, value(cut, "striping_factor"), cut.hint("striping_unit")) == (
        "striping_factor",
        "16",
        None,
    )
    assert read((SAMPLES / "cut-by-timeout/tide-7340018.err.txt").read_bytes()).status == "partial"


def test_romio_is_not_cray() -> None:
    first, second = sample("romio-print-hints")
    assert [(f.printed_by, f.file, f.rank, len(f.hints)) for f in (first, second)] == [("romio", None, None, 20)] * 2
    assert [value(f, "romio_aggregator_list") for f in (first, second)] == ["0 32 64", "0 32"]
    assert [value(f, "cb_nodes") for f in (first, second)] == ["3", "2"]
    assert (first.lines, second.lines) == (Lines(5, 24), Lines(26, 45))


def test_an_application_that_prints_its_info_is_not_cray() -> None:
    (found,) = sample("application-info")
    assert (found.printed_by, found.file, found.stage, found.complete) == ("application", None, None, True)
    assert (found.lines, len(found.hints), value(found, "striping_unit")) == (Lines(3, 13), 10, "4194304")


@pytest.mark.parametrize("before", ["", " ", " *    ", "0: "])
def test_hints_as_programs_of_pnetcdf_print_them(before: str) -> None:
    rows = ("cb_nodes        = 2", "cb_buffer_size  = 16777216", "striping_factor = undefined")
    text = "".join(f"{before}MPI hint: {row}\n" for row in rows) + f"{before}Local array size 100 x 100\n"
    (found,) = read(f"mpiexec -n 32 ./nonblocking_write out.nc\n\n{text}").of(MpiioHints)
    assert [(h.key, h.value) for h in found.hints] == [
        ("cb_nodes", "2"),
        ("cb_buffer_size", "16777216"),
        ("striping_factor", ""),
    ]
    assert (found.printed_by, found.complete) == ("application", True)


def test_ior_says_what_was_asked_and_what_came_of_it() -> None:
    passed, returned = sample("ior-pasted-hints")
    assert [(f.printed_by, f.stage, len(f.hints)) for f in (passed, returned)] == [
        ("ior", "requested", 3),
        ("ior", "effective", 24),
    ]
    assert (value(passed, "cb_nodes"), value(returned, "cb_nodes")) == (None, "16")
    assert (passed.lines, returned.lines) == (Lines(3, 7), Lines(9, 34))


def test_names_with_colons_blanks_and_long_keys() -> None:
    rows = (("a_hint_that_nobody_knows_yet_at_all", "x = y"), ("odd", "NULL"), *ROWS)
    (found,) = lists(cray("nfs:/a b:c", rows))
    assert found.file == "nfs:/a b:c"
    assert value(found, "a_hint_that_nobody_knows_yet_at_all") == "x = y"
    assert value(found, "odd") == "NULL"


def test_lines_that_merely_look_like_hints_are_not_taken() -> None:
    noise = " residual = 1e-5\nsteps=4\n    tolerance = 0.1\n"
    (found,) = lists(cray() + noise)
    assert [h.key for h in found.hints] == [k for k, _ in ROWS]
    assert found.lines == Lines(1, 4)


def test_another_printing_between_two_rows_does_not_end_the_list() -> None:
    lines = cray().splitlines()
    (found,) = lists("\n".join([*lines[:2], " step 4 done", "Lmod warning", *lines[2:]]) + "\n")
    assert (len(found.hints), found.complete) == (3, True)
    assert [h.line for h in found.hints] == [2, 5, 6]


def test_two_mixed_lists_are_said_and_none_is_used() -> None:
    one, other = cray("a").splitlines(), cray("b", tuple((k, f"{v}0") for k, v in ROWS)).splitlines()
    evidence = read("\n".join([one[0], other[0], one[1], other[1], one[2], other[2], one[3], other[3], "end"]) + "\n")
    assert "cannot be told apart" in message(evidence, "interleaved")
    assert all(not f.complete for f in evidence.of(MpiioHints))
    assert all(f.hint("cb_nodes") is None for f in evidence.of(MpiioHints))


def test_an_old_row_under_a_new_title_is_never_silent() -> None:
    """The second half of one list among the rows of the next."""
    one, other = cray("a").splitlines(), cray("b").splitlines()
    evidence = read("\n".join([*one[:2], other[0], *one[2:], *other[1:], "end"]) + "\n")
    assert [f.complete for f in evidence.of(MpiioHints)] == [False, False]
    assert evidence.status == "partial"


def test_many_lists_one_after_the_other() -> None:
    found = lists("".join(cray(f"f{n}", (("cb_nodes", str(n)), *ROWS[1:])) for n in range(500)))
    assert [(f.file, value(f, "cb_nodes")) for f in found] == [(f"f{n}", str(n)) for n in range(500)]
    assert all(f.complete for f in found)


def test_hints_and_statistics_of_one_file_stand_side_by_side() -> None:
    evidence = read(cray("plain.dat") + block("plain.dat"))
    assert evidence.reader == "mpich_stats"
    assert evidence.of(MpiioHints)[0].file == evidence.of(MpiioStats)[0].file == "plain.dat"
    assert evidence.problems == ()


@pytest.mark.parametrize(
    ("before", "words"),
    [("", "statistics were not switched on"), ("+ MPICH_MPIIO_STATS=1 srun ./a\n", "though MPICH_MPIIO_STATS is set")],
)
def test_hints_alone_say_that_statistics_are_missing(before: str, words: str) -> None:
    evidence = read(before + cray())
    assert words in message(evidence, "note")
    assert evidence.status == "complete"


def test_a_title_alone_is_cut() -> None:
    evidence = read("PE 0: MPIIO hints for a:\n")
    assert (evidence.of(MpiioHints)[0].hints, codes(evidence)) == ((), ["unterminated", "note"])


def test_romio_lists_that_are_mixed() -> None:
    rows = [
        f"key = {k:<25} value = {v}" for k, v in (("cb_buffer_size", "1"), ("cb_nodes", "2"), ("romio_ds_read", "x"))
    ]
    evidence = read("\n".join([rows[0], rows[0], rows[1], rows[2], rows[1], rows[2]]) + "\n")
    (found,) = evidence.of(MpiioHints)
    assert (found.trusted, found.hint("cb_nodes"), len(found.hints)) == (False, None, 6)
    assert codes(evidence) == ["interleaved"]


@pytest.mark.parametrize("text", ["key = value\n", "key = colour value = blue\n", "  api_key = abc, value = 3\n"])
def test_keys_and_values_of_others_begin_no_list(text: str) -> None:
    assert lists(cray() + "x\n" * 9 + text) == lists(cray() + "x\n" * 9)


def test_families_of_hints() -> None:
    assert all(is_hint(k) for k in ("cb_nodes", "striping_factor", "cray_cb_write_lock_mode", "romio_no_indep_rw"))
    assert not any(is_hint(k) for k in ("residual", "nodes", "key"))


@pytest.mark.parametrize("case", sorted(p.parent.name for p in SAMPLES.glob("*/origin.md")))
def test_the_line_numbers_in_the_origin_are_right(case: str) -> None:
    origin = (SAMPLES / case / "origin.md").read_text(encoding="utf-8")
    shown = sample(case)
    assert shown
    for found in shown:
        assert re.search(rf"\b{found.lines.first} to {found.lines.last}\b", origin)


def test_values_cut_at_a_column_are_left_out() -> None:
    rows = (*ROWS, ("romio_cb_write", "automatic"), ("striping_unit", "1048576"), ("direct_io", "false"))
    whole = {h.key: h.value for h in lists(cray(rows=rows))[0].hints}
    for column in range(39, 47):
        text = "".join(f"{line[:column]}\n" for line in cray(rows=rows).splitlines())
        (found,) = lists(text)
        assert {h.key: h.value for h in found.hints}.items() <= whole.items()
        assert (found.complete, "cut-lines" in codes(read(text))) == (False, True) or len(found.hints) == len(rows)
