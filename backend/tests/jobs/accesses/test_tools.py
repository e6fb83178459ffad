"""Jobs of programs that others have written: what is advised is what their users can type."""

from dataclasses import replace

import pytest
from described import KIB, MIB, Part, Work, document

LOOKED_UP = Part("/nfs/ref/dbsnp.vcf.gz", range(1), reads=600_000, size=32 * KIB, read_s=500.0, in_order=0.05,
                 forward=0.3, reach=20 * 2**30, seeks=600_000)  # fmt: skip
APPENDED = Part("/scratch/b/hits.tsv", range(1), writes=3_000_000, size=300, write_s=70.0, osts=(2,))
HEADERS = tuple(
    Part(f"/scratch/src/h{k}.h", range(1), reads=40, size=4 * KIB, opens=40, read_s=0.004, meta_s=0.02, stats=80,
         reach=4 * KIB)
    for k in range(3000)
)  # fmt: skip
BASKETS = Part("/scratch/h/in{}.root", range(1), reads=600_000, size=30 * KIB, read_s=500.0, in_order=0.05, reach=2**35)
SCRATCH = Part("/nfs/u/Gau-123.rwf", range(1), writes=60_000, reads=180_000, size=MIB // 4, write_s=200.0, read_s=500.0,
               in_order=0.7, reach=15 * 2**30)  # fmt: skip
MOUNTS = (("/nfs", "nfs"), ("/scratch", "lustre"), ("/home", "nfs"))


@pytest.mark.parametrize(
    ("parts", "program", "said", "typed"),
    [
        ((LOOKED_UP,), "bcftools", "-t and -T read the whole file once", "cp /nfs/ref/dbsnp.vcf.gz"),
        ((APPENDED,), "blastp", "-outfmt 6", None),
        ((LOOKED_UP,), "java -Xmx8g -jar /sw/gatk-package-4.5.0.0-local.jar Mutect2", "-Dsamjdk.buffer_size", None),
        (HEADERS, "python3 -u /sw/env/bin/snakemake", "--drop-metadata", None),
        (HEADERS, "cc1plus", "build on a disk or in the memory of the node", None),
        ((SCRATCH,), "l502.exe", "larger %Mem", "export GAUSS_SCRDIR="),
        ((SCRATCH,), "orca_mdci", "it writes its scratch files beside the input", None),
        ((BASKETS,), "hadd", "-cachesize", None),
        ((APPENDED,), "fio", "fio measures what its options ask for", None),
        ((LOOKED_UP,), "fio", "fio measures what its options ask for", None),
    ],
)
def test_nobody_is_told_to_write_another_program(
    parts: tuple[Part, ...], program: str, said: str, typed: str | None
) -> None:
    found = document(Work(parts, nprocs=1, runtime_s=1500.0, nodes=1, program=f"/sw/bin/{program}", mounts=MOUNTS))
    told = [a for f in found.findings if f.verdict == "triggered" and f.severity != "info" for a in f.advice]
    assert not any(a.kind == "code" for a in told)
    assert said in told[0].text
    assert program != "fio" or not any(a.command for a in told)
    assert typed is None or any(typed in (a.command or "") for a in told)


def test_whoever_writes_the_program_is_told_what_to_write() -> None:
    found = document(Work((LOOKED_UP,), nprocs=1, runtime_s=1500.0, nodes=1, program="/sw/bin/app", mounts=MOUNTS))
    assert found.headline.rule == "random-access"
    assert any(a.kind == "code" for f in found.findings if f.rule == "random-access" for a in f.advice)


def test_one_stream_of_a_tool_is_told_what_to_type_and_of_no_part_of_its_time_steps() -> None:
    given = Part("/scratch/s/x.bam", range(1), reads=400_000, size=256 * KIB, read_s=60.0, osts=(3,))
    made = Part("/scratch/s/sorted.bam", range(1), writes=400_000, size=256 * KIB, write_s=70.0, osts=(4,))
    between = tuple(
        Part(f"/scratch/s/tmp.{k:04}.bam", range(1), writes=768, reads=768, size=256 * KIB, write_s=0.2, read_s=0.3,
             osts=(k % 48,))
        for k in range(400)
    )  # fmt: skip
    parts = (given, *between, made)
    found = document(Work(parts, nprocs=1, runtime_s=600.0, nodes=1, program="/sw/bin/samtools sort x.bam"))
    assert found.headline.rule == "serial-io"
    assert "a larger -m makes fewer of them" in (found.headline.action or "")
    (finding,) = (f for f in found.findings if f.rule == "serial-io")
    assert "of many files start several commands side by side" in finding.advice[0].text
    assert not any(a.text.startswith("Run several processes") for a in finding.advice)


SPILLED = Part("/home/u/.duck/tmp/duckdb_temp_storage-0.tmp", range(1), writes=240_000, reads=240_000, size=256 * KIB,
               write_s=600.0, read_s=500.0, in_order=0.6, reach=60 * 2**30)  # fmt: skip


SPILLED_BY_DASK = replace(SPILLED, path="/home/u/dask-scratch-space/worker-a/storage/f1")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("duckdb", "SET temp_directory"),
        ("comsol", "-tmpdir"),
        ("app", "often it is TMPDIR"),
        ("python3", "here it is DASK_TEMPORARY_DIRECTORY"),
    ],
)
def test_temporaries_at_home_go_where_a_setting_of_the_tool_says(program: str, said: str) -> None:
    spilled = SPILLED_BY_DASK if program == "python3" else SPILLED
    found = document(Work((spilled,), nprocs=1, runtime_s=1500.0, nodes=1, program=f"/sw/bin/{program}"))
    assert found.headline.rule == "wrong-filesystem"
    assert said in (found.headline.action or "")


def copied(program: str) -> Work:
    parts = tuple(
        Part(f"{root}/in/f{k}.fits", range(1), size=128 * KIB, meta_s=0.01, **does)
        for root, does in (("/nfs", {"reads": 20, "read_s": 0.02}), ("/scratch", {"writes": 20, "write_s": 0.01}))
        for k in range(3000)
    )
    return Work(parts, nprocs=1, runtime_s=200.0, nodes=1, program=f"/usr/bin/{program}", mounts=MOUNTS)


@pytest.mark.parametrize(("program", "said"), [("rsync", "dcp"), ("app", "side by side")])
def test_who_copies_files_with_a_program_of_the_system_is_told_of_another(program: str, said: str) -> None:
    found = document(copied(program))
    assert found.headline.rule == "small-io"
    assert said in (found.headline.action or "")


@pytest.mark.parametrize("there", [False, True])
def test_what_is_on_the_node_is_not_told_to_go_there(there: bool) -> None:
    path = "/local/g16/Gau-1.rwf" if there else "/scratch/g16/Gau-1.rwf"
    scratch = Part(path, range(1), writes=20_000, reads=600_000, write_s=30.0, read_s=470.0, reach=20_000 * MIB)
    mounts = (("/scratch", "lustre"), ("/local", "xfs"))
    found = document(Work((scratch,), 1, 900.0, program="/sw/g16/l502.exe", nodes=1, mounts=mounts))
    assert (found.headline.command is None) is there
    assert ("already: what is said of that place is done" in (found.headline.action or "")) is there


def test_what_is_typed_already_is_not_asked_for() -> None:
    typed = "/sw/bin/blastn -query q.fa -db nt -outfmt 6 -num_threads 32"
    found = document(Work((APPENDED,), nprocs=1, runtime_s=1500.0, nodes=1, program=typed, mounts=MOUNTS))
    assert "-outfmt" not in (found.headline.action or "")
    assert "-max_target_seqs" in (found.headline.action or "")
