"""darshan-parser's text in its older forms, pasted, cut and damaged: written row by row."""

from __future__ import annotations

import io

import numpy as np
import pytest
from budget import dice, tries
from darshan_text_rows import header, log, row, rows_of, section
from stats_text import REPOSITORY, block, codes, message, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import DarshanLog, DarshanSummary, DxtTrace, Evidence, Failure, JobContext, MpiioStats
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers.darshan_text import columns
from iotriage_parsers.text.scan import scan


def test_records_of_the_first_versions() -> None:
    """POSIX version 1 counts stdio calls in it; 15 timers have two names of their own."""
    rows = [
        r.replace("POSIX_F_OPEN_START_TIMESTAMP", "POSIX_F_OPEN_TIMESTAMP").replace(
            "POSIX_F_CLOSE_END_TIMESTAMP", "POSIX_F_CLOSE_TIMESTAMP"
        )
        for r in rows_of("POSIX", POSIX_OPENS=3, POSIX_F_OPEN_START_TIMESTAMP="0.250000")
        if not any(name in r for name in ("FILENOS", "DUPS", "RENAME", "F_CLOSE_START", "F_OPEN_END"))
    ]
    stdio = [r.replace("\t7\t", "\t8\t") for r in rows]
    rows.append(row("POSIX", -1, 7, "POSIX_FOPENS", 0))
    stdio.append(row("POSIX", -1, 8, "POSIX_FOPENS", 1))
    evidence = read(header("POSIX:1") + section("POSIX", *rows, *stdio))
    (found,) = evidence.of(DarshanLog)
    assert found.posix is not None
    assert evidence.status == "complete"
    assert found.posix.ids.tolist() == [7]
    assert found.posix.count("POSIX_FILENOS").tolist() == [-1]
    assert found.posix.count("POSIX_RENAMED_FROM").tolist() == [0]
    assert found.posix.seconds("POSIX_F_OPEN_START_TIMESTAMP").tolist() == [0.25]
    assert found.posix.seconds("POSIX_F_OPEN_END_TIMESTAMP").tolist() == [-1.0]


def test_lustre_as_tools_before_3_4_6_print_it() -> None:
    said = (("OSTS", 12), ("MDTS", 4), ("STRIPE_OFFSET", 0), ("STRIPE_SIZE", 1048576), ("STRIPE_WIDTH", 3))
    rows = [row("LUSTRE", -1, 7, f"LUSTRE_{name}", value) for name, value in said]
    rows += [row("LUSTRE", -1, 7, f"LUSTRE_OST_ID_{k}", ost) for k, ost in enumerate((9, 4, 11))]
    (layout,) = log(header("LUSTRE:1") + section("LUSTRE", *rows)).lustre
    assert (layout.stripe_size, layout.stripe_count, layout.osts) == (1048576, 3, (9, 4, 11))
    assert (layout.osts_in_fs, layout.mdts_in_fs, layout.composite) == (12, 4, False)


def test_a_composite_layout_is_its_widest_component() -> None:
    parts = ((0, 1048576, 1, (3,)), (1048576, -1, 2, (5, 6)))
    rows = [row("LUSTRE", -1, 7, "LUSTRE_NUM_COMPONENTS", 2)]
    for i, (start, end, count, osts) in enumerate(parts, 1):
        said = (
            ("STRIPE_SIZE", 4194304),
            ("STRIPE_COUNT", count),
            ("STRIPE_PATTERN", "raid0"),
            ("POOL_NAME", "flash_1"),
        )
        said += (("EXT_START", start), ("EXT_END", end))
        rows += [row("LUSTRE", -1, 7, f"LUSTRE_COMP{i}_{name}", value) for name, value in said]
        rows += [row("LUSTRE", -1, 7, f"LUSTRE_COMP{i}_OST_ID_{k}", ost) for k, ost in enumerate(osts)]
    (layout,) = log(header("LUSTRE:2") + section("LUSTRE", *rows)).lustre
    assert (layout.stripe_size, layout.stripe_count, layout.osts, layout.composite) == (4194304, 2, (5, 6), True)
    assert layout.pool == "flash_1"


INCOMPLETE = """
# *{what}*: The POSIX module contains incomplete data!
#            This happens when a module runs out of
#            memory to store new record data.
"""


def test_darshans_own_warning_makes_totals_lower_bounds() -> None:
    text = header("POSIX:4") + section("POSIX").rstrip("\n") + INCOMPLETE.replace("{what}", "WARNING")
    evidence = read(text + "\n".join(rows_of("POSIX", POSIX_OPENS=3)) + "\n")
    (found,) = evidence.of(DarshanLog)
    assert found.posix is not None
    assert found.posix.partial
    info = found.module("POSIX")
    assert info is not None
    assert (info.partial, info.status) == (True, "read")
    assert codes(evidence) == ["partial-module"]
    assert evidence.status == "partial"


def test_the_modules_of_totals_alone_are_partial_where_darshan_says_so_of_them() -> None:
    flagged = section("POSIX").rstrip("\n") + INCOMPLETE.replace("{what}", "WARNING")
    text = header("POSIX:4", "STDIO:2") + flagged + "total_POSIX_OPENS: 4\n" + section("STDIO", "total_STDIO_OPENS: 2")
    (found,) = read(text).of(DarshanSummary)
    assert {info.name: info.partial for info in found.modules} == {"POSIX": True, "STDIO": False}


def test_where_darshan_parser_gave_up_it_is_said_how_to_get_more() -> None:
    text = header("POSIX:4", "MPI-IO:3") + section("POSIX").rstrip("\n") + INCOMPLETE.replace("{what}", "ERROR")
    evidence = read(text)
    assert any("--show-incomplete" in p.message for p in evidence.problems)
    assert evidence.status == "partial"


def test_names_with_tabs_and_blanks_and_other_letters() -> None:
    for name in ("/lustre/scratch/a\tb", "/lustre/scratch/a b  c", "/lustre/scratch/größe&amp.dat", "/x<y>"):
        found = log(header("STDIO:2") + section("STDIO", *rows_of("STDIO", name=name, STDIO_OPENS=5)))
        assert found.stdio is not None
        assert (found.names, found.stdio.total("STDIO_OPENS")) == ({7: name}, 5)


def test_a_record_without_a_name() -> None:
    found = log(header("STDIO:2") + section("STDIO", *rows_of("STDIO", name="(null)", STDIO_OPENS=5)))
    assert found.names == {}
    assert found.stdio is not None


def test_a_terminal_that_makes_blanks_of_tabs() -> None:
    text = header("STDIO:2") + section("STDIO", *rows_of("STDIO", STDIO_OPENS=5, STDIO_F_READ_TIME="0.125000"))
    found = log(text.replace("\t", "    "))
    assert found.stdio is not None
    assert found.stdio.total("STDIO_OPENS") == 5
    assert found.stdio.seconds("STDIO_F_READ_TIME").tolist() == [0.125]
    assert [m.path for m in found.job.mounts] == ["/lustre/scratch", "/"]


def test_values_that_are_no_numbers_are_left_out_and_reported() -> None:
    rows = rows_of("STDIO", STDIO_OPENS="1_0", STDIO_READS=7, STDIO_SEEKS=2**64, STDIO_F_READ_TIME="x")
    evidence = read(header("STDIO:2") + section("STDIO", *rows))
    (found,) = evidence.of(DarshanLog)
    assert found.stdio is not None
    assert (found.stdio.total("STDIO_OPENS"), found.stdio.total("STDIO_READS")) == (None, 7)
    assert found.stdio.total("STDIO_SEEKS") is None
    assert np.isnan(found.stdio.seconds("STDIO_F_READ_TIME")).all()
    assert "unrecognised-number" in codes(evidence)
    assert evidence.status == "partial"


def test_a_rename_source_uses_all_64_bits() -> None:
    found = log(header("POSIX:4") + section("POSIX", *rows_of("POSIX", POSIX_RENAMED_FROM=2**64 - 2)))
    assert found.posix is not None
    assert found.posix.count("POSIX_RENAMED_FROM").tolist() == [-2]


def test_a_new_counter_is_named_and_changes_nothing() -> None:
    rows = [*rows_of("STDIO", STDIO_OPENS=5), row("STDIO", -1, 7, "STDIO_PUNCHES", 3)]
    evidence = read(header("STDIO:3") + section("STDIO", *rows))
    assert codes(evidence) == ["unknown-field"]
    assert evidence.status == "complete"


def test_selected_lines_are_read_as_such() -> None:
    """grep for the bytes, as people do: the other counters are not available, which is not 0."""
    rows = [r for r in rows_of("POSIX", POSIX_BYTES_READ=12345) if "_BYTES_READ" in r]
    evidence = read(header("POSIX:4") + section("POSIX", *rows))
    (found,) = evidence.of(DarshanLog)
    assert found.posix is not None
    assert (found.posix.total("POSIX_BYTES_READ"), found.posix.total("POSIX_OPENS")) == (12345, None)
    assert evidence.status == "partial"


@pytest.mark.parametrize("value", ["0.0007", "12.", "1.50000", "12", "0"])
def test_seconds_that_are_cut_at_a_column_are_left_out(value: str) -> None:
    cut = f"POSIX\t0\t1\tPOSIX_F_READ_TIME\t{value}"
    for following in ("", "POSIX\t0\t1\tPOSIX_F_WRITE_TIME\t0.500000\n"):
        evidence = read(header("POSIX:4") + section("POSIX", row("POSIX", 0, 1, "POSIX_OPENS", 4), cut) + following)
        (found,) = evidence.of(DarshanLog)
        assert found.posix is not None
        seconds = found.posix.floats[0][found.posix.float_names.index("POSIX_F_READ_TIME")]
        assert np.isnan(seconds)
        assert any("not a number" in p.message and p.loses_data for p in evidence.problems)


def test_a_value_that_a_terminal_broke_is_not_read() -> None:
    """Rows that were cut to their values are believed, as all are; one whose rest stands on the next line is not."""
    rows = rows_of("POSIX", POSIX_BYTES_READ=12345, POSIX_OPENS=3)
    cut = ["\t".join(r.split("\t")[:5]) for r in rows]
    found = log(header("POSIX:4") + section("POSIX", *cut))
    assert found.posix is not None
    assert (found.posix.total("POSIX_BYTES_READ"), found.posix.total("POSIX_OPENS")) == (12345, 3)
    broken = [r.replace("\t12345\t", "\t123\n45\t").replace("\t3\t/", "\t3\t\n/") for r in rows]
    evidence = read(header("POSIX:4") + section("POSIX", *broken))
    (torn,) = evidence.of(DarshanLog)
    assert torn.posix is not None
    assert (torn.posix.total("POSIX_BYTES_READ"), torn.posix.total("POSIX_OPENS")) == (None, 3)
    assert "unrecognised-number" in codes(evidence)


@pytest.mark.parametrize(
    ("broken", "written", "seconds"),
    [
        ("10995\n11627776", 1099511627776, 8.5),
        ("\n1099511627776", 1099511627776, 8.5),
        ("10995", 10995, 8.5),
        ("10995\n\n11627776", 10995, 8.5),
        ("10995\nranks: 11627776", 10995, 8.5),
        ("10995#11", None, 8.5),
    ],
)
def test_a_total_that_was_broken_is_put_together(broken: str, written: int | None, seconds: float) -> None:
    rows = f"total_POSIX_BYTES_WRITTEN: {broken}\ntotal_POSIX_F_WRITE_TIME: 8.500000\n4\n"
    (found,) = read(header("POSIX:4") + section("POSIX", rows)).of(DarshanSummary)
    totals = found.summaries[0].totals
    assert totals is not None
    assert (totals.value("POSIX_BYTES_WRITTEN"), totals.value("POSIX_F_WRITE_TIME")) == (written, seconds)


def test_rows_without_their_header() -> None:
    heading = "#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>\n"
    evidence = read("see below\n" + heading + "\n".join(rows_of("STDIO", STDIO_OPENS=5)) + "\n")
    (found,) = evidence.of(DarshanLog)
    assert found.stdio is not None
    assert found.stdio.total("STDIO_OPENS") == 5
    assert found.job.nprocs is None
    assert [(p.code, p.where) for p in evidence.problems] == [("truncated", "header")]


def small() -> str:
    return (
        header("POSIX:4", "STDIO:2")
        + section("POSIX", *rows_of("POSIX", POSIX_BYTES_READ=123456789), *rows_of("POSIX", 8, 2, POSIX_OPENS=77))
        + section("STDIO", *rows_of("STDIO", STDIO_OPENS=5))
    )


def assert_small(evidence: Evidence) -> None:
    (found,) = evidence.of(DarshanLog)
    assert found.posix is not None
    assert found.stdio is not None
    assert (found.posix.total("POSIX_BYTES_READ"), found.posix.total("POSIX_OPENS")) == (123456789, 77)
    assert found.posix.ranks.tolist() == [-1, 2]
    assert found.stdio.total("STDIO_OPENS") == 5
    assert found.job.runtime_s == 12.3456
    assert evidence.status == "complete"


def test_in_the_middle_of_other_output() -> None:
    noise = "".join(f"step {i} residual {i / 7:.5f}\n" for i in range(9000))
    assert len(noise) > 3 * 64 * 1024
    assert_small(read(noise + small() + noise))


@pytest.mark.parametrize(
    "change",
    [
        lambda line: f"> {line}",
        lambda line: f"  > > {line}",
        lambda line: f"0: {line}",
        lambda line: f"[2025-11-20 20:11:31] {line}",
        lambda line: line.replace("<", "&lt;").replace(">", "&gt;"),
        lambda line: f"\x1b[32m{line}\x1b[0m",
        lambda line: f"{line}\r",
    ],
    ids=["quoted", "quoted-twice", "labelled", "timed", "html", "coloured", "crlf"],
)
def test_in_other_clothes(change) -> None:
    assert_small(read("Hello,\n" + "\n".join(change(line) for line in small().split("\n")) + "\nbye\n"))


def test_noise_between_the_rows() -> None:
    lines = small().split("\n")
    for at in range(60, 200, 20):
        lines.insert(at, "slurmstepd: warning: low memory")
    assert_small(read("\n".join(lines)))


def test_several_texts_in_one_file() -> None:
    other = header("STDIO:2").replace("jobid: 815", "jobid: 816") + section("STDIO", *rows_of("STDIO", STDIO_OPENS=9))
    logs = read(small() + other).of(DarshanLog)
    assert [g.job.job_id for g in logs] == ["815", "816"]
    assert [g.stdio.total("STDIO_OPENS") for g in logs if g.stdio is not None] == [5, 9]


def test_a_script_behind_it_is_a_script() -> None:
    """Its directives begin as the text's own comments do."""
    text = header("POSIX:4") + section("POSIX", *rows_of("POSIX", POSIX_OPENS=3)) + "\nand my script:\n\n"
    evidence = read(text + "#!/bin/bash\n#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=8\nsrun ./app\n")
    assert [job.nnodes for job in evidence.of(JobContext)] == [4]
    assert len(evidence.of(DarshanLog)) == 1


def test_a_trace_without_its_header_behind_it_is_another_text() -> None:
    text = header("POSIX:4") + section("POSIX", *rows_of("POSIX", POSIX_OPENS=3))
    calls = (
        "# DXT, file_id: 77, file_name: /scratch/a.dat\n# DXT, rank: 1, hostname: nid1\n"
        "# DXT, write_count: 1, read_count: 0\n# DXT, mnt_pt: /scratch, fs_type: xfs\n"
        "# Module    Rank  Wt/Rd  Segment          Offset       Length    Start(s)      End(s)\n"
        " X_POSIX       1  write        0               0         1000      0.1000      0.2000\n"
    )
    evidence = read(text + section("DXT_POSIX") + calls)
    (found,) = evidence.of(DarshanLog)
    (trace,) = evidence.of(DxtTrace)
    assert found.posix is not None
    assert (found.posix.total("POSIX_OPENS"), len(trace)) == (3, 1)


def test_beside_statistics_of_mpi_io() -> None:
    for text in (block() + small(), small() + block()):
        evidence = read(text)
        assert_small(evidence)
        assert len(evidence.of(MpiioStats)) == 1


@pytest.mark.parametrize("size", [1, 64, 1000, 5000])
def test_chunks_change_nothing(size: int) -> None:
    data = small().encode()
    (blocks,), problems = scan(io.BytesIO(data), detect.block_readers(), Limits(), size)
    assert_small(Evidence("darshan_parser_text", blocks.found.parts, (*problems, *blocks.found.problems)))


@pytest.mark.fuzz
def test_a_cut_text_never_gives_another_number() -> None:
    text = small()
    whole = log(text)
    tables = {t.module: t for t in (whole.posix, whole.stdio) if t is not None}
    for at in dice("cuts").sample(range(len(text)), tries(20, 400)):
        answer = detect.read(io.BytesIO(text[:at].encode()))
        if isinstance(answer, Failure):
            assert at < len("# darshan log version: 3")
            continue
        for part in answer.of(DarshanLog):
            for table in (part.posix, part.stdio):
                if table is None:
                    continue
                wanted = tables[table.module]
                same = table.ints == wanted.ints[: len(table)]
                assert (same | (table.ints == -1)).all()
        assert answer.status == "partial" or at > text.rindex("STDIO_F_VARIANCE_RANK_BYTES"), at


@pytest.mark.fuzz
def test_damaged_bytes_are_survived() -> None:
    data, chance = bytearray(small().encode()), dice("damage")
    for _ in range(tries(8, 200)):
        at, bit = chance.randrange(len(data)), 1 << chance.randrange(8)
        data[at] ^= bit
        detect.read(io.BytesIO(bytes(data)))
        data[at] ^= bit


def test_a_line_beyond_the_cap_is_skipped_and_said() -> None:
    rows = rows_of("STDIO", STDIO_OPENS=5)
    rows[3] = row("STDIO", -1, 7, "STDIO_WRITES", 5, "x" * 100_000)
    evidence = read(header("STDIO:2") + section("STDIO", *rows))
    assert "line-too-long" in codes(evidence)
    assert evidence.status == "partial"
    (found,) = evidence.of(DarshanLog)
    assert found.stdio is not None
    assert (found.stdio.total("STDIO_WRITES"), found.stdio.total("STDIO_OPENS")) == (None, 5)


def test_records_of_one_line_each_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "MOST_INCOMPLETE", 10)
    rows = [row("POSIX", 0, i, "POSIX_OPENS", 1) for i in range(50)]
    evidence = read(header("POSIX:4") + section("POSIX", *rows))
    (found,) = evidence.of(DarshanLog)
    assert found.posix is not None
    assert len(found.posix) == 10
    assert any("40 of them were not read" in p.message for p in evidence.problems)


def test_heatmaps_of_lying_sizes_are_refused() -> None:
    ids = 16592106915301738621
    wide = [row("HEATMAP", 0, ids, "HEATMAP_F_BIN_WIDTH_SECONDS", "0.010000", "heatmap:POSIX")]
    for way in ("READ", "WRITE"):
        wide += [row("HEATMAP", 0, ids, f"HEATMAP_{way}_BIN_{i}", 1, "heatmap:POSIX") for i in range(5000)]
    narrow = []
    for rank in range(1, 2000):
        narrow.append(row("HEATMAP", rank, ids, "HEATMAP_F_BIN_WIDTH_SECONDS", "0.010000", "heatmap:POSIX"))
        narrow += [row("HEATMAP", rank, ids, f"HEATMAP_{w}_BIN_0", 1, "heatmap:POSIX") for w in ("READ", "WRITE")]
    text = header("HEATMAP:1").replace("nprocs: 4", "nprocs: 2000") + section("HEATMAP", *wide, *narrow)
    evidence = read(text)
    assert evidence.of(DarshanLog)[0].heatmaps == ()
    assert evidence.status == "partial"


def test_a_heatmap_that_is_cut_is_left_out() -> None:
    ids = 16592106915301738621
    rows = [row("HEATMAP", 0, ids, "HEATMAP_F_BIN_WIDTH_SECONDS", "0.100000", "heatmap:POSIX")]
    rows += [row("HEATMAP", 0, ids, f"HEATMAP_READ_BIN_{i}", 1, "heatmap:POSIX") for i in range(5)]
    evidence = read(header("HEATMAP:1") + section("HEATMAP", *rows))
    assert evidence.of(DarshanLog)[0].heatmaps == ()
    assert evidence.status == "partial"


def test_what_is_said_of_the_source() -> None:
    assert detect.describe(read(small())) == ("Darshan 3.41 log: POSIX 2, STDIO 1",)
    text = header("POSIX:4") + section("POSIX", "total_POSIX_OPENS: 4")
    assert detect.describe(read(text)) == ("darshan-parser totals: POSIX",)


def test_totals_that_end_early_say_so() -> None:
    names = ("POSIX_OPENS", "POSIX_BYTES_WRITTEN", "POSIX_F_WRITE_TIME", "POSIX_F_VARIANCE_RANK_BYTES")
    rows = [f"total_{name}: 4.000000" if "_F_" in name else f"total_{name}: 4" for name in names]
    whole = read(header("POSIX:4") + section("POSIX", *rows))
    assert whole.status == "complete"
    for kept in (1, 2, 3):
        cut = read(header("POSIX:4") + section("POSIX", *rows[:kept]))
        assert cut.status == "partial"
        assert f"end with {names[kept - 1]}" in message(cut, "truncated")


def test_totals_that_are_cut_at_a_column_are_left_out() -> None:
    rows = ("total_POSIX_OPENS: 4", "total_POSIX_BYTES_WRITTEN: 134217728", "total_POSIX_F_WRITE_TIME: 10.123456")
    for width in range(len("total_POSIX_F_WRITE_TIME: 10."), len(rows[2])):
        evidence = read(header("POSIX:4") + section("POSIX", *(row[:width] for row in rows)))
        (summary,) = evidence.of(DarshanSummary)
        totals = summary.summaries[0].totals
        assert totals is not None
        whole = ["POSIX_OPENS", *(["POSIX_BYTES_WRITTEN"] if len(rows[1]) < width else [])]
        assert [c.name for c in totals.counters] == whole
        assert "cut-lines" in [p.code for p in evidence.problems]


def test_totals_that_end_with_what_is_no_number_do_not_end_early() -> None:
    rows = ("total_POSIX_OPENS: 4", "total_POSIX_F_VARIANCE_RANK_BYTES: 4,000000")
    evidence = read(header("POSIX:4") + section("POSIX", *rows))
    assert [p.code for p in evidence.problems] == ["unrecognised-number"]


@pytest.mark.parametrize("blanks", ["    ", "  ", "\t"])
def test_a_text_that_is_indented_as_code_in_a_ticket_is_the_text(blanks: str) -> None:
    text = header("POSIX:4") + section("POSIX", *rows_of("POSIX", POSIX_OPENS=4, POSIX_BYTES_WRITTEN=2**30))
    indented = "".join(f"{blanks}{line}" if line.strip() else line for line in text.splitlines(keepends=True))
    pasted = read(f"Dear support, here is what it printed:\n\n{indented}\nKind regards\n")
    (found,), (wanted,) = pasted.of(DarshanLog), read(text).of(DarshanLog)
    assert (found.job, found.names, found.modules) == (wanted.job, wanted.names, wanted.modules)
    assert found.posix is not None
    assert wanted.posix is not None
    assert found.posix.ints.tolist() == wanted.posix.ints.tolist()
    assert not any(p.loses_data for p in pasted.problems)


def test_calls_in_an_indented_text_and_names_that_a_terminal_filled_up_with_blanks() -> None:
    sample = REPOSITORY / "sample-logs" / "darshan_dxt_text" / "shared-collective" / "dxt.txt"
    lines = sample.read_text(encoding="utf-8").splitlines()
    wanted = read(sample.read_bytes()).of(DxtTrace)
    for copied in ([f"    {line}" for line in lines], [f"{line}   " for line in lines]):
        found = read("\n".join(copied) + "\n").of(DxtTrace)
        assert [t.segments.tolist() for t in found] == [t.segments.tolist() for t in wanted]
        assert [t.names for t in found] == [t.names for t in wanted]
        assert [t.hostnames for t in found] == [t.hostnames for t in wanted]


def test_a_text_that_was_copied_from_a_terminal_has_blanks_for_tabs() -> None:
    rows = rows_of("POSIX", name="/lustre/scratch/run 7/fields of the sea.h5", POSIX_OPENS=4)
    text = header("POSIX:4") + section("POSIX", *rows)
    wanted = log(text)
    found = log(text.expandtabs(8))
    assert found.names == wanted.names
    assert found.job.mounts == wanted.job.mounts
    assert found.posix is not None
    assert wanted.posix is not None
    assert found.posix.ints.tolist() == wanted.posix.ints.tolist()


def test_a_header_of_darshan_2_without_a_row_tells_nothing_of_the_io() -> None:
    """It lists no modules: nobody knows what the log has."""
    head = "# darshan log version: 2.06\n# exe: ./sea\n# uid: 1000\n# jobid: 5145\n# start_time: 1426266325\n"
    head += "# end_time: 1426266425\n# nprocs: 8\n# run time: 101\n\n# mounted file systems (device, mount point)\n"
    columns = "#<rank>\t<file>\t<counter>\t<value>\t<name suffix>\t<mount pt>\t<fs type>\n"
    for rest in ("", columns, f"{columns}-1;13525867493470965549;CP_INDEP_OPENS;2;...test.out;/;ext4\n"):
        evidence = read(head + rest)
        (log,) = evidence.of(DarshanLog)
        assert evidence.status == "partial"
        assert {m.status for m in log.modules} == {"damaged"}


@pytest.mark.parametrize("said", ["# no files opened.\n", "\n# no files opened.\r\n", "# no files opened."])
def test_a_run_of_darshan_2_that_opened_no_file_is_whole(said: str) -> None:
    """darshan-parser 2.x says so in the place of the rows."""
    head = "# darshan log version: 2.06\n# exe: ./sea\n# uid: 1000\n# jobid: 5145\n# start_time: 1426266325\n"
    head += "# end_time: 1426266425\n# nprocs: 8\n# run time: 101\n\n# mounted file systems (device, mount point)\n"
    evidence = read(head + said)
    (log,) = evidence.of(DarshanLog)
    assert (evidence.status, evidence.problems, log.modules) == ("complete", (), ())


def test_a_text_without_its_list_of_modules_does_not_say_that_nothing_was_done() -> None:
    lines = header("POSIX:4").splitlines(keepends=True)
    cut = ["".join(lines[:many]) for many in (1, 5, 12, 15)]
    for text in (*cut, header("POSIX:4").replace(": 99 bytes", ": 9,9 bytes")):
        assert {m.name: m.status for m in log(text).modules} == dict.fromkeys(("POSIX", "MPI-IO", "STDIO"), "damaged")
    assert log(header() + "\n# description of columns:\n").modules == ()


def test_a_module_whose_line_in_the_list_is_damaged_is_not_one_without_records() -> None:
    found = read(header("POSIX:4", "MPI-IO:3").replace("MPI-IO module: 99 bytes", "MPI-IO module: 9,9 bytes"))
    (one,) = found.of(DarshanLog)
    assert {m.name: m.status for m in one.modules}["MPI-IO"] == "damaged"
    assert [p.where for p in found.problems if p.code == "unrecognised-number" and p.loses_data] == ["MPI-IO"]


def test_many_logs_that_hold_the_same_are_counted() -> None:
    found = read("# darshan log version: 3.41\n" * 1000)
    assert detect.describe(found)[0] == "1,000 times Darshan 3.41 log: no records"
