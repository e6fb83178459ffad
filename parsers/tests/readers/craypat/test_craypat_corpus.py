"""CrayPAT reports of others: each is recognised, nothing else is, and the numbers are those that a person reads."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest
from craypat_text import answer, corpus, corpus_files, only, read, row

from iotriage_parsers import detect
from iotriage_parsers.evidence import CrayPatReport, Evidence
from iotriage_parsers.evidence.mpiio_stats import Direction

pytestmark = pytest.mark.skipif(corpus() is None, reason="no texts of others here")

Rows = tuple[tuple[Direction, str, float, float, float | None, float, int | None, float], ...]

ROWS: dict[str, Rows] = {
    # direction, file, time, MBytes, rate, calls, ranks, bytes per call
    "01": (
        ("read", "INCAR", 1.113894, 0.140442, 0.126082, 1059.0, 1024, 139.06),
        ("read", "POTCAR", 0.001189, 0.852541, 716.866574, 112.0, 1024, 7981.73),
        ("read", "CHGCAR", 0.000307, 0.0, 0.0, 1.0, 512, 0.0),
        ("write", "_UnknownFile_", 8.911367, 0.312553, 0.035073, 20195128.7, 1024, 0.02),
        ("write", "WAVECAR", 3.321665, 4761.138611, 1433.359032, 10456.0, 1, 477468.98),
        ("write", "vasprun.xml", 1.031251, 206.219700, 199.970432, 51950.0, 1, 4162.41),
        ("write", "/dev/infiniband/rdma_cm", 0.009542, 0.138665, 14.532655, 1939.1, 1024, 74.98),
        ("write", "stderr", 0.000013, 0.000092, 7.185166, 1.0, 1024, 96.58),
    ),
    "05": (
        ("read", "_UnknownFile_", 0.000235, 0.001850, 7.883281, 242.5, 93, 8.0),
        ("write", "constants.txt", 0.007925, 0.000304, 0.038387, 5.0, 1, 63.8),
        ("write", "_UnknownFile_", 0.003081, 0.073415, 23.824697, 2405.7, 96, 32.0),
        ("write", "stdout", 0.000192, 0.004076, 21.240582, 570.0, 1, 7.5),
    ),
    "07": (("write", "constants.txt", 0.001171, 0.000175, 0.149079, 3.0, 1, 61.0),),
    "09": (
        ("read", "VLDROP_defgrC_cSi_NVE.lmpdat", 0.124897, 15.065679, 120.6251, 352283.0, None, 44.84),
        ("read", "/proc/self/maps", 0.056299, 3.212683, 57.064245, 31692.0, None, 106.3),
        ("write", "VLDROP_defgrC_cSi_bonds.lmpout", 0.427572, 19.970984, 46.707892, 1624948.0, None, 12.89),
        ("write", "VLDROP_defgrC_cSi.lmpout", 0.025395, 17.684272, 696.372418, 25.0, None, 741732.12),
        ("write", "log.lammps", 0.000954, 0.004918, 5.153713, 168.0, None, 30.7),
    ),
    "10": (
        ("read", "/proc/self/maps", 55.421218, 3757.323803, 67.795764, 61713064.0, None, 63.84),
        ("read", "./GTH_BASIS_SETS", 0.085349, 0.125, 1.464573, 16.0, None, 8192.0),
        ("read", "_pipe_read_", 0.000292, 0.000137, 0.470394, 144.0, None, 1.0),
        ("write", "H2O-256-pos-1.xyz", 0.023784, 0.524416, 22.049361, 144.0, None, 3818.68),
        ("write", "H2O-256-1.restart", 0.001369, 0.125299, 91.501972, 32.0, None, 4105.78),
    ),
    "15": (("write", "stdout", 0.000005, 0.000516, 95.367432, 9.0, 1, 60.11),),
    "16": (("write", "stdout", 0.000006, 0.000144, 22.571289, 4.0, 1, 37.75),),
    "21": (
        ("read", "fuzzy.pgm", 0.027819, 1.681152, 60.430848, 25553.0, 1, 68.99),
        ("write", "sharpened.pgm", 0.004157, 1.576238, 379.132317, 25829.0, 1, 63.99),
        ("write", "_UnknownFile_", 0.000024, 0.0, 0.0, 35.4, 64, 0.0),
        ("write", "stdout", 0.000013, 0.000043, 3.270135, 1.3, 64, 34.92),
    ),
    "23": (("write", "stdout", 0.000761, 0.000921, 1.211195, 35.0, 1, 27.6),),
}
ROWS_IN_ALL = {"01": (5, 15), "05": (1, 3), "07": (1, 3), "09": (5, 8), "10": (10, 6)} | {
    "15": (0, 1),
    "16": (0, 1),
    "21": (1, 3),
    "23": (0, 1),
}
HEADERS: dict[str, tuple[str | None, int | None, int | None, float | None, float | None, float | None]] = {
    # version, ranks, nodes, mean process time, read rate, write rate
    "01": ("20.09.0", 1024, 8, 5150.938241, None, None),
    "03": ("6.4.6", 24, 1, 1667.487146, None, None),
    "04": ("6.4.6", 768, 32, 4231.805194, None, None),
    "05": ("20.03.0", 96, 4, 18.74445, None, None),
    "07": ("20.03.0", 48, 2, 11.473372, None, None),
    "08": ("20.03.0", 96, 4, None, None, None),
    "09": ("6.2.1", 16, 2, 85.368, 90.281, 83.975),
    "10": ("6.4.5", 16, 16, 2100.0, 67.110363, 19.512511),
    "14": ("7.0.2", 1, 1, 0.03, None, None),
    "15": ("7.1.1", 12, 1, 11.49, None, 95.367432),
    "16": ("7.1.1", 12, 1, 12.41, None, 22.571289),
    "18": ("21.09.0", 1, 1, 0.2, None, None),
    "19": ("21.09.0", 12, 1, 6.573755, None, None),
    "20": ("20.10.0", 64, 1, 5.72, 60.430848, 241.178058),
    "21": (None, None, None, None, None, None),
    "22": ("7.0.0", 512, 8, 74.06, 1.899058, 0.447113),
    "23": ("7.0.5", 64, 1, 84.382329, None, None),
    "24": ("23.12.0", 1, 1, 12.68, None, None),
    "25": ("23.12.0", 1, 1, 12.68, None, None),
    "26": ("23.03.0", 128, 1, None, None, None),
    "27": ("20.05.0", 64, 1, 7.84, None, 9.31969),
    "28": ("21.02.0", 64, 1, 0.47, None, 701.173609),
    "29": (None, None, None, None, None, None),
    "30": (None, None, None, None, None, None),
    "31": ("6.3.0", 32, 4, 891.92, 27.909542, 1.152058),
    "33": ("6.5.2", 1, 1, 0.57, None, 1.834425),
    "34": ("23.02.0", 128, 2, None, None, None),
}


def number(path: Path) -> str:
    return path.name[:2]


def report(number_of_file: str) -> CrayPatReport:
    (path,) = (p for p in corpus_files(craypat=True) if number(p) == number_of_file)
    return only(path.read_bytes())


def test_every_file_is_stated_here() -> None:
    assert {number(p) for p in corpus_files(craypat=True)} == set(HEADERS)


@pytest.mark.parametrize("path", corpus_files(craypat=True), ids=number)
def test_recognised_by_content(path: Path) -> None:
    data = path.read_bytes()
    evidence = read(data)
    assert (evidence.reader, len(evidence.of(CrayPatReport))) == ("craypat", 1)
    guess = detect.detect(data)
    assert guess is not None
    assert (guess.reader, guess.title) == ("craypat", "CrayPAT report")


@pytest.mark.parametrize("path", corpus_files(craypat=False), ids=lambda p: p.stem)
def test_nothing_else_is(path: Path) -> None:
    found = answer(path.read_bytes())
    assert not isinstance(found, Evidence) or (found.reader != "craypat" and not found.of(CrayPatReport))


@pytest.mark.parametrize("which", HEADERS)
def test_headers(which: str) -> None:
    found = report(which)
    assert (
        found.version,
        found.ranks,
        found.nodes,
        found.process_time_average_s,
        found.read_rate_per_rank_stream_mib_s,
        found.write_rate_per_rank_stream_mib_s,
    ) == HEADERS[which]


@pytest.mark.parametrize("which", ROWS)
def test_rows(which: str) -> None:
    found = report(which)
    for direction, file, seconds, mib, rate, calls, ranks, bytes_per_call in ROWS[which]:
        one = row(found, direction, file)
        printed = (one.printed_time_s, one.printed_mib, one.rate_per_rank_stream_mib_s, one.printed_calls)
        assert printed == (seconds, mib, rate, calls), file
        assert (one.ranks, one.bytes_per_call) == (ranks, bytes_per_call), file


@pytest.mark.parametrize("which", HEADERS)
def test_no_row_is_missing_or_too_many(which: str) -> None:
    found = report(which)
    counts = tuple(sum(len(t.rows) for t in found.tables(d)) for d in ("read", "write"))
    assert counts == ROWS_IN_ALL.get(which, (0, 0))
    assert (found.io_tables_absent is None) == (which in ROWS_IN_ALL)


@pytest.mark.parametrize("path", corpus_files(craypat=True), ids=number)
def test_each_figure_stands_on_the_line_it_names(path: Path) -> None:
    lines = path.read_bytes().decode("utf-8").split("\n")
    found = only(path.read_bytes())
    for one in chain.from_iterable((*t.rows, *t.rank_rows) for t in found.io_tables):
        cells = [cell.strip() for cell in lines[one.line - 1].strip().strip("|").split("|")]
        assert cells == [*one.texts, one.file]
    for file in found.lustre:
        assert lines[file.line - 1].split("|")[0].strip() == file.path
    for stated in found.fields:
        assert stated.text in lines[stated.line - 1]


def test_totals_of_the_old_layout_are_the_sums() -> None:
    for which in ("09", "10"):
        for table in report(which).io_tables:
            assert table.total is not None
            # Table 3 of 10 shows ten files of more.
            for name in ("printed_time_s", "printed_mib", "printed_calls"):
                total = sum(getattr(r, name) for r in table.rows)
                assert total == pytest.approx(getattr(table.total, name), rel=1e-2)


def test_lustre() -> None:
    files = report("01").lustre
    assert len(files) == 18
    assert {(f.stripe_size_bytes, f.stripe_count) for f in files} == {(1048576, 1)}
    assert {f.path: f.first_ost for f in files}["WAVECAR"] == 8
    assert [(f.path, f.osts) for f in report("05").lustre] == [("constants.txt", (1,))]


def test_profile_and_observations() -> None:
    callers = {(p.group, p.function): p.percent for p in report("29").profile}
    assert callers["MPI", "MPI_File_write_all"] == 4.3
    assert callers["MPI", None] == 12.0
    assert [o.title for o in report("04").observations] == [
        "MPI Grid Detection",
        "Metric-Based Rank Order",
        "MPI Hybrid Rank Order",
        "MPI utilization",
    ]
    (grid,) = report("30").observations
    assert grid.title == "MPI Grid Detection"
    assert "4 X 128" in grid.text
    assert report("10").pruned_groups == ("IO", "BLAS", "BLACS", "CUDA")
    assert report("03").traced_groups == ("upc", "caf", "mpi", "shmem", "syscall")
