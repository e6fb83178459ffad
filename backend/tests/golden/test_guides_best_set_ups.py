"""Each guide's own best set-up, entered as a job, is left alone; its printed examples are read, and said.

The jobs have the layouts, sizes and settings of the guides; their rates are what the guides measured.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path

import pytest
from darshan_writer import Counters, Job, Log, Lustre, LustreFile, Stripes, build, record_id
from described import Part, Work
from described import document as described
from stats_text import extra

from iotriage.analysis.document import CaseDocument, Finding
from iotriage.analysis.engine import diagnose
from iotriage.analysis.inputs import ReadSource
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import Evidence

MIB = 2**20
FOLDER = extra("seeds")
STEPS = 100


def document_of(*sources: tuple[str, bytes]) -> CaseDocument:
    given = [ReadSource(name, f"{n:064x}", len(data), read(BytesIO(data))) for n, (name, data) in enumerate(sources)]
    return diagnose(given, None)


def above_info(document: CaseDocument) -> list[tuple[str, str, str]]:
    triggered = [f for f in document.findings if f.verdict == "triggered" and f.severity != "info"]
    return [(f.rule, f.severity, f.summary or "") for f in triggered]


@dataclass(frozen=True, kw_only=True)
class SharedFile:
    """One file that all ranks write collectively, `STEPS` times `mib` MiB each, whole stripes by `aggregators`: long
    enough for any fault to weigh."""

    directory: str
    mount: str
    ranks: int
    nodes: int
    mib: int
    stripes: int
    osts: int
    stripe_mib: int
    aggregators: int
    rate_mib_s: float

    def log(self) -> bytes:
        name = f"{self.directory}/out/state.dat"
        file, calls, stripe = record_id(name), self.ranks * STEPS, self.stripe_mib * MIB
        total = calls * self.mib * MIB
        seconds, writes = total / MIB / self.rate_mib_s, total // stripe
        each, size = total / self.aggregators, {1: "100K_1M", 8: "4M_10M"}[self.stripe_mib]
        ends, agg_size = seconds + 12.0, "1M_4M" if self.mib <= 4 else "10M_100M"
        times = {"F_OPEN_START_TIMESTAMP": 5.0, "F_WRITE_START_TIMESTAMP": 6.0, "F_WRITE_END_TIMESTAMP": ends}
        mpiio = {
            "id": file,
            "MPIIO_COLL_OPENS": self.ranks,
            "MPIIO_COLL_WRITES": calls,
            "MPIIO_MODE": 9,
            "MPIIO_BYTES_WRITTEN": total,
            f"MPIIO_SIZE_WRITE_AGG_{agg_size}": calls,
            "MPIIO_ACCESS1_ACCESS": self.mib * MIB,
            "MPIIO_ACCESS1_COUNT": calls,
            "MPIIO_SLOWEST_RANK_BYTES": total // self.ranks,
            "MPIIO_FASTEST_RANK_BYTES": total // self.ranks,
            "MPIIO_F_WRITE_TIME": seconds * self.ranks,
            "MPIIO_F_SLOWEST_RANK_TIME": seconds,
            "MPIIO_F_FASTEST_RANK_TIME": 0.98 * seconds,
            **{f"MPIIO_{key}": value for key, value in times.items()},
        }
        posix = {
            "id": file,
            "POSIX_OPENS": self.ranks,
            "POSIX_WRITES": writes,
            "POSIX_BYTES_WRITTEN": total,
            "POSIX_MAX_BYTE_WRITTEN": total - 1,
            "POSIX_SEQ_WRITES": writes - self.aggregators,
            f"POSIX_SIZE_WRITE_{size}": writes,
            "POSIX_ACCESS1_ACCESS": stripe,
            "POSIX_ACCESS1_COUNT": writes,
            "POSIX_MODE": 0o100644,
            "POSIX_MEM_ALIGNMENT": 8,
            "POSIX_FILE_ALIGNMENT": MIB,
            "POSIX_SLOWEST_RANK_BYTES": int(each),
            "POSIX_F_WRITE_TIME": 0.9 * seconds * self.aggregators,
            "POSIX_F_SLOWEST_RANK_TIME": 0.9 * seconds,
            "POSIX_F_VARIANCE_RANK_BYTES": self.aggregators * each**2 / self.ranks - (total / self.ranks) ** 2,
            **{f"POSIX_{key}": value for key, value in times.items()},
        }
        layout = LustreFile(file, (Stripes(stripe, tuple(range(self.stripes))),), osts_in_fs=self.osts, mdts_in_fs=1)
        modules = (Counters.of("POSIX", posix), Counters.of("MPI-IO", mpiio), Lustre((layout,), version=1))
        job = Job(
            start_s=1_600_000_000,
            end_s=1_600_000_000 + int(ends) + 3,
            nprocs=self.ranks,
            exe=f"{self.directory}/bin/app",
            mounts=((self.mount, "lustre"), ("/", "rootfs")),
            metadata=(("lib_ver", "3.4.4"),),
        )
        return build(Log(job=job, names={file: name}, modules=modules))

    def statistics(self) -> bytes:
        total = self.ranks * STEPS * self.mib * MIB
        writes, calls, active = total // (self.stripe_mib * MIB), self.ranks * STEPS, self.aggregators
        fields = {
            "independent writes": 0,
            "collective writes": calls,
            "independent writers": 0,
            "aggregators": active,
            "stripe count": self.stripes,
            "stripe size": self.stripe_mib * MIB,
            "system writes": writes,
            "stripe sized writes": writes,
            "aggregators active": f"0,0,0,{calls} (1, <= {active // 2}, > {active // 2}, {active})",
            "total bytes for writes": f"{total} = {total // MIB} MiB = {total // 2**30} GiB",
            "ave system write size": self.stripe_mib * MIB,
            "read-modify-write count": 0,
            "read-modify-write bytes": 0,
            "number of write gaps": 0,
            "ave write gap size": "NA",
        }
        rule = f"+{'-' * 56}+"
        lines = [f"|   {label:<23} = {value}" for label, value in fields.items()]
        title = f"| MPIIO write access patterns for {self.directory}/out/state.dat"
        return ("\n".join((rule, title, *lines, rule)) + "\n").encode()

    def script(self, *lines: str) -> bytes:
        head = ("#!/bin/bash", f"#SBATCH --nodes={self.nodes}", f"#SBATCH --ntasks={self.ranks}")
        return "\n".join((*head, *lines, "srun ./bin/app", "")).encode()


ARCHER2_SETTINGS = (
    "export FI_OFI_RXM_SAR_LIMIT=64K",
    'export MPICH_MPIIO_HINTS="*:cray_cb_write_lock_mode=2,*:cray_cb_nodes_multiplier=4"',
)
ARCHER = SharedFile(
    directory="/fs3/z01/z01/auser/run", mount="/fs3", ranks=6144, nodes=256, mib=16,
    stripes=48, osts=48, stripe_mib=8, aggregators=48, rate_mib_s=15946,
)  # fmt: skip
ARCHER2 = SharedFile(
    directory="/mnt/lustre/a2fs-work2/work/z19/z19/auser/run", mount="/mnt/lustre/a2fs-work2", ranks=2048, nodes=16,
    mib=32, stripes=12, osts=12, stripe_mib=1, aggregators=48, rate_mib_s=10 * 1024,
)  # fmt: skip
ARCHER2_LARGE = SharedFile(
    directory="/mnt/lustre/a2fs-work2/work/z19/z19/auser/run", mount="/mnt/lustre/a2fs-work2", ranks=16384, nodes=128,
    mib=32, stripes=12, osts=12, stripe_mib=1, aggregators=48, rate_mib_s=10 * 1024,
)  # fmt: skip
THETA = SharedFile(
    directory="/lus/theta-fs0/projects/p/run", mount="/lus/theta-fs0", ranks=4096, nodes=256, mib=64,
    stripes=48, osts=56, stripe_mib=8, aggregators=48, rate_mib_s=11742,
)  # fmt: skip


@pytest.mark.parametrize(
    ("job", "settings"),
    [
        (ARCHER, ()),
        (ARCHER2, ARCHER2_SETTINGS),
        (ARCHER2_LARGE, ARCHER2_SETTINGS),
        (THETA, ()),
        (THETA, ('export MPICH_MPIIO_HINTS="*:striping_unit=8388608:striping_factor=48"',)),
    ],
    ids=["ARCHER", "ARCHER2", "ARCHER2 on 128 nodes", "Theta", "Theta by hints"],
)
def test_the_best_set_up_of_a_guide_gets_no_finding_above_info(job: SharedFile, settings: tuple[str, ...]) -> None:
    texts = (("job.slurm", job.script(*settings)), ("job.err", job.statistics()))
    document = document_of(("run.darshan", job.log()), *texts)
    assert document.job.nnodes == job.nodes
    assert document.metrics["mpiio.aggregators"].value == job.aggregators
    assert above_info(document) == []


def finding_of(document: CaseDocument, rule: str) -> Finding:
    return next(f for f in document.findings if f.rule == rule)


@pytest.mark.parametrize(
    ("job", "rule", "severity", "striping"),
    [
        (replace(THETA, nodes=8, ranks=128), "overstriped-shared", "low", "lfs setstripe -c 8 -S 8M"),
        (replace(THETA, stripes=56), "overstriped-shared", "info", "lfs setstripe -c 48 -S 8M"),
        (replace(ARCHER, nodes=2, ranks=48, rate_mib_s=1487), "overstriped-shared", "low", "lfs setstripe -c 4 -S 8M"),
        (replace(THETA, stripes=4, aggregators=4), "ssf-understriped", "medium", "lfs setstripe -c 48 -S 8M"),
    ],
    ids=["more stripes than nodes", "all OSTs", "few processes on ARCHER", "four stripes of 4,096 ranks"],
)
def test_a_striping_that_a_guide_advises_against_is_named(
    job: SharedFile, rule: str, severity: str, striping: str
) -> None:
    """A note where the calls to the storage, which it slows, take next to nothing of the time in MPI-IO."""
    sources = (("run.darshan", job.log()), ("job.slurm", job.script()))
    finding = finding_of(document_of(*sources), rule)
    assert (finding.verdict, finding.severity) == ("triggered", severity)
    assert (finding.advice[0].command or "").startswith(striping)


@pytest.mark.parametrize(
    "job",
    [
        replace(THETA, nodes=8, ranks=128, stripes=8, aggregators=8),
        replace(ARCHER, nodes=2, ranks=48, stripes=4, aggregators=4, rate_mib_s=1565),
    ],
    ids=["as many stripes as nodes", "few processes on ARCHER"],
)
def test_the_striping_that_a_guide_has_for_a_small_job_is_left_alone(job: SharedFile) -> None:
    sources = (("run.darshan", job.log()), ("job.slurm", job.script()), ("job.err", job.statistics()))
    assert above_info(document_of(*sources)) == []


ONE_WRITER = Work(
    (Part("/fs3/z01/z01/auser/run/out.dat", range(1), writes=51_200, write_s=100.0, osts=(3, 4, 5, 6)),),
    nprocs=48,
    runtime_s=400.0,
    mounts=(("/fs3", "lustre"), ("/", "rootfs")),
    site="archer",
)
ON_ARCHER2 = replace(
    ONE_WRITER,
    parts=(replace(ONE_WRITER.parts[0], path="/mnt/lustre/a2fs-work2/work/z19/run/out.dat", osts=(3,)),),
    mounts=(("/mnt/lustre/a2fs-work2", "lustre"), ("/", "rootfs")),
    osts_in_fs=12,
    site="archer2",
)


@pytest.mark.parametrize(
    ("work", "write_s", "slow", "said"),
    [
        (ONE_WRITER, 100.0, "clear", "one OST gives about 477 MiB/s"),
        (ONE_WRITER, 300.0, "triggered", "one OST gives about 477 MiB/s"),
        (ON_ARCHER2, 80.0, "clear", "one OST gives about 954 MiB/s"),
        (ON_ARCHER2, 120.0, "triggered", "one OST gives about 954 MiB/s"),
    ],
    ids=["ARCHER", "ARCHER, slow", "ARCHER2", "ARCHER2, slow"],
)
def test_one_writer_is_held_against_its_guides_rate(work: Work, write_s: float, slow: str, said: str) -> None:
    document = described(replace(work, parts=(replace(work.parts[0], write_s=write_s),)))
    serial = finding_of(document, "serial-io")
    assert serial.verdict == "triggered"
    assert said in (serial.summary or "")
    below = finding_of(document, "below-expectation")
    assert below.verdict == slow
    assert below.explained_by == ("serial-io" if slow == "triggered" else None)


SHARED_LOCK = "export MPICH_MPIIO_HINTS=*:cray_cb_write_lock_mode=1:cray_cb_nodes_multiplier=4:romio_no_indep_rw=true"


def test_the_shared_lock_as_thetas_guide_has_it_is_left_alone() -> None:
    job = replace(THETA, aggregators=4 * THETA.stripes)
    document = document_of(("job.slurm", job.script(SHARED_LOCK)), ("job.err", job.statistics()))
    assert finding_of(document, "shared-lock-mode-unsafe").verdict == "clear"
    assert above_info(document) == []


@pytest.mark.parametrize(
    ("lines", "said", "command"),
    [
        (
            (SHARED_LOCK.removesuffix(":romio_no_indep_rw=true"),),
            "romio_no_indep_rw is not true",
            "romio_no_indep_rw=true",
        ),
        (("module load cray-hdf5-parallel/1.12.2.1", SHARED_LOCK), "The program uses HDF5", None),
        (("module load cray-parallel-netcdf", SHARED_LOCK), "The program uses PnetCDF", None),
    ],
    ids=["without romio_no_indep_rw", "HDF5", "PnetCDF"],
)
def test_the_shared_lock_that_its_guide_forbids_is_named(
    lines: tuple[str, ...], said: str, command: str | None
) -> None:
    document = document_of(("job.slurm", THETA.script(*lines)), ("job.err", THETA.statistics()))
    finding = finding_of(document, "shared-lock-mode-unsafe")
    assert (finding.verdict, finding.severity) == ("triggered", "high")
    assert said in (finding.summary or "")
    if command is None:
        assert finding.advice[0].text.startswith("Drop cray_cb_write_lock_mode=1")
    else:
        assert command in (finding.advice[0].command or "")


def test_the_settings_without_which_archer2_is_slow_are_asked_for() -> None:
    short = ("export FI_OFI_RXM_SAR_LIMIT=16K", ARCHER2_SETTINGS[1])
    document = document_of(("run.darshan", ARCHER2.log()), ("job.slurm", ARCHER2.script(*short)))
    finding = finding_of(document, "archer2-ssf-settings")
    assert finding.verdict == "triggered"
    assert "FI_OFI_RXM_SAR_LIMIT is 16K" in (finding.summary or "")
    assert finding.advice[0].command == "export FI_OFI_RXM_SAR_LIMIT=64K"


Said = Callable[[CaseDocument], bool]
PRINTED: list[tuple[str, str, str, Said]] = [
    (
        "Theta's statistics",
        "002",
        r"MPIIO write access patterns for testFile.*?ave write gap size = NA",
        lambda d: d.metrics["mpiio.collective_writes"].value == 4096 and d.metrics["io.bytes_written"].value == 2**32,
    ),
    (
        "Theta's timers",
        "002",
        r"MPIIO write by phases, all ranks, for testFile.*?number of writers",
        lambda d: d.metrics["timers.write_wait"].value is not None if "timers.write_wait" in d.metrics else True,
    ),
    (
        "ARCHER2's settings",
        "001",
        r"export FI_OFI_RXM_SAR_LIMIT=64K export MPICH_MPIIO_HINTS=[^\n]*",
        lambda d: d.metrics["hints.mended"].value == "*:cray_cb_write_lock_mode=2:cray_cb_nodes_multiplier=4",
    ),
    (
        "Theta's shared lock",
        "002",
        r"export MPICH_MPIIO_HINTS=\*:cray_cb_write[^\n]*",
        lambda d: str(d.metrics["hints.mended"].value).endswith(":romio_no_indep_rw=true"),
    ),
    (
        "Theta's striping",
        "002",
        r"thetalogin4/stripecount4size8m> lfs getstripe \.\n\.\nstripe_count: [^\n]*",
        lambda d: True,
    ),
]


@pytest.mark.skipif(FOLDER is None, reason="the documents are not there")
@pytest.mark.parametrize(("begins", "pattern", "said"), [p[1:] for p in PRINTED], ids=[p[0] for p in PRINTED])
def test_what_a_guide_prints_is_read_and_said(begins: str, pattern: str, said: Said) -> None:
    folder: Path = FOLDER if FOLDER is not None else Path()
    text = next(f for f in sorted(folder.iterdir()) if f.name.startswith(begins)).read_text(encoding="utf-8")
    found = re.search(pattern, text, re.DOTALL)
    assert found is not None
    block = f"{found[0]}\n".encode()
    assert isinstance(read(BytesIO(block)), Evidence)
    assert said(document_of(("pasted.txt", block)))
