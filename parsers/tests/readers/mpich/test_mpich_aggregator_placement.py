"""Tables of aggregators: read under the header that is known, kept as text without it."""

from __future__ import annotations

from stats_text import REPOSITORY, codes, read

from iotriage_parsers.evidence import AggregatorPlacement, Lines

SAMPLES = REPOSITORY / "sample-logs" / "mpich_aggregator_placement"
HEADER = " AGG    Rank       nid\n ----  ------  --------\n"


def tables(text: str | bytes) -> tuple[AggregatorPlacement, ...]:
    return read(text).of(AggregatorPlacement)


def test_ranks_and_nodes() -> None:
    first, second = tables((SAMPLES / "twelve-on-three-nodes/shelf-7420031.out.txt").read_bytes())
    assert first.file == "/mnt/lustre/work/z01/z01/zuser/shelf/out/shelf.0001.nc"
    assert [a.rank for a in first.aggregators] == [0, 128, 256, 32, 160, 288, 64, 192, 320, 96, 224, 352]
    assert (first.nodes, first.lines, first.complete) == (("nid001410", "nid001411", "nid001412"), Lines(4, 19), True)
    assert first.aggregators[0].line == 8
    assert (second.file, [(a.rank, a.node) for a in second.aggregators]) == (
        "out/restart.bin",
        [(0, "nid001410"), (128, "nid001411")],
    )


def test_other_columns_are_kept_and_not_guessed_at() -> None:
    evidence = read((SAMPLES / "other-columns/shelf-7420090.out.txt").read_bytes())
    (found,) = evidence.of(AggregatorPlacement)
    assert (found.file, found.aggregators, found.complete) == ("out/shelf.0002.nc", (), False)
    assert codes(evidence) == ["note"]


def test_rows_without_the_header_are_no_aggregators() -> None:
    (found,) = tables("Aggregator Placement for a\n   0       0  nid00578\n   1      32  nid00579\n")
    assert (found.aggregators, found.complete) == ((), False)


def test_names_of_nodes_of_other_systems() -> None:
    (found,) = tables(
        f"PE 0: Aggregator Placement for a:\n{HEADER}   0    12  x1000c0s0b0n0\n   1   99  nid001234\nend\n"
    )
    assert (found.file, found.nodes) == ("a", ("x1000c0s0b0n0", "nid001234"))


def test_a_gap_or_a_cut_makes_the_table_incomplete() -> None:
    title = "Aggregator Placement for a\n"
    (gap,) = tables(f"{title}{HEADER}   0  0  nid1\n   2  9  nid2\nend\n")
    assert (len(gap.aggregators), gap.complete) == (2, False)
    cut = read(f"{title}{HEADER}   0  0  nid001\n   1  9  nid0")
    (found,) = cut.of(AggregatorPlacement)
    assert ([a.node for a in found.aggregators], found.complete, cut.status) == (["nid001"], False, "partial")


def test_a_long_table_keeps_all_rows_and_some_text() -> None:
    rows = "".join(f"{n:5d} {n * 8:6d}  nid{n:06d}\n" for n in range(5_000))
    (found,) = tables(f"Aggregator Placement for a\n{HEADER}{rows}end\n")
    assert (len(found.aggregators), len(found.text), found.complete) == (5_000, 40, True)


def test_a_row_that_is_cut_is_no_end_of_the_table() -> None:
    table = f"Aggregator Placement for out/a\n{HEADER}   0       0  nid001410\n   1     128  nid001411\n"
    for cut in ("   2", "   2     25", "   2     256  nid0014"):
        evidence = read(table + cut)
        (found,) = evidence.of(AggregatorPlacement)
        assert (len(found.aggregators), found.complete) == (2, False)
        assert [(p.code, p.loses_data) for p in evidence.problems] == [("truncated", True)]
