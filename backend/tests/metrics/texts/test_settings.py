"""Hints and settings: asked for, displayed, and what is wrong with them."""

from dataclasses import replace

import numpy as np
import pytest
from calls_counted import calls_of
from evidence_by_hand import block, job, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.selecting import select_files, select_job
from iotriage.metrics.tables.settings import HintPattern, mended_string, patterns_of, read_by_library, settings
from iotriage_parsers.evidence import Hint, JobContext, Launch, Lines, MpichEnvironment, MpiioHints, MpiioStats, Setting
from iotriage_parsers.evidence.job_context import EnvironmentSetting, ModuleCommand

HERE = Lines(1, 40)


def hints(file: str | None = "out.dat", **shown: str) -> MpiioHints:
    listed = tuple(Hint(key, text, n) for n, (key, text) in enumerate(shown.items(), 2))
    return MpiioHints("cray-mpich", file, listed, HERE, complete=True)


def script(**environment: str) -> JobContext:
    lines = tuple(EnvironmentSetting(name, text, n) for n, (name, text) in enumerate(environment.items(), 5))
    return JobContext("script", HERE, "slurm", environment=lines)


def shown(**settings: str) -> MpichEnvironment:
    listed = tuple(Setting(name, text, n, None) for n, (name, text) in enumerate(settings.items(), 3))
    return MpichEnvironment((), (), listed, HERE)


def case(*parts: MpiioHints | JobContext | MpichEnvironment | MpiioStats) -> Selection:
    return select_job(list(enumerate(parts)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*:romio_cb_write=enable", (HintPattern("*", "romio_cb_write", "enable"),)),
        (
            "*:cray_cb_write_lock_mode=2,*:cray_cb_nodes_multiplier=4",
            (HintPattern("*", "cray_cb_write_lock_mode", "2"), HintPattern("*", "cray_cb_nodes_multiplier", "4")),
        ),
        (
            "a*.h5:cb_nodes=8:striping_factor=12",
            (HintPattern("a*.h5", "cb_nodes", "8"), HintPattern("a*.h5", "striping_factor", "12")),
        ),
        ("romio_cb_write=enable", (HintPattern(None, "romio_cb_write", "enable"),)),
        ("“*:cb_nodes=8”", (HintPattern("*", "cb_nodes", "8"),)),
        ("", ()),
        (
            "*:cb_config_list=#*:2#:romio_cb_read=enable",
            (HintPattern("*", "cb_config_list", "*:2"), HintPattern("*", "romio_cb_read", "enable")),
        ),
        (
            "*.nc:cb_config_list=#nid1:2,nid2:*#,*.h5:cb_nodes=4",
            (HintPattern("*.nc", "cb_config_list", "nid1:2,nid2:*"), HintPattern("*.h5", "cb_nodes", "4")),
        ),
        ("a#1.h5:cb_nodes=8", (HintPattern("a#1.h5", "cb_nodes", "8"),)),
    ],
)
def test_hint_strings(text: str, expected: tuple[HintPattern, ...]) -> None:
    assert patterns_of(text) == expected


def test_a_value_that_lists_nodes_stays_between_its_signs() -> None:
    assert mended_string("*:cb_nodes=4:cb_config_list = #*:2#") == "*:cb_nodes=4:cb_config_list=#*:2#"


ARCHER2 = "*:cray_cb_write_lock_mode=2:cray_cb_nodes_multiplier=4"
THETA = "*:cray_cb_write_lock_mode=1:cray_cb_nodes_multiplier=4:romio_no_indep_rw=true"


@pytest.mark.parametrize(
    ("value_of_the_shell", "cut_off", "meant", "read"),
    [
        (f'"{ARCHER2}”', None, ARCHER2, 0),
        ('":cray_cb_write_lock_mode=2,:cray_cb_nodes_multiplier=4”', None, ARCHER2, 0),
        ("“*:cb_nodes=8”", None, "*:cb_nodes=8", 0),
        ("*:", "striping_unit=8388608: striping_factor=48", "*:striping_unit=8388608:striping_factor=48", 0),
        ("*: striping_unit=8388608: striping_factor=48", None, "*:striping_unit=8388608:striping_factor=48", 0),
        ("*:cray_cb_write_lock_mode=1:cray_cb_nodes_multiplier=4:romio_no_ind", "ep_rw=true", THETA, 2),
        ("*:cray_cb_write_lock_mode=1:cray_cb_nodes_multiplier=4:romio_no_ind ep_rw=true", None, THETA, 2),
    ],
)
def test_hint_strings_as_the_guides_print_them(
    value_of_the_shell: str, cut_off: str | None, meant: str, read: int
) -> None:
    """What the library understands of them, and the string as it was meant."""
    setting = EnvironmentSetting("MPICH_MPIIO_HINTS", value_of_the_shell, 5, cut_off)
    selection = case(JobContext("script", HERE, "slurm", environment=(setting,)))
    assert value(selection, "hints.mended") == meant
    assert len(read_by_library(value_of_the_shell)) == read
    audit = value(selection, "hints.audit")
    assert isinstance(audit, str)
    assert any(word in audit for word in ("quote", "blank"))


def test_a_displayed_hint_is_measured_and_stands_before_the_one_asked_for() -> None:
    both = case(hints(cray_cb_write_lock_mode="0"), script(MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2"))
    found = metric(both, "hints.lock_mode")
    assert (found.value, found.confidence) == (0, "measured")


def test_a_hint_that_differs_between_files_is_not_that_of_the_first() -> None:
    """The last list is another program's, of a file that has one already."""
    of_files = [
        hints(file, cray_cb_write_lock_mode=mode) for file, mode in (("a.nc", "2"), ("b.nc", "1"), ("c.nc", "2"))
    ]
    own = replace(hints("a.nc", cray_cb_write_lock_mode="0"), printed_by="application")
    several = case(*of_files, own)
    found = metric(several, "hints.lock_mode")
    assert (found.value, found.reason) == (
        None,
        "the hint cray_cb_write_lock_mode differs between files: '2' for 2, '1' for 1",
    )
    assert value(several, "hints.shared_lock_mode") == 1
    assert value(several, "hints.shared_lock_file") == "b.nc"


def test_a_lock_that_one_pattern_asks_for_is_shared_by_its_files() -> None:
    """Nothing displays the hints, and the first pattern asks for another mode."""
    asked = script(MPICH_MPIIO_HINTS="a*.nc:cray_cb_write_lock_mode=0,b*.nc:cray_cb_write_lock_mode=1")
    found = metric(case(asked), "hints.shared_lock_mode")
    assert (found.value, found.confidence) == (1, "inferred")
    records = [(n, -1, {"MPIIO_COLL_WRITES": 9, "MPIIO_BYTES_WRITTEN": 9}) for n in (1, 2)]
    for names, starts, mode in (
        ({1: "/lus/a1.nc", 2: "/lus/b1.nc"}, 1, 1),
        ({1: "/lus/c1.nc", 2: "/lus/d1.nc"}, 1, None),
        ({1: "/lus/c1.nc", 2: "/lus/d1.nc"}, 2, 1),
        ({1: "/lus/c1.nc"}, 1, 1),
    ):
        logged = replace(log(table("MPI-IO", *records)), names=names)
        started = replace(asked, launches=(Launch("srun", 9, "srun ./app"),) * starts)
        assert value(select_job(list(enumerate((logged, started)))), "hints.shared_lock_mode") == mode, names
    alone = log(table("POSIX", (1, -1, {"POSIX_BYTES_WRITTEN": 9})), names={1: "/lus/b1.nc"})
    without = select_job(list(enumerate((alone, asked))))
    assert value(without, "hints.shared_lock_mode") is value(without, "mpiio.stats_blocks") is None
    beside = case(script(MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=1"), hints(cray_cb_write_lock_mode="2"))
    assert value(beside, "hints.shared_lock_mode") == 2, "what was displayed holds"


@pytest.mark.parametrize(("of_a", "of_b", "said"), [("true", "false", "false"), ("false", "true", "true")])
def test_independent_access_is_ruled_out_for_the_files_that_share_a_lock(of_a: str, of_b: str, said: str) -> None:
    modes = {"a.nc": ("0", of_a), "b.nc": ("1", of_b)}
    both = (hints(file, cray_cb_write_lock_mode=m, romio_no_indep_rw=no) for file, (m, no) in modes.items())
    assert value(case(*both), "hints.no_indep_rw") == said
    alone = hints("c.nc", cray_cb_write_lock_mode="1")
    assert value(case(hints("a.nc", romio_no_indep_rw="true"), alone), "hints.no_indep_rw") == "false"


def test_a_hint_that_is_the_same_for_all_files_is_that() -> None:
    same = case(*(hints(file, cray_cb_write_lock_mode="2") for file in ("a.nc", "b.nc")))
    assert value(same, "hints.lock_mode") == value(same, "hints.shared_lock_mode") == 2
    assert value(same, "hints.shared_lock_file") is None


def test_a_hint_of_the_script_is_inferred() -> None:
    found = metric(case(script(MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2")), "hints.lock_mode")
    assert (found.value, found.confidence) == (2, "inferred")
    assert found.where[0].at == Lines(5, 5)


@pytest.mark.parametrize("others", [(), ("b.nc",)], ids=["all files of the log", "some of them"])
def test_a_hint_of_the_script_is_that_of_the_files_that_its_pattern_fits(others: tuple[str, ...]) -> None:
    files = dict(enumerate(("/scratch/a.h5", *(f"/scratch/{name}" for name in others)), 1))
    records = [(record, -1, {"MPIIO_COLL_WRITES": 64, "MPIIO_BYTES_WRITTEN": 2**30}) for record in files]
    for pattern, asked in (("*", "disable"), ("*.h5", "disable"), ("*.nc", None)):
        written, hint = log(table("MPI-IO", *records), names=files), f"{pattern}:romio_cb_write=disable"
        s = select_job(list(enumerate([written, script(MPICH_MPIIO_HINTS=hint)])))
        of_file = select_files(s, {0: np.array([1], np.uint64)}, {files[1]}, "a.h5", 1)
        assert value(of_file, "hints.cb_write") == asked


def test_no_hint_is_absent_and_says_what_would_show_it() -> None:
    found = metric(job(), "hints.cb_write")
    assert found.value is None
    assert found.settled_by == ("MPICH_MPIIO_HINTS_DISPLAY",)


def test_a_hint_that_is_no_number_is_absent() -> None:
    assert value(case(hints(cb_nodes="many")), "hints.cb_nodes") is None


def test_a_setting_as_displayed_or_as_scripted_or_left_alone() -> None:
    assert value(case(shown(MPICH_MPIIO_STATS="0"), script(MPICH_MPIIO_STATS="1")), "environment.mpiio_stats") == "0"
    assert value(case(script(MPICH_MPIIO_STATS="1")), "environment.mpiio_stats") == "1"
    assert value(case(script(FI_OFI_RXM_SAR_LIMIT="64K")), "environment.sar_limit") == "64K"
    assert metric(case(script()), "environment.sar_limit").value == "not set"
    assert value(case(hints()), "environment.sar_limit") is None
    swaps = [ModuleCommand("swap", ("craype-network-ofi", "craype-network-ucx"), 7)]
    assert metric(case(replace(script(), modules=tuple(swaps))), "environment.sar_limit").value is None
    swaps.append(ModuleCommand("swap", ("craype-network-ucx", "craype-network-ofi"), 8))
    assert value(case(replace(script(), modules=tuple(swaps))), "environment.sar_limit") == "not set"


STATS = block(aggregators=2, total_bytes=100)


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((hints(cb_nodes="2"), STATS), 0),
        ((hints(cb_nodes="8"), STATS), 1),  # displayed, but two wrote
        ((script(MPICH_MPIIO_HINTS="“*:romio_cb_write=enable”"),), 1),
        ((script(MPICH_MPIIO_HINTS="romio_cb_write=enable"),), 1),
        ((script(MPICH_MPIIO_HINTS="*:cb_buffer_size=16777216"), hints(cb_buffer_size="16777216")), 1),
        ((script(MPICH_MPIIO_HINTS="*:cb_align=3:cb_buffer_size=16777216"), hints(cb_buffer_size="16777216")), 0),
        ((script(MPICH_MPIIO_HINTS="*:romio_cb_write=enable"), hints(romio_cb_write="automatic")), 1),
        ((script(MPICH_MPIIO_HINTS='"*:romio_cb_write=enable”'),), 1),
        ((script(MPICH_MPIIO_HINTS="*: striping_unit=8388608"),), 1),
        ((script(MPICH_MPIIO_HINTS="*:romio_no_ind ep_rw=true"),), 1),
        ((script(MPICH_MPIIO_HINTS="*:striping_unit=8388608, *:cb_nodes=8"),), 0),
        ((script(MPICH_MPIIO_HINTS="*:romio_cb_write=enable"), hints(romio_cb_write="ENABLE")), 0),
        ((script(MPICH_MPIIO_HINTS="“cb_nodes=8”"), hints(cb_nodes="8"), STATS), 3),
        ((script(MPICH_MPIIO_HINTS="*.nc:cb_nodes=8"), hints("run.h5", cb_nodes="1")), 1),
        ((script(MPICH_MPIIO_HINTS="*.nc:cb_nodes=8,run*:romio_cb_write=enable"), hints("run.h5", cb_nodes="1")), 0),
        ((script(MPICH_MPIIO_HINTS="/p/*.h5:cb_nodes=8"), hints("/q/run.h5", cb_nodes="8")), 0),
    ],
)
def test_audit(parts: tuple[MpiioHints | JobContext | MpiioStats, ...], expected: int) -> None:
    assert value(case(*parts), "hints.audit_count") == expected


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        (
            '"*:cray_cb_write_lock_mode=2,*:cray_cb_nodes_multiplier=4”',
            "*:cray_cb_write_lock_mode=2:cray_cb_nodes_multiplier=4",
        ),
        ("*: striping_unit=8388608", "*:striping_unit=8388608"),
        ("out*:romio_no_ind ep_rw=true", "out*:romio_no_indep_rw=true"),
        ("cb_nodes=8", "*:cb_nodes=8"),
        ("*.nc:cb_nodes=8, *:a=1,cb_nodes=4,*.nc:b=2", "*.nc:cb_nodes=8:b=2,*:a=1:cb_nodes=4"),
        ("*:cb_nodes=8", None),
    ],
)
def test_a_hint_string_is_mended_as_it_was_meant(text: str, meant: str | None) -> None:
    assert value(case(script(MPICH_MPIIO_HINTS=text)), "hints.mended") == meant


@pytest.mark.parametrize("name", ["$HAD", "${HAD}"])
@pytest.mark.parametrize("added", ["${{HAD:+{0},}}*:cb_nodes=4", "*:cb_nodes=4${{HAD+,{0}}}", "{0},*:cb_nodes=4"])
def test_what_a_script_adds_to_is_an_entry_however_it_is_written(name: str, added: str) -> None:
    text = added.format(name)
    assert patterns_of(text) == (HintPattern("*", "cb_nodes", "4"),)
    assert mended_string(text) in ("${HAD},*:cb_nodes=4", "$HAD,*:cb_nodes=4")


def test_audit_says_what_is_wrong_in_words() -> None:
    found = metric(case(hints(cb_nodes="8"), STATS), "hints.audit")
    assert found.value == "cb_nodes=8 is displayed, but 2 aggregators wrote"
    assert {w.source for w in found.where} == {0, 1}


def test_mixed_lists_say_nothing() -> None:
    mixed = MpiioHints("cray-mpich", "out.dat", (Hint("cb_nodes", "8", 2),), HERE, complete=True, trusted=False)
    assert value(case(mixed), "hints.cb_nodes") is None


@pytest.mark.parametrize(
    ("displayed", "faulty"),
    [(("4",), None), (("8",), None), (("2",), "cb_nodes=8 was asked for, and 2 is displayed"), (("2", "8"), None)],
)
def test_what_one_of_several_programs_asked_for_is_followed_where_it_is_displayed(
    displayed: tuple[str, ...], faulty: str | None
) -> None:
    asked = tuple(EnvironmentSetting("MPICH_MPIIO_HINTS", f"*:cb_nodes={n}", line) for n, line in ((4, 5), (8, 9)))
    launches = tuple(Launch("srun", line, "srun ./a") for line in (6, 10))
    of_job = JobContext("script", HERE, "slurm", environment=asked, launches=launches)
    assert value(case(of_job, *(hints(cb_nodes=text) for text in displayed)), "hints.audit") == faulty


@pytest.mark.parametrize(
    ("pattern", "calls"), [("*", 107), ("a.dat", 7), ("b.dat", 100), ("c.dat", 0), ("a.dat:cb_nodes=4,b.dat", 107)]
)
@pytest.mark.parametrize("counted", ["log", "statistics"])
def test_a_lock_that_is_shared_forbids_the_calls_on_its_own_files(pattern: str, calls: int, counted: str) -> None:
    asked = script(MPICH_MPIIO_HINTS=pattern.replace(",", ":cray_cb_write_lock_mode=1,") + ":cray_cb_write_lock_mode=1")
    of_files = {"a.dat": 7, "b.dat": 100}
    blocks = [block(file=name, independent_accesses=n) for name, n in of_files.items()]
    records = ((n, -1, {"MPIIO_INDEP_WRITES": n, "MPIIO_BYTES_WRITTEN": n}) for n in of_files.values())
    logged = log(table("MPI-IO", *records), names={n: f"/lus/{name}" for name, n in of_files.items()})
    parts = [logged] if counted == "log" else blocks
    assert value(select_job(list(enumerate([*parts, asked]))), "hints.shared_lock_independent") == calls


@pytest.mark.parametrize(("modes", "calls"), [(("0",), 0), (("2",), 0), (("1",), 107), (("0", "1"), 107)])
@pytest.mark.parametrize("displays", [True, False])
def test_files_without_a_name_share_a_lock_where_any_does(modes: tuple[str, ...], calls: int, displays: bool) -> None:
    """As in a log whose memory for names was full."""
    by_file = {f"{n}.dat": mode for n, mode in enumerate(modes)}
    asked = script(MPICH_MPIIO_HINTS=",".join(f"{f}:cray_cb_write_lock_mode={m}" for f, m in by_file.items()))
    lists = [hints(file, cray_cb_write_lock_mode=mode) for file, mode in by_file.items()]
    records = ((n, -1, {"MPIIO_INDEP_WRITES": n, "MPIIO_BYTES_WRITTEN": n}) for n in (7, 100))
    logged = replace(log(table("MPI-IO", *records)), names={})
    known = [logged, *(lists if displays else [asked])]
    assert value(select_job(list(enumerate(known))), "hints.shared_lock_independent") == calls


@pytest.mark.parametrize("mode", ["0", "1"])
def test_calls_that_no_source_counts_are_not_none(mode: str) -> None:
    assert value(case(hints(cray_cb_write_lock_mode=mode)), "hints.shared_lock_independent") is None


def test_accounts_of_many_jobs_are_each_looked_at_a_few_times() -> None:
    many = 400
    parts = (*(script(MPICH_MPIIO_STATS="1") for _ in range(many)), hints(cb_nodes="4"))
    selection = select_job([(0, part) for part in parts])
    assert calls_of(lambda: settings(selection, "MPICH_MPIIO_STATS")) < 60 * many
    assert len(settings(selection, "MPICH_MPIIO_STATS")) == many
