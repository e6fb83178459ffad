"""Files whose format decides how they are accessed: advice is what its users can set, and no code that they do not
write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from described import GIB, KIB, MIB, Part, Work, document, own

from iotriage.analysis.document import Finding
from iotriage.rules.core.advice import Advice


def looked_up(path: str, program: str, ranks: int = 16) -> tuple[str, tuple[Advice, ...]]:
    part = Part(path, range(ranks), reads=3000, size=20 * KIB, read_s=60.0, in_order=0.05, reach=GIB, osts=own(ranks))
    found = document(Work((part,), nprocs=ranks, runtime_s=100, program=program))
    return found.headline.rule or "", found.findings[0].advice


@pytest.mark.parametrize(
    ("path", "program", "setting"),
    [
        ("/scratch/db/00012{}.sst", "/sw/ldbench", "block_cache"),
        ("/scratch/db/00012{}.ldb", "/sw/ldbench", "block_cache"),
        ("/scratch/pg/base/16384/164{}", "/sw/pg/bin/postgres", "shared_buffers"),
        ("/scratch/mysql/data/shop/t{}.ibd", "/sw/bin/mysqld", "innodb_buffer_pool_size"),
        ("/scratch/pq/part-{}.parquet", "/sw/bin/python3 etl.py", "pre_buffer"),
        ("/scratch/a/DAOD.{}.root", "/cvmfs/x/bin/athena.py", "SetCacheSize"),
        ("/scratch/m/subject{}.mat", "/opt/matlab/bin/glnxa64/MATLAB", "matfile"),
        ("/scratch/u/blockmgr-1f/0a/shuffle_0_1{}_0.data", "/usr/bin/java -cp spark", "spark.local.dir"),
    ],
)
def test_its_users_are_told_what_they_can_set(path: str, program: str, setting: str) -> None:
    rule, (said, *others) = looked_up(path, program)
    assert rule == "random-access"
    assert setting in said.text
    assert said.command is None
    assert not others


@pytest.mark.parametrize(
    "path",
    [
        "/scratch/noaa/sst.{}.dat",
        "/scratch/run/shuffle_{}.data",
        "/scratch/2023{}.sst.nc",
        "/scratch/maldi/{}.ibd",
    ],
)
def test_what_is_only_named_alike_is_read_by_the_program(path: str) -> None:
    _, advice = looked_up(path, "/sw/app")
    assert not any(word in one.text for one in advice for word in ("block_cache", "spark", "innodb"))


@pytest.mark.parametrize("name", ["ckpt_1000.pt", "last.ckpt", "model.safetensors"])
def test_a_model_that_one_rank_saves_is_saved_by_all_without_mpi(name: str) -> None:
    part = Part(f"/scratch/ml/{name}", range(1), writes=60_000, size=MIB, write_s=180.0, osts=(3,))
    found = document(Work((part,), nprocs=64, runtime_s=900, nodes=8, program="/sw/bin/python3 train.py"))
    assert found.headline.rule == "serial-io"
    assert "torch.distributed.checkpoint" in (found.headline.command or "")
    assert not any("MPI" in (one.command or "") for one in found.findings[0].advice)


@pytest.mark.parametrize(
    "name",
    ["uniref90.ffdata", "uniref90_a3m.ffindex", "nr.00.psq", "nt.117.nsq", "hg38.rev.1.bt2", "nr.dmnd", "hash.k2d"],
)
def test_who_looks_up_sequences_copies_their_data_base_and_changes_no_code(name: str) -> None:
    part = Part(
        f"/scratch/db/{name}", range(1), reads=2_000_000, size=4 * KIB, read_s=1000.0, in_order=0.02, reach=200 * GIB
    )
    found = document(Work((part,), nprocs=1, runtime_s=1500, nodes=1, program="/sw/bin/search"))
    assert found.headline.rule == "random-access"
    assert "of the node before the run" in (found.headline.action or "")
    assert all(one.command is None for one in found.findings[0].advice)


@pytest.mark.parametrize("name", ["train.ffdata.csv", "mesh.pin.dat", "grid.bt2.raw", "bwt"])
def test_what_is_only_named_like_a_data_base_of_sequences_is_read_by_the_program(name: str) -> None:
    part = Part(
        f"/scratch/db/{name}", range(1), reads=2_000_000, size=4 * KIB, read_s=1000.0, in_order=0.02, reach=200 * GIB
    )
    found = document(Work((part,), nprocs=1, runtime_s=1500, nodes=1, program="/sw/bin/search"))
    assert "Sort the accesses" in (found.headline.action or "")


@pytest.mark.parametrize(
    ("name", "forward", "first"),
    [
        ("pages.{}", 0.3, "See which it is"),
        ("pages.{}", 1.0, "Choose a layout without holes"),
        ("{}.sqlite", 0.3, "The database seldom syncs"),
    ],
)
def test_who_writes_back_and_forth_looks_first_whether_the_file_was_there(
    name: str, forward: float, first: str
) -> None:
    part = Part(
        f"/scratch/db/{name}", range(32), writes=20_000, size=16 * KIB, write_s=120.0, in_order=0.05,
        forward=forward, reach=20 * GIB,
    )  # fmt: skip
    found = document(Work((part,), nprocs=32, runtime_s=400, nodes=4))
    assert found.headline.rule == "sparse-layout"
    assert (found.headline.action or "").startswith(first)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out/part.{k}.{{}}.parquet", "repartition"),
        ("u.zarr/t/{k}.{{}}", "shards of Zarr 3"),
        ("sim.{k}.bp/data.{{}}", "NumAggregators"),
        ("mc/run{k}.{{}}.root", "TBufferMerger"),
        ("out/part.{k}.{{}}.dat", "one shared file"),
        ("out/part.{k}.{{}}.npy", "one array with a dimension more"),
    ],
)
def test_many_files_of_a_library_are_made_fewer_by_it(name: str, said: str) -> None:
    parts = tuple(
        Part(f"/scratch/{name.format(k=k)}", range(2), writes=2, size=40 * KIB, write_s=0.004, meta_s=0.02)
        for k in range(1200)
    )
    found = document(Work(parts, nprocs=2, runtime_s=160, nodes=1, program="/sw/bin/python3 etl.py"))
    assert found.headline.rule == "many-small-files"
    assert said in (found.headline.action or "")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("sim.bp/data.{}", "set NumAggregators"),
        ("mc/out_{}.root", "start fewer processes"),
        ("mc/out_{}.dat", "one shared file, or one per node"),
    ],
)
def test_a_file_of_each_rank_becomes_fewer_by_its_library(name: str, said: str) -> None:
    own = Part(f"/scratch/{name}", range(4096), writes=10, size=150 * KIB, write_s=0.6, meta_s=25.0)
    found = document(Work((own,), nprocs=4096, runtime_s=90, nodes=32))
    assert found.headline.rule == "metadata-bound"
    assert found.headline.command == f"lfs getstripe -d /scratch/{name.partition('/')[0]}"
    given = [one for f in found.findings if f.verdict == "triggered" for one in f.advice if one.withheld is None]
    assert any(said in one.text for one in given)
    assert any("MPI_File_open(node" in (one.command or "") for one in given) == name.endswith(".dat")


def test_files_of_a_library_in_a_folder_for_each_step_are_its_own() -> None:
    steps = (
        Part(f"/scratch/a/plt{k:05}/Level_0/Cell_D_{{}}", range(64), writes=2, write_s=0.5, meta_s=10.0, osts=own(64))
        for k in range(20)
    )
    found = document(Work(tuple(steps), nprocs=64, runtime_s=500, nodes=8))
    assert found.headline.rule == "metadata-bound"
    assert "amr.plot_nfiles" in (found.headline.action or "")


@pytest.mark.parametrize(("name", "said"), [("p{:05}.parquet", "read the footers"), ("p{:05}.dat", "fewer ranks open")])
def test_of_what_every_rank_opens_for_its_footer_one_reads_the_footers(name: str, said: str) -> None:
    each = (
        Part(f"/scratch/ds/{name.format(k)}", range(128), reads=2, size=32 * KIB, read_s=0.01, meta_s=0.1, stats=1,
             in_order=0.0, reach=80 * MIB)
        for k in range(1200)
    )  # fmt: skip
    found = document(Work(tuple(each), 128, 320, nodes=2, program="/sw/bin/python3 scan.py"))
    assert found.headline.rule == "metadata-bound"
    assert said in (found.headline.action or "")


@pytest.mark.parametrize(("name", "copied"), [("hash.k2d", True), ("hash.dat", False)])
def test_a_database_that_a_program_reads_when_it_starts_is_copied_once(name: str, *, copied: bool) -> None:
    """It was there before, though the run writes a little beside it: for more stripes it is copied too."""
    parts = (
        Part(f"/scratch/db/{name}", range(1), reads=60_000, size=MIB, read_s=150.0, osts=(9,)),
        Part("/scratch/out.txt", range(1), "STDIO", writes=2_000_000, size=120, write_s=1.5),
    )
    found = document(Work(parts, 1, 200, nodes=1, program="/sw/kraken2/classify"))
    assert found.headline.rule == "serial-io"
    assert ("copy the database to memory" in (found.headline.action or "")) is copied
    assert any(f"cp /scratch/db/{name}" in (one.command or "") for one in found.findings[0].advice)


def test_one_large_file_of_a_library_says_nothing_of_thousands_of_others() -> None:
    large = Part("/scratch/in/events.root", range(1), reads=40, size=100 * KIB, read_s=0.1, reach=20 * GIB)
    small = Part("/scratch/out/cell_{}.dat", range(4096), writes=10, size=150 * KIB, write_s=0.6, meta_s=25.0)
    found = document(Work((large, small), nprocs=4096, runtime_s=90, nodes=32))
    assert "ROOT" not in (found.headline.action or "")


def test_the_folders_of_a_workflow_stay_where_all_nodes_see_them() -> None:
    parts = (
        Part(f"/scratch/nf/work/{k % 256:02x}/{k:08x}/{name}", range(1), writes=1, reads=1, size=2 * KIB, meta_s=0.02)
        for k in range(1000)
        for name in (".command.sh", ".command.run", ".command.log", ".exitcode")
    )
    found = document(Work(tuple(parts), 1, 160, program="/usr/lib/jvm/java-17/bin/java -jar nextflow.jar"))
    every = " ".join(one.text for f in found.findings if f.verdict == "triggered" for one in f.advice)
    assert "process.scratch = true" in (found.headline.action or "")
    assert "scratch directory" not in every


@pytest.mark.parametrize(
    ("spilled", "variable"),
    [
        ("dask-scratch-space/worker-a/storage", "DASK_TEMPORARY_DIRECTORY"),
        ("ray/session_2026-11-30_10-00-00_000000_17/ray_spilled_objects_0a1b", "RAY_TMPDIR"),
        ("spilled/ray_spilled_objects_0a1b", None),
    ],
)
def test_what_libraries_spill_goes_where_their_setting_says(spilled: str, variable: str | None) -> None:
    """Ray is told by another setting where it spills, if not below its folder of the session."""
    parts = (
        Part(
            f"/scratch/{spilled}/f{k:05}", range(1), writes=4, reads=4, size=64 * KIB,
            write_s=0.01, read_s=0.01, meta_s=0.03,
        )
        for k in range(3000)
    )  # fmt: skip
    found = document(Work(tuple(parts), 1, 300, program="/sw/bin/python3 -m distributed.cli.dask_worker"))
    typed = variable and f'export {variable}="${{TMPDIR:?a folder on the disk of the node}}"'
    assert found.headline.command == typed


@pytest.mark.parametrize(("opens", "said"), [(4000, "each opens the journal"), (1, "The database seldom syncs")])
def test_a_journal_that_is_opened_for_each_change_has_many_transactions(opens: int, said: str) -> None:
    journal = Part("/scratch/a.db-journal", range(1), writes=4000, opens=opens, size=4 * KIB, write_s=80.0)
    assert said in (document(Work((journal,), 1, 100.0, nodes=1)).headline.action or "")


ROWS = Part("/scratch/rows.db", range(1), writes=500_000, size=4 * KIB, write_s=200.0, syncs=100_000)
LINES_OF_OTHERS = Part("/scratch/o.{}.dat", range(64), writes=90_000, size=40, write_s=1.0)


@pytest.mark.parametrize("rows", [ROWS, replace(ROWS, path="/scratch/rows.sqlite3-wal", writes=400_000)])
def test_transactions_of_a_data_base_are_not_told_by_the_writes_of_other_ranks(rows: Part) -> None:
    case = document(Work((rows, LINES_OF_OTHERS), 64, 300.0, nodes=2))
    held = (f for f in case.findings if isinstance(f, Finding) and f.verdict == "triggered")
    advised = {f.rule: f.says.advice[0].text for f in held}
    assert "Make many changes in one transaction" in advised["sync-heavy"]
    assert advised["serial-io"] == advised["sync-heavy"]


@pytest.mark.parametrize(("path", "syncs"), [("/scratch/rows.db", 0), ("/scratch/rows.db-wal", 4)])
def test_a_data_base_that_hardly_syncs_may_have_been_told_not_to(path: str, syncs: int) -> None:
    rows = replace(ROWS, path=path, writes=6000, write_s=22.0, syncs=syncs)
    case = document(Work((rows,), 1, 45.0))
    (found,) = (f for f in case.findings if isinstance(f, Finding) and f.rule == "small-io")
    assert "PRAGMA synchronous" in found.says.advice[0].text


SHARED_DATABASE = Part(
    "/scratch/w/results.sqlite", range(128), reads=3000, writes=20_000, size=4 * KIB, read_s=20.0, write_s=250.0,
    in_order=0.1, reach=80 * MIB, osts=(4,),
)  # fmt: skip


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        (SHARED_DATABASE, "lock-contention"),
        (replace(SHARED_DATABASE, reads=0, size=2 * KIB, in_order=0.9), "shared-log"),
        (replace(SHARED_DATABASE, writes=2000, syncs=1000), "sync-heavy"),
    ],
)
def test_a_database_that_all_ranks_change_is_split_and_not_written_with_mpi_io(part: Part, rule: str) -> None:
    found = document(Work((part,), nprocs=128, runtime_s=450, nodes=2, program="/usr/bin/python3 sweep.py"))
    assert found.headline.rule == rule
    assert "give each rank one of its own" in (found.headline.action or "")
    assert "Make many changes in one transaction" in (found.headline.action or "")
    said = [one for f in found.findings for one in f.advice if f.verdict == "triggered" and f.scope.kind == "group"]
    assert [one.command for one in said if one.command is not None] == []
    assert not any("before the run" in one.text for one in said)


@pytest.mark.parametrize(("name", "setting"), [("facts.db", "PRAGMA cache_size"), ("000123.sst", "block_cache")])
@pytest.mark.parametrize("in_order", [0.1, 0.95])
def test_a_database_that_all_only_read_is_copied_and_not_read_with_mpi_io(
    name: str, setting: str, in_order: float
) -> None:
    part = Part(
        f"/scratch/w/{name}", range(128), reads=100_000, size=4 * KIB, read_s=250.0, in_order=in_order,
        reach=400 * MIB, osts=(4,),
    )  # fmt: skip
    found = document(Work((part,), nprocs=128, runtime_s=450, nodes=2, program="/usr/bin/python3 sweep.py"))
    assert found.headline.rule == "redundant-reads"
    assert (found.headline.action or "").startswith("Copy the ")
    assert setting in (found.headline.action or "")
    assert found.headline.command is None


OWN_DATABASE = Part(
    "/scratch/w/{}.sqlite", range(16), reads=40_000, writes=400, size=4 * KIB, read_s=200.0, write_s=2.0, in_order=0.1,
    reach=160 * MIB, osts=own(16),
)  # fmt: skip


@pytest.mark.parametrize(
    ("part", "copied", "back"),
    [
        (replace(OWN_DATABASE, writes=0, write_s=0.0), True, False),
        (OWN_DATABASE, True, True),
        (replace(OWN_DATABASE, ranks=range(0, 16, 8), osts=(4, 5)), True, True),
        (replace(OWN_DATABASE, path="/scratch/w/all.sqlite", osts=(4,)), False, False),
    ],
    ids=["read", "changed by its rank", "changed by one of each node", "changed by all"],
)
def test_what_is_changed_in_a_copy_on_the_node_is_not_lost(part: Part, *, copied: bool, back: bool) -> None:
    found = document(Work((part,), nprocs=16, runtime_s=400, nodes=2))
    said = " ".join(one.text for f in found.findings if f.verdict == "triggered" for one in f.advice)
    assert "PRAGMA cache_size" in said
    assert ("Copy the database to memory or storage of the node" in said) is copied
    assert ("copy it back at the end" in said) is back


@pytest.mark.parametrize(
    ("writes", "said"), [(0, "Copy the database"), (400, "Where nothing changes it meanwhile, copy")]
)
def test_a_database_at_home_that_is_changed_is_copied_by_nobody_unasked(writes: int, said: str) -> None:
    part = replace(
        OWN_DATABASE, path="/home/u/w/all.sqlite", writes=writes, write_s=writes / 200, osts=(), reach=4 * GIB
    )
    found = document(Work((part,), nprocs=16, runtime_s=400, nodes=2))
    assert found.headline.rule == "wrong-filesystem"
    assert (found.headline.action or "").startswith(said)
