"""A job among what its site's documents measured: their own runs, what lies between, and what nobody measured."""

from __future__ import annotations

import hashlib
import io
from math import sqrt

import pytest
from darshan_writer import Counters, Job, Log, Lustre, LustreFile, Stripes, build, record_id

from iotriage.analysis.decision.basis import basis_of, grounds_of
from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage.analysis.expected.expectation import FileUsePattern, found_in, row_at
from iotriage.analysis.inputs import ReadSource
from iotriage.reports.terminal import as_text
from iotriage.sites import all_sites
from iotriage_parsers.detect import read

MIB, GIB = 2**20, 2**30
ROWS = [
    (site.id, system, table, row)
    for site in all_sites().values()
    for table in site.rates
    for system in table.file_systems
    for row in table.rows
]
ARCHER = [(t, row) for site, _, t, row in ROWS if site == "archer" and t.bytes_per_process is not None]


def use_of(table, processes):
    """The use that the table measured; 48 OSTs there are."""
    stripes = 48 if table.stripe_count == -1 else table.stripe_count
    size = table.stripe_size_bytes or MIB
    return FileUsePattern(
        table.pattern, table.direction, processes, stripes, size, table.transfer_size_bytes, 48, table.iobuf
    )


def system_of(site, name):
    return next(s for s in all_sites()[site].file_systems if s.id == name)


def look_up(site, system, use):
    return found_in(all_sites()[site], system_of(site, system), use)


@pytest.mark.parametrize(("site", "system", "table", "row"), ROWS)
def test_every_documented_row_is_found_again(site, system, table, row):
    found = look_up(site, system, use_of(table, row.processes))
    assert found.own == (table.id,)
    assert found.rate.rate == row.rate
    assert found.rate.lower_quartile == row.lower_quartile
    assert not found.rate.interpolated
    assert found.rate.best >= row.rate


def test_the_tables_are_those_of_the_documents():
    """Sums of the printed columns: a row that was copied wrongly would show."""
    of_archer = {t.id: sum(round(r.rate / MIB) for r in t.rows) for t in all_sites()["archer"].rates}
    assert of_archer == {
        "fpp-1": 108554,
        "ssf-all-1": 54369,
        "ssf-all-8": 74156,
        "ssf-4-1": 9913,
        "ssf-4-8": 13770,
        "serial": 500,
    }
    assert len(ARCHER) == 9 + 10 + 10 + 9 + 9


def log_of(table, row, path="/fs3/z01/z01/auser/run/out", stripes=None, rate=None):
    """A Darshan log of the document's own run, at its bandwidth."""
    n, per, rate = row.processes, table.bytes_per_process, rate or row.rate
    stripes = stripes or (48 if table.stripe_count == -1 else table.stripe_count)
    layout = Stripes(table.stripe_size_bytes, tuple(range(stripes)))
    took = n * per / rate
    job = Job(nprocs=n, end_s=1_760_000_000 + round(took * 2) + 10, mounts=(("/fs3", "lustre"), ("/", "ext4")))
    if table.pattern == "file-per-process":
        names = {record_id(f"{path}.{rank:05d}"): f"{path}.{rank:05d}" for rank in range(n)}
        rows = [
            {
                "id": file,
                "rank": rank,
                "POSIX_OPENS": 1,
                "POSIX_WRITES": per // MIB,
                "POSIX_BYTES_WRITTEN": per,
                "POSIX_MAX_BYTE_WRITTEN": per - 1,
                "POSIX_F_WRITE_TIME": took,
            }
            for rank, file in enumerate(names)
        ]
        files = tuple(LustreFile(file, (layout,), rank=rank, osts_in_fs=48) for rank, file in enumerate(names))
        return Log(job=job, names=names, modules=(Counters.of("POSIX", *rows), Lustre(files, version=1)))
    file = record_id(path)
    mpiio = {
        "id": file,
        "rank": -1,
        "MPIIO_COLL_OPENS": n,
        "MPIIO_COLL_WRITES": n,
        "MPIIO_BYTES_WRITTEN": n * per,
        "MPIIO_F_WRITE_TIME": took * n,
        "MPIIO_F_SLOWEST_RANK_TIME": took,
        "MPIIO_SLOWEST_RANK_BYTES": per,
    }
    modules = (Counters.of("MPI-IO", mpiio), Lustre((LustreFile(file, (layout,), osts_in_fs=48),), version=1))
    return Log(job=job, names={file: path}, modules=modules)


def case_of(log) -> CaseDocument:
    data = build(log)
    digest = hashlib.sha256(data).hexdigest()
    return diagnose([ReadSource("run.darshan", digest, len(data), read(io.BytesIO(data)))])


def only_point(document):
    (expectation,) = document.expectation
    (point,) = expectation.points
    return expectation, point


@pytest.mark.parametrize(
    ("table", "row"), [pytest.param(t, r, id=f"{t.id}-{r.processes}") for t, r in ARCHER if r.processes <= 3072]
    + [pytest.param(t, r, id=f"{t.id}-{r.processes}") for t, r in ARCHER if r.processes > 3072 and t.id != "fpp-1"]
)  # fmt: skip
def test_archers_own_runs_come_out_at_what_archer_measured(table, row):
    document = case_of(log_of(table, row))
    expectation, point = only_point(document)
    assert point.fraction == pytest.approx(1.0, abs=5e-3)
    assert (point.own, point.processes) == ((table.id,), row.processes)
    assert expectation.retired
    assert document.site.id == "archer"
    judged = [f.verdict for f in document.findings if f.rule == "below-expectation"]
    assert judged == ["clear"]


def test_four_stripes_are_shown_against_all_of_them():
    (table,) = [t for t in all_sites()["archer"].rates if t.id == "ssf-4-1"]
    row = next(r for r in table.rows if r.processes == 384)
    document = case_of(log_of(table, row))
    _, point = only_point(document)
    assert point.bytes_per_s / MIB == pytest.approx(881, rel=1e-3)
    assert (point.best / MIB, point.best_curve) == (7663, "ssf-all-8")
    text = " ".join(as_text(document).split())
    assert "881 MiB/s" in text
    assert "7,663 MiB/s" in text
    assert "2013" in text


def test_far_below_the_table_is_said():
    (table,) = [t for t in all_sites()["archer"].rates if t.id == "ssf-all-8"]
    row = next(r for r in table.rows if r.processes == 384)
    for share, verdict in ((0.49, "triggered"), (0.51, "clear")):
        document = case_of(log_of(table, row, rate=row.rate * share))
        (finding,) = [f for f in document.findings if f.rule == "below-expectation"]
        assert finding.verdict == verdict


def test_between_two_counts_both_scales_are_logarithmic_and_beyond_them_there_is_nothing():
    (table,) = [t for t in all_sites()["archer"].rates if t.id == "ssf-all-8"]
    middle = round(sqrt(24 * 48) * 1000) / 1000
    assert row_at(table, 34).rate / MIB == pytest.approx(691 * (1487 / 691) ** 0.50251, rel=1e-3)
    assert 33 < middle < 35
    assert row_at(table, 23) is None
    assert row_at(table, 12289) is None
    found = look_up("archer", "fs2-fs3", use_of(table, 36))
    assert found.rate.interpolated
    beyond = look_up("archer", "fs2-fs3", use_of(table, 16384))
    assert (beyond.rate.rate, beyond.rate.best) == (None, None)
    assert (
        beyond.rate.reason
        == "the documents measured with 24 to 12,288 processes, not with 16,384; it was at most 8,205 MiB/s with 12,288"
    )


@pytest.mark.parametrize(
    ("use", "own", "reason"),
    [
        (FileUsePattern("shared-collective", "write", 384, 8, MIB, osts=48), (), "no figures for 8 stripes"),
        (
            FileUsePattern("shared-collective", "write", 384, None, None, osts=48),
            (),
            "the striping of the files is not known",
        ),
        (FileUsePattern("shared-collective", "write", 384, 4, 4 * MIB, osts=48), ("ssf-4-1", "ssf-4-8"), None),
        (
            FileUsePattern("shared-collective", "write", 384, 4, 32 * MIB, osts=48),
            (),
            "no figures for stripes of 33,554,432",
        ),
        (FileUsePattern("shared-collective", "write", 384, 56, MIB, osts=48), ("ssf-all-1",), None),
        (FileUsePattern("shared-collective", "write", 384, 48, MIB, osts=None), (), "the number of OSTs is not known"),
        (FileUsePattern("file-per-process", "write", 384, 1, 4 * MIB, osts=48), ("fpp-1",), None),
        (FileUsePattern("file-per-process", "write", 384, 4, MIB, osts=48), (), "no figures for 4 stripes"),
        (
            FileUsePattern("shared-independent", "write", 384, 4, MIB, osts=48),
            (),
            "no figures for independent accesses",
        ),
    ],
)
def test_a_striping_that_was_not_measured_gets_no_figure_of_its_own(use, own, reason):
    found = look_up("archer", "fs2-fs3", use)
    assert found.own == own
    assert found.rate.best is not None
    if reason is None:
        assert found.rate.reason is None
    else:
        assert found.rate.rate is None
        assert reason in found.rate.reason
    if len(own) > 1:
        assert found.rate.several
        assert found.rate.rate / MIB == 881


def test_what_nobody_measured_gets_nothing_at_all():
    assert (
        look_up("archer", "fs4", FileUsePattern("shared-collective", "write", 384, 4, MIB, osts=56)).rate.best is None
    )
    assert (
        look_up("archer", "fs2-fs3", FileUsePattern("shared-collective", "read", 384, 4, MIB, osts=48)).rate.best
        is None
    )
    assert look_up("archer", "fs2-fs3", FileUsePattern("subfiling", "write", 384, 4, MIB, osts=48)).rate.best is None
    (table,) = [t for t in all_sites()["archer"].rates if t.id == "ssf-4-1"]
    unknown = case_of(log_of(table, table.rows[0], path="/lus/somewhere/run/out"))
    assert unknown.expectation == ()
    assert {f.verdict for f in unknown.findings if f.rule in ("below-expectation", "cache-inflated")} == {
        "not_applicable"
    }


def test_one_stream_is_one_process_however_many_wait():
    found = look_up("mahuika", "nesi", FileUsePattern("serial", "write", 1, None, None, 8 * MIB))
    assert found.own == ("stream-8mb-write",)
    assert found.rate.rate == 3.3e9
    between = look_up("mahuika", "nesi", FileUsePattern("serial", "write", 1, None, None, 1_000_000))
    assert (between.rate.rate, between.rate.several) == (1.3e9, True)
    assert look_up("mahuika", "nesi", FileUsePattern("serial", "write", 1, None, None, 512)).rate.rate is None


def test_a_figure_with_iobuf_is_for_files_that_iobuf_buffers():
    without = look_up("maui", "nesi", FileUsePattern("serial", "write", 1, None, None, 4096))
    assert without.rate.rate is None
    assert without.rate.reason == (
        "the documents measured such accesses with IOBUF; without it the rate is below 1 GB/s; no source shows that "
        "IOBUF was in use"
    )
    assert look_up("maui", "nesi", FileUsePattern("serial", "write", 1, None, None, 100_000)).rate.rate is None
    assert (
        look_up("maui", "nesi", FileUsePattern("serial", "write", 1, None, None, 4096, iobuf=True)).rate.rate == 2.3e9
    )
    assert look_up("maui", "nesi", FileUsePattern("serial", "write", 1, None, None, 8 * MIB)).rate.rate == 3.2e9


IOR = """\
IOR-3.3.0: MPI Coordinated Test of Parallel I/O
Began               : Wed Jul 16 09:00:00 2025
Command line        : ior -a MPIIO -c -b 16m -t 1m -o {path}
Machine             : Linux nid00010

Options:
api                 : MPIIO
test filename       : {path}
access              : single-shared-file
type                : collective
segments            : 1
ordering in a file  : sequential
tasks               : 384
clients per node    : 24
repetitions         : 1
xfersize            : 1 MiB
blocksize           : 16 MiB
aggregate filesize  : 6 GiB

Results:

access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
------    ---------  ----       ----------  ---------- ---------  --------   --------   --------   --------   ----
write     5396       5396       0.001000    16384      1024.00    0.001000   1.138000   0.001000   1.138621   0
Max Write: 5396.00 MiB/sec (5658.12 MB/sec)
Finished            : Wed Jul 16 09:01:00 2025
"""


def test_a_benchmarks_bandwidth_stands_among_the_curves_too():
    data = IOR.format(path="/fs3/z01/z01/auser/ior.dat").encode()
    document = diagnose([ReadSource("ior.txt", "x" * 64, len(data), read(io.BytesIO(data)))])
    assert document.site.id == "archer"
    _, point = only_point(document)
    assert (point.by, point.source, point.processes) == ("IOR", 0, 384)
    assert point.bytes_per_s / MIB == 5396
    assert (point.best / MIB, point.documented) == (7663, None)
    assert point.reason == "the striping of the files is not known"


def test_missing_evidence_leaves_the_question_open_and_a_missing_table_closes_it():
    (table,) = [t for t in all_sites()["archer"].rates if t.id == "ssf-all-8"]
    row = table.rows[4]
    log = log_of(table, row)
    not_known = case_of(Log(job=log.job, names=log.names, modules=log.modules[:1]))
    (finding,) = [f for f in not_known.findings if f.rule == "below-expectation"]
    assert finding.verdict == "unknown"
    grounds = grounds_of(finding, basis_of(not_known))
    assert grounds is not None
    assert grounds.settled_by == ("stripe layout",)
    not_measured = case_of(log_of(table, row, stripes=8))
    (finding,) = [f for f in not_measured.findings if f.rule == "below-expectation"]
    assert finding.verdict == "not_applicable"
