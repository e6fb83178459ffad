"""What stands in a program in Python instead of lines of C: mpi4py, h5py, netCDF4, and Python's own files."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.advice.array_snippets import CHUNK_CACHE, READ_BY_ONE
from iotriage.rules.advice.snippets import (
    BLOCKS_IN_ORDER,
    BROADCAST,
    COLLECTIVE,
    COLLECTIVE_READ,
    LARGE_BUFFER,
    NO_FILL,
    NODE_FILE,
    PARALLEL_READ,
    PARALLEL_WRITE,
    READ_BLOCKS,
    READ_TOGETHER,
    SEE_WHO_IS_LATE,
    SHARED_ON_NODE,
    SHARED_WRITE,
    SLEEP,
    SYNC_ONCE,
    WHOLE_ARRAYS,
    WRITE_BLOCKS,
)
from iotriage.rules.core.action import EditCode, EditPython, Library, SetHint

IN_PYTHON: Mapping[EditCode, EditPython] = {
    COLLECTIVE["HDF5"]: EditPython(
        "with dataset.collective:  # of a file opened with driver='mpio'\n    dataset[begin:end] = data"
    ),
    COLLECTIVE["netCDF-4"]: EditPython(
        "variable.set_collective(True)  # every variable of a Dataset opened with parallel=True"
    ),
    COLLECTIVE["MPI-IO"]: EditPython(
        "file.Write_at_all(offset, data)  # every rank of the file's communicator, with no data where it has none"
    ),
    COLLECTIVE_READ["HDF5"]: EditPython(
        "with dataset.collective:  # of a file opened with driver='mpio'\n    data = dataset[begin:end]"
    ),
    COLLECTIVE_READ["netCDF-4"]: EditPython(
        "variable.set_collective(True)  # every variable of a Dataset opened with parallel=True\n"
        "data = variable[begin:end]"
    ),
    PARALLEL_WRITE["HDF5"]: EditPython(
        "file = h5py.File(name, 'w', driver='mpio', comm=comm)\nwith dataset.collective:\n    dataset[begin:end] = data"
    ),
    PARALLEL_WRITE["netCDF-4"]: EditPython(
        "dataset = netCDF4.Dataset(name, 'w', parallel=True, comm=comm)\n"
        "variable.set_collective(True)  # every variable\n"
        "variable[begin:end] = data"
    ),
    PARALLEL_READ["HDF5"]: EditPython(
        "file = h5py.File(name, 'r', driver='mpio', comm=comm)\nwith dataset.collective:\n    data = dataset[begin:end]"
    ),
    PARALLEL_READ["netCDF-4"]: EditPython(
        "dataset = netCDF4.Dataset(name, parallel=True, comm=comm)\n"
        "variable.set_collective(True)  # every variable\n"
        "data = variable[begin:end]"
    ),
    NO_FILL["HDF5"]: EditPython("dataset = file.create_dataset(name, shape, dtype, fill_time='never')"),
    NO_FILL["netCDF-4"]: EditPython("variable = dataset.createVariable(name, 'f8', dimensions, fill_value=False)"),
    READ_TOGETHER: EditPython("file.Read_at_all(offset, data)  # a rank's whole part in one call"),
    SEE_WHO_IS_LATE: EditPython(
        "begun = MPI.Wtime()\n"
        "comm.Barrier()  # the communicator of the file, in this run only\n"
        "print(comm.rank, 'waited', MPI.Wtime() - begun)",
        measures=True,
    ),
    READ_BY_ONE["netCDF-4"]: EditPython(
        "values = dataset[name][:] if comm.rank == 0 else None\nvalues = comm.bcast(values)"
    ),
    READ_BY_ONE["HDF5"]: EditPython(
        "values = file[name][...] if comm.rank == 0 else None\nvalues = comm.bcast(values)"
    ),
    CHUNK_CACHE["netCDF-4"]: EditPython(
        "dataset[name].set_var_chunk_cache(size=512 << 20, nelems=4133, preemption=0.75)  # before the first read"
    ),
    CHUNK_CACHE["HDF5"]: EditPython("file = h5py.File(path, 'r', rdcc_nbytes=512 << 20, rdcc_nslots=12421)"),
    SLEEP: EditPython("time.sleep(5)"),
    SHARED_WRITE: EditPython(
        "file = MPI.File.Open(comm, 'output.dat', MPI.MODE_CREATE | MPI.MODE_WRONLY)\n"
        "file.Write_at_all(offset, data)\n"
        "file.Close()"
    ),
    NODE_FILE: EditPython(
        "node = comm.Split_type(MPI.COMM_TYPE_SHARED)\n"
        "file = MPI.File.Open(node, name_of_node, MPI.MODE_CREATE | MPI.MODE_WRONLY)\n"
        "file.Write_at_all(offset, data)"
    ),
    BROADCAST: EditPython(
        "content = open(name, 'rb').read() if comm.rank == 0 else None\n"
        "content = io.BytesIO(comm.bcast(content))  # read this in the place of the file: text, image or array"
    ),
    SHARED_ON_NODE: EditPython(
        "node = comm.Split_type(MPI.COMM_TYPE_SHARED)\n"
        "window = MPI.Win.Allocate_shared(nbytes if node.rank == 0 else 0, 1, comm=node)\n"
        "table = numpy.ndarray(shape, dtype, window.Shared_query(0)[0])\n"
        "if node.rank == 0:\n"
        "    table[...] = values  # read as they are now, on this rank alone\n"
        "node.Barrier()"
    ),
    BLOCKS_IN_ORDER: EditPython(
        "wanted.sort()\n"
        "block = os.pread(file, 1 << 20, wanted[0] // (1 << 20) * (1 << 20))  # once for all that lie in it"
    ),
    WHOLE_ARRAYS: EditPython("array.tofile(stream)  # not a write for each value"),
    LARGE_BUFFER: EditPython("stream = open(name, mode, buffering=8 << 20)"),
    READ_BLOCKS: EditPython("stream = open(name, 'rb', buffering=8 << 20)"),
    WRITE_BLOCKS: EditPython("stream = open(name, 'wb', buffering=8 << 20)"),
    SYNC_ONCE["HDF5"]: EditPython("file.flush()  # after the last data set of a checkpoint, not after each"),
    SYNC_ONCE["netCDF-4"]: EditPython("dataset.sync()  # after the last variable of a checkpoint, not after each"),
    SYNC_ONCE["MPI-IO"]: EditPython("file.Sync()  # once a checkpoint, or leave it to Close"),
    SYNC_ONCE["POSIX"]: EditPython("os.fsync(file.fileno())  # once a checkpoint; the file stays open"),
    SYNC_ONCE["STDIO"]: EditPython(
        "stream = open(name, 'w', buffering=1 << 20)\n"
        "print(line, file=stream)  # no flush=True\n"
        "stream.flush()  # once a step"
    ),
}

SAVE_FROM_ALL_RANKS = EditPython(
    "import torch.distributed.checkpoint as dcp\n"
    "dcp.save({'model': model.state_dict()}, checkpoint_id=directory)  # on every rank; torch.save writes on one"
)

_OPEN: dict[Library, str] = {
    "HDF5": "file = h5py.File(name, 'w', driver='mpio', comm=comm, info=info)",
    "netCDF-4": "dataset = netCDF4.Dataset(name, 'w', parallel=True, comm=comm, info=info)",
    "PnetCDF": "file = pnetcdf.File(name, 'w', comm=comm, info=info)",
    "MPI-IO": "file = MPI.File.Open(comm, name, MPI.MODE_CREATE | MPI.MODE_WRONLY, info)",
}


_OPEN_READ: dict[Library, str] = {
    "HDF5": "file = h5py.File(name, 'r', driver='mpio', comm=comm, info=info)",
    "netCDF-4": "dataset = netCDF4.Dataset(name, 'r', parallel=True, comm=comm, info=info)",
    "PnetCDF": "file = pnetcdf.File(name, 'r', comm=comm, info=info)",
    "MPI-IO": "file = MPI.File.Open(comm, name, MPI.MODE_RDONLY, info)",
}


def hints_in_python(action: SetHint) -> EditPython:
    """The hints in an info object, which the library takes when it opens the file."""
    setting = (f"info.Set({h.key!r}, {h.value!r})" for h in action.hints)
    opening = (_OPEN_READ if action.only_read else _OPEN)[action.through or "MPI-IO"]
    return EditPython("\n".join(("info = MPI.Info.Create()", *setting, opening)))
