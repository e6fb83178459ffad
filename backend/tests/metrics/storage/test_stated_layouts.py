"""Striping from `lfs getstripe` and CrayPAT: joined by path, and of a composite layout the component in use."""

from __future__ import annotations

import pytest
from evidence_by_hand import block, log, metric, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import file_uses
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import (
    CrayPatReport,
    Hint,
    Lines,
    LustreLayout,
    MpiioHints,
    Part,
    PatLustreFile,
    StripeComponent,
    StripeField,
    StripeLayout,
)

MIB = 2**20
PATH = "/lus/run/out.dat"


def component(
    count: int | None, size: int = MIB, *, line: int = 3, start: int = 0, end: int | None = None, **other: object
) -> StripeComponent:
    fields = (StripeField("stripe_count", str(count), line + 1), StripeField("stripe_size", str(size), line + 2))
    return StripeComponent(
        line=line,
        start_bytes=start,
        end_bytes=end,
        stripe_count=count,
        stripe_size_bytes=size,
        fields=fields,
        **other,  # type: ignore[arg-type]
    )


def plain(path: str | None = PATH, count: int = 4, size: int = MIB, osts: tuple[int, ...] = (7, 3)) -> StripeLayout:
    return StripeLayout("plain", path, 2, Lines(2, 9), True, (component(count, size, osts=osts),))


def progressive(*components: StripeComponent) -> StripeLayout:
    return StripeLayout("composite", PATH, 2, Lines(2, 60), True, components)


def given(*parts: Part) -> Selection:
    return select_job(list(enumerate(parts)))


def written(lustre: tuple[LustreLayout, ...] = (), size: int = 10 * MIB) -> Part:
    record = {"POSIX_BYTES_WRITTEN": size, "POSIX_MAX_BYTE_WRITTEN": size - 1}
    return log(table("POSIX", (1, 0, record)), names={1: PATH}, lustre=lustre)


def test_a_plain_layout_with_its_lines() -> None:
    found = metric(given(written(), plain()), "file.stripe_count")
    assert (found.value, found.confidence) == (4, "measured")
    assert [(w.source, w.at) for w in found.where] == [(1, Lines(4, 4))]
    assert value(given(written(), plain(size=4 * MIB)), "file.stripe_size") == 4 * MIB
    assert value(given(written(), plain()), "file.osts") == 2


def test_the_log_is_taken_before_statistics_and_statistics_before_lfs() -> None:
    recorded = LustreLayout(1, stripe_size=MIB, stripe_count=12, osts=())
    printed = block(file="out.dat", stripe_count=8, stripe_size_bytes=MIB)
    assert value(given(written((recorded,)), printed, plain()), "file.stripe_count") == 12
    assert value(given(written(), printed, plain()), "file.stripe_count") == 8
    assert value(given(written(), plain()), "file.stripe_count") == 4


def test_craypat_comes_last() -> None:
    row = PatLustreFile("out.dat", 2 * MIB, 2, 0, (5, 6), "5 6", 77)
    report = CrayPatReport("pat_report", Lines(1, 99), True, lustre=(row,))
    assert value(given(written(), report), "file.stripe_count") == 2
    assert [w.at for w in metric(given(written(), report), "file.stripe_size").where] == [Lines(77, 77)]
    assert value(given(written(), report, plain()), "file.stripe_count") == 4


PFL = (
    component(1, line=10, start=0, end=256 * MIB, flags=("init",), osts=(21,)),
    component(6, 4 * MIB, line=20, start=256 * MIB, end=2**35, flags=("init",), osts=(2, 9, 16, 23, 5, 12)),
    component(None, line=30, start=2**35, over_all_osts=True, flags=("0",)),
)


@pytest.mark.parametrize(
    ("size", "count", "line"), [(1, 1, 11), (256 * MIB, 1, 11), (256 * MIB + 1, 6, 21), (2**35 + 1, 6, 21)]
)
def test_a_composite_layout_is_that_of_the_component_which_holds_the_files_end(
    size: int, count: int, line: int
) -> None:
    found = metric(given(written(size=size), progressive(*PFL)), "file.stripe_count")
    assert (found.value, found.confidence) == (count, "measured")
    assert [w.at for w in found.where] == [Lines(line, line)]


def test_without_the_size_the_last_component_with_objects_is_taken() -> None:
    found = metric(given(progressive(*PFL)), "file.stripe_count")
    assert (found.value, found.confidence) == (6, "inferred")
    assert value(given(progressive(*PFL)), "file.osts") == 7


def test_a_stale_mirror_is_left_out() -> None:
    stale = component(9, flags=("init", "stale"), mirror_id=1)
    good = component(2, flags=("init",), mirror_id=2)
    assert value(given(progressive(stale, good)), "file.stripe_count") == 2


def test_data_on_the_mdt_has_no_stripes() -> None:
    first = component(0, start=0, end=65536, pattern="mdt", flags=("init",))
    assert value(given(written(size=1000), progressive(first, PFL[1])), "file.stripe_count") is None


def test_a_layout_over_all_osts_has_as_many_stripes_as_it_lists() -> None:
    everywhere = component(None, over_all_osts=True, osts=(0, 1, 2))
    assert value(given(StripeLayout("plain", PATH, 2, Lines(1, 9), True, (everywhere,))), "file.stripe_count") == 3


def test_a_directorys_default_is_no_files_layout() -> None:
    default = StripeLayout("directory-default", PATH, 2, Lines(1, 3), True, (component(8),))
    assert value(given(written(), default), "file.stripe_count") is None


@pytest.mark.parametrize(
    ("paths", "count"),
    [
        (("out.dat",), 1),
        (("run/out.dat", "/old/out.dat"), 1),
        (("/old/out.dat", PATH), 2),
        (("/mnt/other/run/out.dat",), 1),
        (("/a/out.dat", "/b/out.dat"), None),
        (("/lus/run/other.dat",), None),
    ],
)
def test_joined_by_path_then_by_its_end_then_by_an_only_base_name(paths: tuple[str, ...], count: int | None) -> None:
    layouts = (plain(path, count=i) for i, path in enumerate(paths, 1))
    assert value(given(written(), *layouts), "file.stripe_count") == count


def test_the_files_of_the_case_have_their_striping_too() -> None:
    (use,) = file_uses(given(written(), plain()))
    assert (use.stripe_count, use.stripe_size_bytes) == (4, MIB)
    recorded = LustreLayout(1, stripe_size=MIB, stripe_count=12, osts=())
    (use,) = file_uses(given(written((recorded,)), plain()))
    assert use.stripe_count == 12


def test_of_several_files_without_any_other_source_none_is_the_largest() -> None:
    assert value(given(plain("/a"), plain("/b")), "file.stripe_count") is None


def shared_file(lustre: tuple[LustreLayout, ...] = (), size: int = 96 * MIB) -> Part:
    """One file that 512 ranks wrote to together, with Darshan's alignment of 4 KiB."""
    record = {"POSIX_BYTES_WRITTEN": size, "POSIX_MAX_BYTE_WRITTEN": size - 1, "POSIX_FILE_ALIGNMENT": 4096}
    return log(table("POSIX", (1, -1, record)), nprocs=512, names={1: PATH}, lustre=lustre)


def hints_of(file: str, unit: str = str(16 * MIB)) -> MpiioHints:
    shown = (Hint("striping_factor", "1", 12), Hint("striping_unit", unit, 13))
    return MpiioHints("cray-mpich", file, shown, Lines(10, 14), True)


def test_room_for_aggregators_by_the_stripe_size_that_a_source_states() -> None:
    """96 MiB hold 96 stripes of 1 MiB, 48 of 2, 24 of 4, 12 of 8, 6 of 16: the surest source first."""
    recorded = LustreLayout(1, stripe_size=2 * MIB, stripe_count=4, osts=())
    printed = block(file="out.dat", stripe_count=4, stripe_size_bytes=4 * MIB)
    listed, shown = plain(size=8 * MIB), hints_of("/other/mount/out.dat")
    room = "mpiio.expected_aggregators"
    assert value(given(shared_file((recorded,)), printed, listed, shown), room) == 48
    assert value(given(shared_file(), printed, listed, shown), room) == 24
    assert value(given(shared_file(), listed, shown), room) == 12
    assert value(given(shared_file(), shown), room) == 6
    assert value(given(shared_file()), room) == 96


def test_room_for_aggregators_says_where_the_stripe_size_stands() -> None:
    of_lfs = metric(given(shared_file(), plain(size=8 * MIB)), "mpiio.expected_aggregators")
    of_hints = metric(given(shared_file(), hints_of(PATH)), "mpiio.expected_aggregators")
    assert [(w.source, w.at) for w in of_lfs.where if w.source == 1] == [(1, Lines(5, 5))]
    assert [(w.source, w.at) for w in of_hints.where if w.source == 1] == [(1, Lines(13, 13))]


def test_room_for_aggregators_is_not_that_of_another_file_or_of_a_word() -> None:
    room = "mpiio.expected_aggregators"
    assert value(given(shared_file(), hints_of("/lus/run/other.dat")), room) == 96
    assert value(given(shared_file(), hints_of(PATH, "auto")), room) == 96
    assert value(given(shared_file(), hints_of(PATH, "0")), room) == 96
    assert value(given(shared_file(), plain("/lus/run/other.dat", size=8 * MIB)), room) == 96


def test_room_for_aggregators_is_no_more_than_the_ranks_and_knows_no_stripe_count() -> None:
    assert value(given(shared_file(size=2048 * MIB)), "mpiio.expected_aggregators") == 512
    assert value(given(shared_file(), plain(count=1, size=8 * MIB)), "mpiio.expected_aggregators") == 12


def test_a_component_that_the_file_does_not_reach_says_nothing_of_its_stripes() -> None:
    beyond = LustreLayout(1, stripe_size=16 * MIB, stripe_count=8, osts=(), extent_start=1024 * MIB)
    assert value(given(shared_file((beyond,)), plain(size=8 * MIB)), "mpiio.expected_aggregators") == 12


@pytest.mark.parametrize("recorded", [(), (LustreLayout(1, stripe_size=MIB, stripe_count=1, osts=(7,)),)])
def test_the_pool_and_the_components_that_lfs_shows_hold_beside_a_record_that_has_neither(
    recorded: tuple[LustreLayout, ...],
) -> None:
    in_a_pool = StripeLayout("plain", PATH, 2, Lines(2, 9), True, (component(1, osts=(7,), pool="flash"),))
    mirrors = progressive(*(component(1, osts=(7,), mirror_id=i, flags=("init",)) for i in (1, 2)))
    assert value(given(written(recorded), in_a_pool), "file.pool") == "flash"
    assert value(given(written(recorded), in_a_pool), "file.layout") == "plain"
    assert value(given(written(recorded), mirrors), "file.layout") == "plain"
    assert value(given(written(recorded), progressive(*PFL)), "file.layout") == "progressive"
    assert metric(given(written(recorded)), "file.pool").value is None


def test_the_pool_of_a_record_holds_before_that_of_lfs() -> None:
    recorded = LustreLayout(1, stripe_size=MIB, stripe_count=1, osts=(7,), pool="disk")
    in_a_pool = StripeLayout("plain", PATH, 2, Lines(2, 9), True, (component(1, osts=(7,), pool="flash"),))
    assert value(given(written((recorded,)), in_a_pool), "file.pool") == "disk"
