"""Which files are used alike, and in which pattern."""

from dataclasses import replace

import pytest
from evidence_by_hand import block, job, log, table, value

from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.uses import FileUse, _UseColumns, file_uses
from iotriage.metrics.tables.grouping import group_files, numbers_folded, templates_of
from iotriage.metrics.tables.selecting import select_job
from iotriage_parsers.evidence import Lines, LustreLayout, Mount, OstUsage, TargetUsage

MIB = 2**20


def groups(selection: Selection) -> list[tuple[str, str | None, int]]:
    found = group_files(selection, file_uses(selection), 40).groups
    return [(g.label, g.pattern, len(g.files)) for g in found]


def names(*paths: str) -> dict[int, str]:
    return dict(enumerate(paths, 1))


def wrote(record: int, rank: int, count: int = 10, **more: float) -> tuple[int, int, dict[str, float]]:
    return record, rank, {"POSIX_BYTES_WRITTEN": count, "POSIX_MAX_BYTE_WRITTEN": count - 1, **more}


def test_numbers_of_names_are_left_out_whatever_else_is_in_them() -> None:
    assert templates_of(["/run1/a2.7", "/run1/b", "c3"]) == ["/run#/a#.#", "/run#/b", "c#"]
    assert templates_of(["/a1\n2/b\n3", "/a1\n2/c"]) == ["/a#\n#/b\n#", "/a#\n#/c"]


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("out.0007.h5", "out.####.h5"),
        ("t2.NC4", "t#.NC4"),
        ("ckpt.003", "ckpt.###"),
        ("log.rank12", "log.rank##"),
        ("out.h57", "out.h##"),
        ("h5", "h#"),
    ],
)
def test_the_number_of_a_format_counts_no_files(name: str, folded: str) -> None:
    assert numbers_folded(name, each_digit=True) == folded


def test_one_file_of_one_rank_is_serial() -> None:
    one = log(table("POSIX", wrote(1, 0)), names=names("/s/out.dat"))
    assert groups(job(one)) == [("out.dat", "serial", 1)]


def test_a_name_longer_than_any_file_has_is_said_by_its_ends() -> None:
    longest = f"{'a' * 250}.data"
    assert groups(job(log(table("POSIX", wrote(1, 0)), names=names(f"/s/{longest}"))))[0][0] == longest
    (label, *_), *_ = groups(job(log(table("POSIX", wrote(1, 0)), names=names(f"/s/{'a' * 60_000}.dat"))))
    assert (len(label), label[:3], label[-5:]) == (256, "aaa", "a.dat")


def test_a_mark_that_turns_letters_round_is_seen_in_a_label() -> None:
    one = log(table("POSIX", wrote(1, 0)), names=names("/s/a\u202egnp.exe"))
    assert groups(job(one)) == [("a\\u202egnp.exe", "serial", 1)]
    two = log(table("POSIX", wrote(1, 0), wrote(2, 0)), names=names("/s/a\n.1", "/s/a\n.2"))
    assert groups(job(two)) == [("a\\x0a.#, 2 files", "serial", 2)]


def test_files_of_one_rank_that_differ_in_digits_are_one_serial_group() -> None:
    two = log(table("POSIX", wrote(1, 0), wrote(2, 0)), names=names("/s/out.01", "/s/out.02"))
    assert groups(job(two)) == [("out.##, 2 files", "serial", 2)]


def test_files_of_one_template_that_are_used_otherwise_are_groups_of_their_own() -> None:
    rows = [wrote(1, 0), wrote(1, 1), wrote(2, 2), wrote(3, 3)]
    mixed = job(log(table("POSIX", *rows), names=names("/s/o.0", "/s/o.1", "/s/o.2"), nprocs=4))
    assert groups(mixed) == [("o.#, 2 files", "file-per-process", 2), ("o.0", "shared-independent", 1)]
    every = group_files(mixed, file_uses(mixed), 40).group_of
    largest = group_files(mixed, file_uses(mixed), 40, most_named=1).group_of
    assert every == {"/s/o.0": "g2", "/s/o.1": "g1", "/s/o.2": "g1"}
    assert largest == {"/s/o.0": "g2"}


def test_names_of_digits_alone_are_called_after_the_first() -> None:
    two = log(table("POSIX", wrote(1, 0), wrote(2, 0)), names=names("/s/3981085427", "/s/1115354007"))
    assert groups(job(two)) == [("2 files such as 1115354007 (names obfuscated)", "serial", 2)]


def test_numbered_chunks_are_called_after_their_folder() -> None:
    chunks = log(table("POSIX", wrote(1, 0), wrote(2, 0)), names=names("/s/field.zarr/0.0", "/s/field.zarr/0.1"))
    assert groups(job(chunks)) == [("field.zarr/#.#, 2 files", "serial", 2)]


def test_a_file_of_each_rank_is_file_per_process() -> None:
    files = log(
        table("POSIX", *(wrote(i, i - 1) for i in (1, 2, 3))), names=names("/s/a.001", "/s/a.002", "/s/a.003"), nprocs=3
    )
    assert groups(job(files)) == [("a.###, 3 files", "file-per-process", 3)]


def test_a_reduced_record_is_shared_unless_one_rank_moved_the_bytes() -> None:
    even = log(table("POSIX", wrote(1, -1, 800, POSIX_F_VARIANCE_RANK_BYTES=0.0)))
    assert groups(job(even))[0][1] == "shared-independent"
    # one of 8 ranks moved all 800 bytes: variance (7·100² + 700²) / 8
    alone = log(table("POSIX", wrote(1, -1, 800, POSIX_F_VARIANCE_RANK_BYTES=(7 * 100**2 + 700**2) / 8)))
    assert groups(job(alone))[0][1] == "serial"


def test_collective_calls_that_carry_the_bytes_make_it_collective() -> None:
    above = table(
        "MPI-IO",
        (
            1,
            -1,
            {
                "MPIIO_COLL_WRITES": 8,
                "MPIIO_INDEP_WRITES": 20,
                "MPIIO_BYTES_WRITTEN": 8 * 2 * MIB + 200,
                "MPIIO_SIZE_WRITE_AGG_1M_4M": 8,
                "MPIIO_SIZE_WRITE_AGG_0_100": 20,
            },
        ),
    )
    assert groups(job(log(table("POSIX", wrote(1, -1, 16 * MIB)), above)))[0][1] == "shared-collective"


def test_several_files_of_some_ranks_each_are_subfiling() -> None:
    files = log(
        table("POSIX", wrote(1, 0), wrote(1, 1), wrote(2, 2), wrote(2, 3)), names=names("/s/o.0", "/s/o.1"), nprocs=4
    )
    assert groups(job(files)) == [("o.#, 2 files", "subfiling", 2)]
    servers = log(
        table("POSIX", wrote(1, 2), wrote(1, 3), wrote(2, 2), wrote(2, 3)), names=names("/s/o.0", "/s/o.1"), nprocs=4
    )
    assert groups(job(servers)) == [("o.#, 2 files", "shared-independent", 2)]


def test_everything_is_serial_in_a_job_of_one_rank() -> None:
    assert groups(job(log(table("POSIX", wrote(1, -1)), nprocs=1)))[0][1] == "serial"


def test_standard_streams_are_not_files() -> None:
    text = table("STDIO", (1, 0, {"STDIO_BYTES_WRITTEN": 5}))
    assert groups(job(log(text, names={1: "<STDOUT>"}))) == []


def test_a_record_without_a_name_is_kept() -> None:
    found = file_uses(job(log(table("POSIX", wrote(7, 0)), names={99: "/other"})))
    assert "7" in found[0].path


def test_groups_stand_by_bytes() -> None:
    files = log(table("POSIX", wrote(1, 0, 10), wrote(2, 0, 500)), names=names("/s/small", "/s/large"))
    assert [g[0] for g in groups(job(files))] == ["large", "small"]


def test_a_stats_block_without_a_log_stands_for_its_file() -> None:
    stats = [block(file="out.dat", total_bytes=100, collective_accesses=8, independent_accesses=0)]
    assert groups(job(stats=stats)) == [("out.dat", "shared-collective", 1)]


def test_a_stats_block_belongs_to_the_logs_file_of_the_same_base_name() -> None:
    one = log(table("POSIX", wrote(1, -1, 800)), names=names("/lus/run/out.dat"))
    stats = [block(file="out.dat", total_bytes=800, aggregators=4)]
    selection = job(one, stats=stats)
    found = group_files(selection, file_uses(selection), 40).groups
    assert len(found) == 1
    assert value(found[0].selection, "mpiio.aggregators") == 4


def test_files_of_one_name_are_told_by_their_folders_and_have_the_blocks_of_their_own() -> None:
    stats = [
        block(file="/work/a/out/r.nc", total_bytes=900, aggregators=24),
        block(file="/work/b/out/r.nc", total_bytes=100, aggregators=1),
    ]
    selection = job(stats=stats)
    found = group_files(selection, file_uses(selection), 40).groups
    assert [g.label for g in found] == ["a/out/r.nc", "b/out/r.nc"]
    assert [value(g.selection, "mpiio.aggregators") for g in found] == [24, 1]


def test_a_file_without_a_folder_keeps_its_name_beside_others_of_it() -> None:
    rows = [wrote(1, 0, 30), wrote(2, 0, 20), wrote(3, 0, 10), wrote(3, 1, 5)]
    paths = names("/s/in/r.nc", "/s/out/r.nc", "r.nc")
    assert [g[0] for g in groups(job(log(table("POSIX", *rows), names=paths, nprocs=2)))] == [
        "in/r.nc",
        "out/r.nc",
        "r.nc",
    ]


@pytest.mark.parametrize(
    ("id", "expected"),
    [("file.size", 800), ("file.stripe_count", 4), ("file.stripe_size", MIB), ("file.osts", 4), ("file.writers", None)],
)
def test_the_largest_file(id: str, expected: int | None) -> None:
    layout = LustreLayout(1, MIB, 4, (3, 9, 1, 7))
    untouched = LustreLayout(3, MIB, 2, (20, 21))
    one = log(table("POSIX", wrote(1, -1, 800), wrote(2, 0, 10), wrote(3, 0, 0)), lustre=(layout, untouched))
    assert value(job(one), id) == expected


def test_writers_are_counted_from_own_records() -> None:
    files = log(table("POSIX", wrote(1, 0), wrote(1, 1), (1, 2, {"POSIX_BYTES_READ": 5})))
    assert value(job(files), "file.writers") == 2
    assert value(job(files), "file.readers") == 1


def test_the_log_states_how_many_osts_there_are_before_the_site_does() -> None:
    layout = LustreLayout(1, MIB, 1, (3,), osts_in_fs=56)
    one = log(table("POSIX", wrote(1, -1)), lustre=(layout,))
    assert value(job(one, site_osts=12), "file.stripes_possible") == 56
    assert value(job(log(table("POSIX", wrote(1, -1))), site_osts=12), "file.stripes_possible") == 12


def test_what_lfs_df_lists_of_the_file_s_own_mount_are_the_osts_of_its_file_system() -> None:
    def usage(mount: str, osts: int) -> OstUsage:
        targets = tuple(TargetUsage(f"fs-OST{i:04x}", i, None, None, None, i + 2) for i in range(osts))
        return OstUsage(mount, targets, (), Lines(1, osts + 2))

    named = log(table("POSIX", wrote(1, -1)), names={1: "/work/run/o.dat"})
    other, own = usage("/scratch", 200), usage("/work", 24)
    assert value(select_job(((0, named), (1, other), (1, own))), "file.stripes_possible") == 24
    assert value(replace(select_job(((0, named), (1, own))), site_osts=12), "file.stripes_possible") == 24
    cut = replace(own, complete=False)
    assert value(replace(select_job(((0, named), (1, cut))), site_osts=12), "file.stripes_possible") == 12
    # Of two that are elsewhere, neither is known to be the one.
    assert value(select_job(((0, named), (1, other), (1, usage("/project", 8)))), "file.stripes_possible") is None


def test_osts_are_seen_by_the_highest_index_on_the_mount_of_the_file() -> None:
    of_files = names("/scratch/a", "/scratch/b", "/work/c")
    layouts = (LustreLayout(1, MIB, 1, (17,)), LustreLayout(2, MIB, 1, (40,)), LustreLayout(3, MIB, 1, (150,)))
    found = log(table("POSIX", wrote(1, -1, 800), wrote(2, 0, 10), wrote(3, 0, 10)), names=of_files, lustre=layouts)
    mounts = (Mount("/scratch", "lustre"), Mount("/work", "lustre"))
    found = replace(found, job=replace(found.job, mounts=mounts))
    assert value(job(found), "file.osts_seen") == 41


def test_bytes_of_a_file_that_64_bits_cannot_hold_are_added_up_exactly() -> None:
    most = 2**63 - 1
    lying = log(table("POSIX", *((1, rank, {"POSIX_BYTES_READ": most, "POSIX_BYTES_WRITTEN": 1}) for rank in range(3))))
    (use,) = file_uses(job(lying))
    assert (use.bytes_read, use.bytes_written, use.bytes) == (3 * most, 3, 3 * most + 3)


def test_a_file_without_bytes_recorded_has_none_beside_one_that_64_bits_cannot_hold() -> None:
    most = 2**63 - 1
    unknown = (2, 0, {"POSIX_BYTES_READ": -1, "POSIX_BYTES_WRITTEN": -1})
    lying = log(table("POSIX", (1, 0, {"POSIX_BYTES_READ": most}), (1, 1, {"POSIX_BYTES_READ": most}), unknown))
    assert [(use.bytes_read, use.bytes_written) for use in file_uses(job(lying))] == [(2 * most, 0), (None, None)]


def test_a_header_among_large_pieces_makes_no_small_accesses_of_them() -> None:
    """Files that are written in pieces of 256 KiB are used alike, whether or not a small header is among them."""

    def pieces(record: int, headers: int) -> tuple[int, int, dict[str, float]]:
        moved = 100 * 256 * 1024 + headers * 1024
        return wrote(record, 0, moved, POSIX_WRITES=100 + headers, POSIX_F_WRITE_TIME=1.0)

    rows = [pieces(1, 0), pieces(2, 0), pieces(3, 2), pieces(4, 2)]
    of_four = log(table("POSIX", *rows), names=names("/s/u", "/s/v", "/s/w", "/s/z"))
    assert [number for _, _, number in groups(job(of_four))] == [4]


def test_the_columns_of_uses_are_their_fields() -> None:
    assert _UseColumns._fields == FileUse._fields
