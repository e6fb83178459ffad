"""What is advised follows what is known of the job: the library, how many aggregators there are, what the calls are."""

from dataclasses import replace

import pytest
from declared import GIB, context

from iotriage.metrics.core.missing_evidence import NODES, MachineWords, evidence_of
from iotriage.rules import all_rules
from iotriage.rules.advice.calls import hints
from iotriage.rules.advice.python_snippets import hints_in_python
from iotriage.rules.advice.slow_node import avoid_node, avoid_nodes
from iotriage.rules.core import Citation
from iotriage.rules.core.advice import advice_text


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


def test_intel_mpi_is_told_how_it_knows_the_file_system():
    def lead(**values):
        (told, *_) = all_rules()["collective-disabled"].advise(context({"mpi.library": "intel-mpi"}, **values))
        return told.lead

    assert "I_MPI_EXTRA_FILESYSTEM=on" in lead()
    assert lead(file_system="beegfs") == "When the file is opened:"


@pytest.mark.parametrize(
    ("api", "file", "c", "python"),
    [
        ("PnetCDF", "/scratch/run/in.nc", "ncmpi_open(MPI_COMM_WORLD, name, NC_NOWRITE, ", "pnetcdf.File(name, 'r', "),
        ("HDF5", "/scratch/run/in.nc", "nc_open_par(name, NC_NOWRITE, ", "netCDF4.Dataset(name, 'r', "),
        ("HDF5", "/scratch/run/in.h5", "H5Pset_fapl_mpio(", "h5py.File(name, 'r', "),
        ("MPI-IO", "/scratch/run/in.dat", "MPI_File_open(MPI_COMM_WORLD, name, mode, ", "name, MPI.MODE_RDONLY, "),
    ],
)
def test_no_line_makes_a_file_anew_that_is_only_read(api, file, c, python):
    read = context({"io.bytes_read": GIB, "io.bytes_written": 0, "mpi.library": "mpich"}, api=api, file=file)
    (told,) = hints(read, "Read.", Citation("drishti", "x"), ("romio_cb_read", "enable"))
    (action,) = told.actions
    assert c in told.command
    assert python in hints_in_python(action).code
    assert not any(word in f"{told.command}{told.fortran}" for word in ("mpi_create(", "create_par(", "CLOBBER"))


def test_hints_of_buffering_are_of_the_direction_whose_pieces_are_small_and_wait_for_collective_calls():
    values = {
        "io.layer": "MPI-IO",
        "mpiio.small_reads": 10**6,
        "mpiio.small_read_fraction": 1.0,
        "mpiio.average_read_size": 4096,
        "job.nprocs": 64,
    }
    alone = context(values | {"io.pattern": "shared-independent", "mpiio.independent_read_fraction": 1.0}, api="MPI-IO")
    (collective, cray, other) = all_rules()["small-io"].advise(alone)
    assert "MPI_File_read_at_all" in collective.command
    assert cray.text.startswith("Once the calls are collective, switch collective buffering on")
    assert cray.command == 'export MPICH_MPIIO_HINTS="*out.dat:romio_cb_read=enable"'
    assert "romio_cb_read" in other.command
    assert "romio_cb_write" not in other.command
    holes = {"mpiio.read_amplification": 9.0, "mpiio.fetched_fraction": 0.9}
    sieved = holes | {"mpiio.independent_bytes_lower_fraction": 1.0}
    (_, cray, other) = all_rules()["redundant-reads"].advise(context(sieved, api="MPI-IO"))
    assert "romio_ds_read=disable" in cray.command
    assert '"romio_ds_read", "disable"' in other.command
    headers = holes | {"mpiio.independent_read_fraction": 0.9}
    (_, cray, _) = all_rules()["redundant-reads"].advise(context(headers, api="MPI-IO"))
    assert "romio_cb_read=disable" in cray.command


@pytest.mark.parametrize(
    ("api", "file", "call"),
    [
        ("HDF5", "in.h5", "H5Dread("),
        ("HDF5", "in.nc", "nc_get_vara_double("),
        ("PnetCDF", "in.nc", "ncmpi_get_vara_double_all("),
        ("POSIX", "in.h5", "H5Fopen("),
        ("POSIX", "in.dat", "MPI_File_read_at_all("),
        ("MPI-IO", "in.dat", "MPI_File_read_at_all("),
    ],
)
def test_all_ranks_read_a_file_by_the_library_that_it_is_of(api, file, call):
    holes = {"mpiio.read_amplification": 9.0, "mpiio.fetched_fraction": 0.9}
    large = {"job.nprocs": 64, "posix.times_read": 64.0, "file.size": GIB}
    for values in (holes, large):
        (first, *_) = all_rules()["redundant-reads"].advise(context(values, api=api, file=f"/scratch/run/{file}"))
        assert call in first.command
        assert ("MPI_File_" in first.command) is call.startswith("MPI_File_")


@pytest.mark.parametrize(
    ("file", "call"), [("o.h5", "H5Fcreate("), ("o.nc", "nc_create_par("), ("o", "MPI_File_open(")]
)
def test_who_takes_locks_away_writes_by_the_library_that_the_file_is_of(file, call):
    given = context({"job.nprocs": 64}, api="POSIX", file=f"/scratch/run/{file}")
    assert any(call in (one.command or "") for one in all_rules()["lock-contention"].advise(given))


def test_epochs_over_a_ranks_own_part_are_no_reading_of_the_whole_by_every_rank():
    says, advise = all_rules()["redundant-reads"].says, all_rules()["redundant-reads"].advise
    each = {"posix.read_whole_fraction": 1.0}
    whole = context({"job.nprocs": 64, "posix.times_read": 64.0, "file.size": 2**20} | each)
    assert says(whole).headline == "All 64 ranks read the same file in full."
    assert "send it to all" in advise(whole)[-1].text
    (of_adios,) = advise(replace(whole, file="/scratch/x/restart.bp/md.0"))
    assert "communicator of all ranks" in of_adios.text
    epochs = context({"job.nprocs": 4, "posix.times_read": 10.0, "file.size": 50 * 2**30})
    assert says(epochs).headline == "The same bytes are read 10 times."
    assert not any("send it to all" in one.text for one in advise(epochs))


@pytest.mark.parametrize(
    ("scheduler", "asked", "counted"),
    [
        ("slurm", 'sacct -X -n -o NodeList -j "${JOB_ID', 'sacct -j "${SLURM_JOB_ID:?the number of the job}"'),
        ("pbs", 'qstat -x -f "${JOB_ID', 'qstat -x -f "${PBS_JOBID:?'),
        ("lsf", 'bhist -l "${JOB_ID', 'bhist -l "${LSB_JOBID:?'),
        ("flux", "flux jobs -n -o '{nodelist}' \"${JOB_ID", "flux resource list"),
    ],
)
def test_nodes_are_asked_for_of_what_ran_the_job(scheduler, asked, counted):
    slow = Citation("archer-bpg", "Lustre basic concepts")
    said = avoid_nodes(context({}, scheduler=scheduler), None, "those of rank 1", "they are slow", slow)
    assert said[0].command.startswith(asked)
    assert any("sbatch" in (one.command or "") for one in said) is (scheduler == "slurm")
    (_, leave_out) = avoid_node(context({}, scheduler=scheduler), "nid001", slow, whichever_files=False)
    of_slurm = 'sbatch --exclude nid001 "${JOB_SCRIPT:?the script of the job}"'
    assert leave_out.command == (of_slurm if scheduler == "slurm" else None)
    assert ("PBS has no option by which a job leaves them out" in advice_text(said[-1])) is (scheduler == "pbs")
    assert ("how a job leaves them out" in advice_text(said[-1])) is (scheduler in ("lsf", "flux"))
    assert evidence_of(NODES, MachineWords(scheduler, ())).lines[0].startswith(counted)
