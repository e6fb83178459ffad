"""What is advised where one rank, or what it waits for, takes the time: by when, where and how it does its I/O."""

from dataclasses import replace

import pytest
from declared import GIB, context, metrics_of

from iotriage.rules import all_rules

ALONE = {
    "balance.alone_time_fraction": 0.9,
    "balance.alone_files": 8.0,
    "balance.alone_file": "state.001",
    "balance.alone_way": "writes",
    "balance.alone_access": 8 * 2**20,
    "io.bytes_read": 1000 * GIB,
    "io.bytes_written": 240 * GIB,
    "io.pattern": "file-per-process",
    "job.nprocs": 128,
}


def advised(rule, metrics, **given):
    return all_rules()[rule].advise(context(metrics, **given))


def test_files_in_turn_are_not_shared_out():
    (in_turn,) = advised("serial-io", ALONE | {"balance.alone_pauses": 0.6})
    assert "written at different times of the run" in in_turn.text
    assert "MPI_File_write_all" in in_turn.command
    (at_once,) = advised("serial-io", ALONE | {"balance.alone_pauses": 0.0})
    assert at_once.text.startswith("Share 8 files such as state.001 out among the ranks: each writes some")


def test_what_pytorch_saves_on_one_rank_it_can_save_on_all():
    (one,) = advised("serial-io", ALONE | {"balance.alone_pauses": 0.6, "balance.alone_file": "step0001.pt"})
    assert "torch.distributed.checkpoint" in one.command


@pytest.mark.parametrize(
    ("mount", "systems", "copied"), [("nfs4", 1, True), ("nfs4", 0, False), ("lustre", 1, False)], ids=str
)
def test_all_ranks_are_not_sent_to_a_server_of_nfs(mount, systems, copied):
    metrics = {"balance.alone_files": 1.0, "balance.alone_way": "reads", "balance.alone_mount": mount}
    (one,) = advised("serial-io", ALONE | metrics | {"job.parallel_file_systems": systems})
    assert one.text.startswith("Copy state.001 to the parallel file system first") is copied
    assert "every rank read its part" in one.text


SLOW = {
    "balance.gathered_evenly": "no",
    "balance.bytes": 1.0,
    "balance.time": 35.0,
    "balance.slow_ranks": 1,
    "balance.time_beyond_mean": 236.0,
    "balance.file": "r.0017",
    "balance.file_path": "/scratch/run/r.0017",
    "balance.longest_call": 240.0,
    "balance.longest_call_kind": "read",
    "job.nprocs": 64,
}


def test_a_rank_that_waits_in_one_call_has_no_slow_server():
    words = all_rules()["straggler-rank"].says(context(SLOW))
    assert words.headline == "One rank waits 4 min in a single call."
    (one,) = advised("straggler-rank", SLOW)
    assert (one.command, "OST" in one.text) == ("lfs hsm_state /scratch/run/r.0017", False)
    (written,) = advised("straggler-rank", SLOW | {"balance.longest_call_kind": "write"})
    assert written.command is None


def test_several_ranks_wait_each_in_an_open_and_not_in_the_read_of_one():
    several = SLOW | {"balance.slow_ranks": 4, "balance.longest_call_kind": "open"}
    words = all_rules()["straggler-rank"].says(context(several))
    assert words.headline == "4 ranks wait for up to 4 min, each in a single open."
    (one,) = advised("straggler-rank", several)
    assert one.command == "lfs hsm_state /scratch/run/r.0017"
    (read, fetched) = advised("straggler-rank", several | {"balance.longest_call_kind": "read"})
    assert ("server (OST), their node" in read.text, fetched.command) == (True, one.command)
    assert len(advised("straggler-rank", several | {"balance.longest_call_kind": "write"})) == 1


@pytest.mark.parametrize(("given", "is_told"), [(31 * GIB, True), (4 * GIB, False), (None, False)])
def test_what_hdf5_compresses_on_one_rank_takes_its_processor(given, is_told):
    stored = ALONE | {"io.bytes_written": 3 * GIB, "io.bytes_read": 0, "io.pattern": "serial"}
    whole = stored | {"balance.slowest_rank_share": 1.0, "hdf5.bytes_written": given}
    says, in_part = all_rules()["serial-io"].says, metrics_of(whole, ["io.bytes_written"])
    assert ("compress or convert" in says(context(whole)).summary) is is_told
    # Where records of what is written below are missing, that may be why it is less.
    assert "compress or convert" not in says(replace(context(whole), metrics=in_part)).summary


def test_a_rank_that_is_slow_throughout_has():
    (one, *_) = advised("straggler-rank", SLOW | {"balance.longest_call": 20.0})
    assert "its server (OST), its node" in one.text


@pytest.mark.parametrize(
    ("mount", "command", "not_advised"),
    [
        ("lustre", "mksquashfs /opt/env environment.squashfs -noappend", None),
        (
            "overlay",
            'apptainer build environment.sif "${SANDBOX:?the folder of the image}"',
            "it lies in one already (overlay)",
        ),
        ("tmpfs", None, "the environment lies on the node already (tmpfs)"),
    ],
)
def test_an_environment_is_not_put_where_it_is(mount, command, not_advised):
    first, second = advised("import-storm", {"file.environment": "/opt/env", "file.environment_mount": mount})
    assert (first.command, second.withheld) == (command, not_advised)


@pytest.mark.parametrize(
    ("program", "command"),
    [("python3.11", 'python3 -X importtime "${SCRIPT:?the script of the program}"'), ("R", None), ("perl", None)],
)
def test_the_times_of_imports_are_shown_by_python_alone(program, command):
    first, second = advised("import-storm", {"file.environment": "/tmp/env"}, program=program)
    assert (first.command, second.withheld) == (command, "the environment lies on the node already (/tmp/env)")


@pytest.mark.parametrize(("mount", "on_node"), [("lustre", False), ("tmpfs", True)])
def test_what_lies_on_the_node_is_not_copied_there(mount, on_node):
    (one,) = advised("redundant-reads", {"io.pattern": "file-per-process", "file.mount_type": mount})
    assert ("lie on the node already" in one.text, "keep the file on storage of the node" in one.text) == (
        on_node,
        not on_node,
    )


FILLED = {
    "balance.gathered_evenly": "no",
    "balance.bytes": 256.0,
    "balance.time": 4.6,
    "balance.file": "fields.h5",
    "balance.busiest_share": 0.5,
    "file.written_span_over_bytes": 0.5,
    "io.bytes_written": 200 * GIB,
    "job.nprocs": 512,
}


@pytest.mark.parametrize(
    ("file", "line"), [("fields.h5", "H5Pset_fill_time"), ("fields.nc", "nc_def_var_fill")], ids=["HDF5", "netCDF"]
)
def test_fill_values_are_not_to_be_written(file, line):
    given = FILLED | {"balance.file": file}
    assert "the fill values of" in all_rules()["straggler-rank"].says(context(given)).headline
    (one,) = advised("straggler-rank", given)
    assert line in one.command


@pytest.mark.parametrize(
    "other",
    [
        {"balance.file": "fields.dat"},
        {"file.written_span_over_bytes": 1.0},
        {"balance.busiest_share": 0.2},
        {"io.bytes_read": 300 * GIB},
    ],
    ids=["no HDF5", "written once", "no whole copy by one", "mostly read"],
)
def test_what_does_not_look_like_fill_values_is_to_be_spread(other):
    words = all_rules()["straggler-rank"].says(context(FILLED | other))
    assert words.headline == "One rank moves far more data than the others, which wait for it."


@pytest.mark.parametrize(("pattern", "doubted"), [("file-per-process", True), ("shared-collective", False)])
def test_whether_others_wait_is_not_seen_in_files_of_their_own(pattern, doubted):
    words = all_rules()["straggler-rank"].says(
        context({"balance.bytes": 10.0, "balance.time": 10.0, "io.pattern": pattern})
    )
    assert ("in a farm of tasks" in words.summary) is doubted


@pytest.mark.parametrize(
    ("changed", "serves"),
    [
        ({}, True),
        ({"balance.alone_rank": 0}, False),
        ({"balance.alone_way": "reads"}, False),
        ({"balance.alone_pauses": 0.0}, False),
    ],
    ids=["last rank", "first rank", "reads", "in one go"],
)
def test_nobody_may_wait_for_a_later_rank_that_writes_all_along(changed, serves):
    metrics = (
        ALONE
        | {"balance.alone_rank": 512, "balance.alone_pauses": 0.6, "balance.time": 40.0, "io.bytes": GIB}
        | changed
    )
    rule = all_rules()["serial-io"]
    said = rule.says(context(metrics)).summary
    assert "Whether the others wait meanwhile is not in the log." in said
    assert ("It is rank 512: as an I/O server" in said, rule.impact(context(metrics)) is None) == (serves, serves)


POLLS = {
    "balance.alone_file": "ready.flag",
    "balance.alone_files": 1.0,
    "balance.alone_metadata_fraction": 1.0,
    "posix.data_metadata_io_fraction": 0.99,
    "posix.data_opens": 1320,
    "posix.data_stats": 1_200_000,
    "posix.metadata_busiest_share": 0.997,
}


@pytest.mark.parametrize(
    ("changed", "polls"),
    [
        ({}, True),
        ({"posix.metadata_busiest_share": 0.1}, False),
        ({"balance.alone_files": 400.0}, False),
        ({"posix.data_opens": 400_000}, False),
    ],
    ids=["one file", "all ranks ask", "many files", "opened each time"],
)
def test_who_asks_again_and_again_about_one_file_waits_for_it(changed, polls):
    rule, metrics = all_rules()["metadata-bound"], context(POLLS | changed)
    assert rule.says(metrics).headline.startswith("One rank asks again and again whether ready.flag") is polls
    assert (rule.advise(metrics)[0].command == "sleep(5);") is polls
    assert (rule.impact(context(POLLS | changed | {"job.nprocs": 32})) is None) is polls


@pytest.mark.parametrize(("files", "kept"), [(100, True), (3000, False)])
def test_no_process_is_told_to_keep_thousands_of_files_open(files, kept):
    metrics = {"posix.data_opens": 5.0 * files, "posix.opens_by_a_rank": 5.0, "file.count": files}
    said = advised("metadata-bound", metrics | {"posix.files_of_a_rank": files, "file.not_written_fraction": 1.0})
    assert any("keep it open" in one.text for one in said) is kept


@pytest.mark.parametrize(
    ("program", "file", "files", "samples"),
    [
        ("python3", "/scratch/c4/shard_001.bin", 60, True),
        ("python3", "/scratch/c4/shard_001.bin", 1, False),
        ("python3", "/scratch/forc/f001.nc", 60, False),
        ("cesm.exe", "/scratch/c4/shard_001.bin", 60, False),
    ],
)
def test_many_files_that_python_reads_may_be_samples(program, file, files, samples):
    metrics = {"io.pattern": "shared-independent", "posix.times_read": 16.0, "job.nprocs": 16}
    for rule in ("redundant-reads", "random-access"):
        told = " ".join(one.text for one in advised(rule, metrics, file=file, files=files, program=program))
        assert ("a training" in told) is samples


@pytest.mark.parametrize(("access", "small"), [(2**18 - 1, False), (2**18, False), (2**17, True)])
def test_a_header_makes_no_small_accesses_of_one_rank(access, small):
    slow = ALONE | {"balance.alone_access": access, "balance.alone_rate": 50 * 2.0**20, "balance.alone_pauses": 0.6}
    assert any("in blocks of 1 MiB or more" in one.text for one in advised("serial-io", slow)) == small


@pytest.mark.parametrize(("each", "first"), [(2**20 - 1, "Find out"), (2**20, "Find out"), (2**19, "Write more")])
def test_a_header_makes_no_small_collective_calls(each, first):
    calls = {"mpiio.collective_writes": 64 * 6000, "mpiio.independent_bytes_upper_fraction": 0.0, "job.nprocs": 64}
    given = calls | {"io.bytes": 64 * 6000 * each, "io.bytes_written": 64 * 6000 * each}
    assert advised("collective-overhead", given)[0].text.startswith(first)


@pytest.mark.parametrize(
    ("files", "told"), [(1.2, "write its part of state.001"), (8.0, "each reads or writes some of them")]
)
def test_what_a_rank_does_is_what_it_does_where_its_time_passes(files, told):
    """It reads most of the bytes fast, and writes the file that takes longest."""
    other = {"balance.alone_way": "reads", "balance.alone_file_way": "writes", "balance.alone_files": files}
    assert told in advised("serial-io", ALONE | other)[0].text
