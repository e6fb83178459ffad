"""lfs getstripe, IOR, benchio and job context in what surrounds them: others' files, noise, prefixes, damage."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from budget import dice, examples, tries
from hypothesis import given, settings
from hypothesis import strategies as st
from odd_stream import OddStream
from stats_text import REPOSITORY, codes, extra, read

from iotriage_parsers import detect
from iotriage_parsers.evidence import BenchmarkRun, Evidence, Failure, JobContext, OstUsage, Part, StripeLayout
from iotriage_parsers.reader import Limits
from iotriage_parsers.readers import benchio, ior, job_context, lfs_getstripe
from iotriage_parsers.text.blocks import BlockReader
from iotriage_parsers.text.scan import scan

KINDS: dict[str, BlockReader] = {m.reader.id: m.reader for m in (benchio, ior, job_context, lfs_getstripe)}
OURS = (BenchmarkRun, JobContext, OstUsage, StripeLayout)
MIB, GIB = 2**20, 2**30

SAMPLES = sorted(
    path
    for kind in KINDS
    for path in (REPOSITORY / "sample-logs" / kind).glob("*/*")
    if path.name not in ("origin.md", "evidence.json", "metrics.json", "findings.json")
)


def name_of(path) -> str:
    return f"{path.parts[-3]}/{path.parts[-2]}"


def parts(data: bytes, chunk_bytes: int = 2**20) -> tuple[Part, ...]:
    blocks, _ = scan(io.BytesIO(data), tuple(KINDS.values()), Limits(), chunk_bytes)
    return tuple(p for b in blocks for p in b.found.parts)


def figures(found: Iterable[Part]) -> list[tuple[object, ...]]:
    """Everything that is said, but not where it stands."""
    said: list[tuple[object, ...]] = []
    for part in found:
        if isinstance(part, StripeLayout):
            shape = [(c.start_bytes, c.end_bytes, c.stripe_count, c.stripe_size_bytes, c.osts) for c in part.components]
            said.append((part.form, part.path, part.complete, *shape))
        elif isinstance(part, BenchmarkRun):
            rows = [(r.operation, r.layer, r.striping, r.max_bytes_per_s, r.best_bytes_per_s) for r in part.results]
            said.append((part.tool, part.nprocs, part.nodes, part.block_size_bytes, part.complete, *rows))
        elif isinstance(part, JobContext):
            launches = [(x.ranks, x.program) for x in part.launches]
            environment = [(e.name, e.value) for e in part.environment]
            said.append((part.source, part.job_id, part.nnodes, part.ntasks, part.elapsed_s, *launches, *environment))
    return said


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_a_sample_is_known_by_what_it_holds(path) -> None:
    evidence = read(path.read_bytes())
    assert evidence.reader == path.parts[-3]
    assert evidence.problems == ()
    assert all(isinstance(p, OURS) for p in evidence.parts)
    assert detect.describe(evidence)


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
@pytest.mark.parametrize(
    "prefix", ["> ", "  0: ", "nid001040: ", "[1,0]<stdout>:", "2025-03-04T16:02:11 "], ids=lambda p: p.strip()
)
def test_prefixes_are_taken_off(path, prefix: str) -> None:
    plain = path.read_bytes()
    lines = plain.decode().splitlines()
    quoted = "".join(f"{prefix}{line}\n" for line in lines).encode()
    if path.name.endswith(".json"):
        pytest.skip("a JSON document is not printed by ranks")
    assert figures(parts(quoted)) == figures(parts(plain))


@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_line_ends_and_encodings(path) -> None:
    plain = path.read_bytes()
    for other in (plain.replace(b"\n", b"\r\n"), plain.decode().encode("utf-16"), b"\xef\xbb\xbf" + plain):
        assert figures(parts(other)) == figures(parts(plain))


NOISE = st.lists(
    st.sampled_from(
        [
            "step 12  residual = 1.2e-5",
            "| a | table | of | something = else |",
            "slurmstepd: error: *** STEP 7.0 ON nid001 CANCELLED ***",
            "srun: error: nid001: task 3: Killed",
            "+ export MPICH_MPIIO_STATS=1",
            "Writing to output/fields.nc",
            "Finished job 5 at noon",
            "access denied",
            "",
            "0: 0",
            "> quoted",
            "10%\r20%\r30%",
            "é ü",
            "lustre: stripe_count: automatic",
            '{"Version": 2}',
        ]
    ),
    max_size=30,
)


@given(st.sampled_from(SAMPLES), NOISE, NOISE)
@settings(max_examples=examples(10), deadline=None)
def test_noise_around_changes_nothing(path, before: list[str], after: list[str]) -> None:
    around = ["".join(f"{line}\n" for line in lines).encode() for lines in ([*before, "-- "], ["", "-- ", *after])]
    plain = path.read_bytes()
    assert figures(parts(around[0] + plain + around[1])) == figures(parts(plain))


@given(st.sampled_from(SAMPLES), st.lists(st.integers(1, 400), min_size=1, max_size=5).map(tuple), st.integers(1, 3000))
@settings(max_examples=examples(10), deadline=None)
def test_how_the_bytes_arrive_changes_nothing(path, sizes: tuple[int, ...], chunk_bytes: int) -> None:
    data = path.read_bytes()
    readers = tuple(KINDS.values())
    assert scan(OddStream(data, sizes), readers, Limits(), chunk_bytes) == scan(io.BytesIO(data), readers, Limits())


@pytest.mark.fuzz
@pytest.mark.parametrize("path", SAMPLES, ids=name_of)
def test_damage_is_survived(path) -> None:
    data = path.read_bytes()
    chance = dice(name_of(path))
    for _ in range(20):
        assert isinstance(detect.read(io.BytesIO(data[: chance.randrange(len(data))])), Evidence | Failure)
    for _ in range(tries(8, 200)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        assert isinstance(detect.read(io.BytesIO(bytes(flipped))), Evidence | Failure)


@pytest.mark.parametrize("path", [p for p in SAMPLES if p.parts[-3] in ("ior", "benchio")], ids=name_of)
def test_a_cut_benchmark_never_tells_a_bandwidth_that_the_whole_does_not(path) -> None:
    data = path.read_bytes()
    whole = {r.best_bytes_per_s for p in parts(data) if isinstance(p, BenchmarkRun) for r in p.results}
    rows = {i.bytes_per_s for p in parts(data) if isinstance(p, BenchmarkRun) for r in p.results for i in r.iterations}
    for end in range(0, len(data), 61):
        for part in parts(data[:end]):
            if isinstance(part, BenchmarkRun):
                found = {i.bytes_per_s for r in part.results for i in r.iterations if i.bytes_per_s is not None}
                assert found <= rows
                assert {r.best_bytes_per_s for r in part.results} <= whole | rows


PIECES = [
    "lmm_stripe_count:  1\n", "lmm_stripe_size:   9\n", "lcm_layout_gen: 1\n", "lcme_id: 1\n",
    "obdidx objid objid group\n",
    " 1 2 0x2 0\n", "stripe_count: 1 stripe_size: 1 stripe_offset: -1\n", "composite_header:\n",
    "- 0: { l_ost_idx: 1, l_fid: [0x1:0x2:0x0] }\n", "UUID  bytes Used Available Use% Mounted on\n",
    "IOR-3.3.0: MPI Coordinated Test of Parallel I/O\n", "api : POSIX\n", "TestID : 0\n", "write 1.0 2.0 3.0\n",
    "access bw(MiB/s) iter\n", "write 1.00 0\n", "Max Write: 1.00 MiB/sec (1.05 MB/sec)\n", "Summary of all tests:\n",
    "Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev\n", "write 1 1 1 0\n", "Finished : now\n",
    '"Version": "4.0",\n',
    '"Began": "x", "tests": [{"Results": [{"access": "write", "bwMiB": 1}]}]\n', "}\n", "access,bw(MiB/s),iter\n",
    "write,1.0,0\n", "hints passed to MPI_File_open() {\n", " Simple Parallel IO benchmark\n",
    "Writing to a/mpiio.dat\n",
    "time = 1.0 , rate = 2.0 GiB/s\n", "Nodes, rates (GiB/s) repeat measurements\n", "1, 2.0, 3.0,\n", "Finished\n",
    "#!/bin/bash\n", "#SBATCH -N 2\n", "#PBS -l select=2:mpiprocs=4\n", "export A=1\n", 'export IOBUF_PARAMS="\n',
    "srun -n 4 \\\n", "srun -n 4 ./a\n", "lfs setstripe -c\n", "module load\n", "JobID  JobName  NTasks\n",
    "------ -------- ------\n", "5      a             4\n", "JobId=5 JobName=a\n", "   NumNodes=2\n", "\n", "path\n",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.integers(0, 40))
@settings(max_examples=examples(10), deadline=None)
def test_pieces_in_any_order_get_an_answer(pieces: list[str], cut: int) -> None:
    text = "".join(pieces)
    parts(text[: len(text) - cut].encode())


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.sampled_from(PIECES))
@settings(max_examples=examples(10), deadline=None)
def test_any_text_after_a_first_line_gets_an_answer(text: str, first: str) -> None:
    parts((first + text).encode())
    parts((first.rstrip("\n") + text).encode())


@pytest.mark.parametrize(
    "line",
    [
        "#SBATCH " + "-N " * 15_000,
        "#PBS -l " + "select=1," * 6_000,
        "export A=" + "\"'" * 20_000,
        "export A=" + "$(" * 20_000,
        "JobID" + " " * 50_000 + "Elapsed",
        "A " * 20_000 + "JobID Elapsed",
        "JobId=1 JobName=" + "A= " * 15_000,
        "lmm_stripe_count: " + " " * 50_000 + "x",
        "stripe_count: 1 stripe_size: " * 2_000,
        '"Version": "4.1", "Began": "' + "\\" * 50_000,
        '{"Version": "4.1", "Began": 1, "tests": ' + "[{" * 20_000,
        "IOR-" + "1" * 40 + ": MPI Coordinated Test of Parallel I/O" + " " * 50_000,
        "Writing to " + "a/" * 20_000 + "mpiio.dat",
        "1," + "1," * 20_000,
        "srun " + "-n 1 " * 10_000,
    ],
    ids=lambda line: line[:24],
)
def test_a_long_line_costs_little(line: str) -> None:
    """Not timed: what backtracks on 60 kB runs into the time limit of the whole test run."""
    heads = "#!/bin/bash\nNodes, rates (GiB/s) repeat measurements\nIOR-3.3.0: MPI Coordinated Test of Parallel I/O\n"
    parts(f"{heads}{line}\n{line}\n".encode())
    parts(f"{line}\n".encode())


TEXTS = extra("samples", "text")
MPI_TEXTS = extra("samples", "mpiio")
HOSTILE = extra("hostile", "text")

KNOWN = {
    **dict.fromkeys((65, 66, 67, 68, 69, 71, 73, 75, 82, 83, 84, 97, 99), "ior"),
    **dict.fromkeys((76, 77, 78, 81, 98), "benchio"),
    **dict.fromkeys((85, 86, 87, 88, 89, 90, 91, 92, 93, 96), "lfs_getstripe"),
}


def public(number: int) -> Evidence:
    assert TEXTS is not None
    path = next(TEXTS.glob(f"{number:02}-*"), None)
    if path is None:
        pytest.skip(f"{number} is not there")
    return read(path.read_bytes())


def run_of(number: int) -> BenchmarkRun:
    (found,) = public(number).of(BenchmarkRun)
    return found


@pytest.mark.skipif(TEXTS is None, reason="no extra corpora")
class TestPublicTexts:
    """Real texts of others: the figures expected here were read in them by eye."""

    @pytest.mark.parametrize("number", sorted(KNOWN))
    def test_kind(self, number: int) -> None:
        evidence = public(number)
        assert evidence.reader == KNOWN[number]
        assert not evidence.of(JobContext)

    @pytest.mark.parametrize(
        ("number", "version", "ranks", "nodes", "transfer", "block", "access", "best"),
        [
            (65, "2.10.0.1", 2048, 2048, 4 * MIB, 256 * MIB, "file-per-process", {"write": 1952.53, "read": 1568.01}),
            (66, "3.1.0", 64, 64, 16 * MIB, 16 * MIB, "file-per-process", {"read": 7587.30}),
            (67, "3.2.0", 80, 10, 2 * MIB, 45_000 * MIB, "file-per-process", {"write": 10784.94}),
            (68, "3.3.0+dev", 100, 10, 2 * MIB, 23_000 * MIB, "file-per-process", {"write": 5781.24}),
            (69, "3.3.0+dev", 400, 10, 47_008, 47_008, "single-shared-file", {"write": 10751.12}),
            (71, "4.1.0+dev", 640, 80, 47_008, 47_008, "single-shared-file", {"write": 6140}),
            (75, "3.2.1", 64, 4, MIB, 16 * MIB, "single-shared-file", {"write": 442.71, "read": 18789.51}),
            (82, "4.1.0+dev", 4, 1, MIB, 4 * MIB, "single-shared-file", {"write": 59.24, "read": 71.27}),
            (83, "4.1.0+dev", 4, 1, MIB, 4 * MIB, "single-shared-file", {"write": 70.7982, "read": 73.2287}),
            (97, "4.1.0+dev", 4, 1, 65_536, 4 * MIB, "file-per-process", {"write": 923.04, "read": 661.65}),
            (99, "3.4.0+dev", 12, 1, MIB, 16 * MIB, "single-shared-file", {"write": 29629.36, "read": 3190.35}),
        ],
    )
    def test_ior(self, number, version, ranks, nodes, transfer, block, access, best) -> None:
        run = run_of(number)
        assert (run.version, run.nprocs, run.nodes, run.access) == (version, ranks, nodes, access)
        assert (run.transfer_size_bytes, run.block_size_bytes) == (transfer, block)
        assert {r.operation: r.best_bytes_per_s for r in run.results if r.operation != "remove"} == {
            operation: rate * MIB for operation, rate in best.items()
        }

    def test_ior_in_detail(self) -> None:
        write, read_, remove = run_of(75).results
        assert (write.min_bytes_per_s, write.stddev_bytes_per_s, write.mean_seconds) == (
            399.48 * MIB,
            17.49 * MIB,
            39.49078,
        )
        assert [i.seconds for i in remove.iterations] == [1.02, 0.985112, 0.837348, 0.757557]
        assert [i.bytes_per_s for i in read_.iterations] == [r * MIB for r in (10456, 18790, 11364, 13121)]
        assert run_of(82).collective is True
        assert (run_of(65).total_bytes, run_of(66).total_bytes) == (512 * GIB, 1860 * GIB)
        assert codes(public(71)) == []

    def test_ior_csv_and_lines_alone(self) -> None:
        run = run_of(84)
        assert (run.nprocs, [r.best_bytes_per_s for r in run.results]) == (4, [64.2539 * MIB, 65.9786 * MIB])
        assert [r.of("write")[0].max_bytes_per_s for r in public(73).of(BenchmarkRun)] == [
            rate * MIB for rate in (442.71, 13967.90, 13799.40, 13259.36, 480.86, 2176.59)
        ]

    @pytest.mark.parametrize(
        ("number", "ranks", "total", "layer", "striping", "best", "rows"),
        [
            (76, 12288, 196_608 * MIB, "mpiio", "striped", 12192.030270700208, 10),
            (76, 12288, 196_608 * MIB, "netcdf", "defstriped", 609.29145991918926, 10),
            (77, 32, 4096 * MIB, "mpiio", "striped", 708.390695369931, 10),
            (78, 1152, 147_456 * MIB, "serial", "unstriped", 620.619684928490, 10),
            (78, 1152, 147_456 * MIB, "hdf5", "striped", 2007.14121222179, 10),
            (98, 4, MIB, "proc", "unstriped", 6.1311979838712005e-2 * 1024, 1),
            (98, 4, MIB, "hdf5", "fullstriped", 1.4946162973976484e-3 * 1024, 1),
        ],
    )
    def test_benchio(self, number, ranks, total, layer, striping, best, rows) -> None:
        run = run_of(number)
        assert (run.nprocs, run.total_bytes, run.complete) == (ranks, total, True)
        (result,) = (r for r in run.results if (r.layer, r.striping) == (layer, striping))
        assert result.best_bytes_per_s == pytest.approx(best * MIB, rel=1e-15)
        assert len(result.iterations) == rows

    def test_benchio_csv(self) -> None:
        runs = public(81).of(BenchmarkRun)
        assert [r.nodes for r in runs] == [1, 2, 4, 8, 16, 32, 64] * 6
        assert runs[0].results[0].iterations[0].bytes_per_s == 1.2207864898615746 * GIB
        assert [s.text for s in runs[-1].settings] == ["Multiplier = 32", "Nodes, rates (GiB/s) repeat measurements"]

    @pytest.mark.parametrize(
        ("number", "path", "count", "size", "osts"),
        [
            (85, "/mnt/lustre/4mb_file", 1, 4 * MIB, (1,)),
            (85, "/mnt/lustre/full_stripe", 6, None, (0, 1, 2, 3, 4, 5)),
            (85, "/mnt/testfs/3comp_to_norm", 2, 2 * MIB, (4, 5)),
            (86, "/mnt/lustre/domdir/normfile", 2, MIB, (1, 0)),
            (88, "/mnt/testfs/frog", 2, MIB, (2, 0)),
            (89, "testfile1", 4, 2 * MIB, (28, 30, 1, 5)),
            (91, "/scratch/user/test/file.txt", 4, 2 * MIB, (14, 1, 3, 5)),
            (92, "experiments/new_file", 4, MIB, (6, 1, 19, 15)),
            (93, "test1", 1, MIB, (37,)),
        ],
    )
    def test_plain_layouts(self, number, path, count, size, osts) -> None:
        (found,) = (p for p in public(number).of(StripeLayout) if p.path == path)
        (stripes,) = found.components
        assert (found.form, stripes.stripe_count, stripes.stripe_size_bytes, stripes.osts) == (
            "plain",
            count,
            size,
            osts,
        )

    def test_composite_layouts(self) -> None:
        before, after = (p for p in public(85).of(StripeLayout) if p.path == "/mnt/testfs/create_comp")
        assert [len(p.instantiated) for p in (before, after)] == [1, 3]
        assert [(c.end_bytes, c.stripe_count) for c in after.components] == [(4 * MIB, 1), (64 * MIB, 4), (None, 8)]
        (old,) = public(96).of(StripeLayout)
        assert (old.mirror_count, [c.pattern for c in old.components]) == (None, ["raid0", "raid0"])
        dom = public(86).of(StripeLayout)[1]
        assert (dom.components[0].on_mdt, dom.components[1].osts) == (True, (0, 1))

    def test_mirrors(self) -> None:
        two, three = public(87).of(StripeLayout)[:2]
        assert [(c.mirror_id, c.pool, c.stripe_count) for c in two.components] == [(1, "flash", 2), (2, "archive", 6)]
        assert (three.mirror_count, three.entry_count, three.complete) == (3, 6, True)
        assert three.components[0].flags == ("init", "prefer")

    def test_lfs_df(self) -> None:
        (usage,) = public(90).of(OstUsage)
        assert ([t.index for t in usage.osts], len(usage.mdts), usage.mount) == ([0, 1, 2, 3], 4, "/pfs/lustref1")
        assert usage.osts[0].total_bytes == round(121.3 * 2**40)

    def test_texts_of_other_kinds_hold_none_of_ours(self) -> None:
        assert TEXTS is not None
        for path in sorted(TEXTS.glob("[0-6]*-*.txt")):
            if int(path.name[:2]) < 65:
                assert not any(isinstance(p, OURS) for p in parts(path.read_bytes())), path.name


@pytest.mark.skipif(MPI_TEXTS is None or HOSTILE is None, reason="no extra corpora")
def test_no_output_of_a_job_is_taken_for_its_script() -> None:
    assert MPI_TEXTS is not None
    assert HOSTILE is not None
    for path in sorted([*MPI_TEXTS.iterdir(), *HOSTILE.iterdir()]):
        if path.is_file() and path.suffix != ".gz":
            assert not any(isinstance(p, JobContext) for p in parts(path.read_bytes())), path.name
