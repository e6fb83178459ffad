"""What is advised follows what is known of the job: the library, how many aggregators there are, what the calls are."""

from declared import context

from iotriage.rules import all_rules


def test_aggregators_that_have_a_node_each_are_not_spread():
    advise = all_rules()["data-send-bound"].advise
    of_nodes = {"mpiio.aggregator_nodes": 48, "job.nnodes": 256, "timers.data_send_fraction": 0.5}
    (*_, spread) = advise(context(of_nodes | {"mpiio.aggregators": 48}))
    assert spread.withheld == "each has a node of its own"
    (spread, *_) = advise(context(of_nodes | {"mpiio.aggregators": 96}))
    assert "over 96 of the 256 nodes: 48 hold them now" in spread.text
    (spread, *_) = advise(context(of_nodes | {"mpiio.aggregators": 512}))
    assert "over all 256 nodes" in spread.text


def test_lines_of_hdf5_are_for_files_of_hdf5():
    for rule in ("write-gaps", "aggregator-skew"):
        (plain,) = all_rules()[rule].advise(context({}, file="/scratch/out.dat"))
        assert plain.command is None
        (of_hdf5,) = all_rules()[rule].advise(context({}, file="/scratch/out.h5", api="HDF5"))
        assert "H5P" in (of_hdf5.command or "")


def test_calls_that_are_collective_are_not_to_become_so():
    advise = all_rules()["scaling-contention"].advise
    (told,) = advise(context({"runs.pattern": "shared-collective"}))
    assert "collective already" in told.text
    (told,) = advise(context({"runs.pattern": "shared-independent"}))
    assert "with collective calls" in told.text


def test_open_mpi_is_told_which_part_of_it_takes_hints():
    values = {"mpi.library": "openmpi", "io.layer": "MPI-IO", "mpiio.independent_write_fraction": 0.0}
    (told, *_) = all_rules()["collective-disabled"].advise(context(values, api="MPI-IO"))
    assert "OMPI_MCA_io=^ompio" in (told.lead or "")


def test_epochs_over_a_ranks_own_part_are_no_reading_of_the_whole_by_every_rank():
    says, advise = all_rules()["redundant-reads"].says, all_rules()["redundant-reads"].advise
    whole = context({"job.nprocs": 64, "posix.times_read": 64.0, "file.size": 2**20})
    assert says(whole).headline == "All 64 ranks read the same file in full."
    assert "send it to all" in advise(whole)[-1].text
    epochs = context({"job.nprocs": 4, "posix.times_read": 10.0, "file.size": 50 * 2**30})
    assert says(epochs).headline == "The same bytes are read 10 times."
    assert not any("send it to all" in one.text for one in advise(epochs))
