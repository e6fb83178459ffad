"""Errors of libraries that say what failed and not why, where nothing else of the text is read."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import RUN, kind_of

_WHY: Final = (
    "The quota (lfs quota) and the space (lfs df -h) of that directory are the first to look at; where opening failed, "
    "try export HDF5_USE_FILE_LOCKING=FALSE. A program that calls H5Eset_auto, or one call of the C library on that "
    f"file, has HDF5 say more. {RUN}"
)

ERRORS: Final = (
    kind_of(
        "NetCDF's unlimited dimension",
        rb"NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation",
        "that ranks extended an unlimited dimension each for itself, which NetCDF-4 can do with all of them alone",
        "Call nc_var_par_access(ncid, varid, NC_COLLECTIVE), in Fortran nf90_var_par_access(…, nf90_collective), for "
        f"each variable with that dimension, and write it with all ranks. {RUN}",
        named="an error of NetCDF",
        anywhere=True,
    ),
    kind_of(
        "NetCDF on HDF5",
        rb"(?:NetCDF: (?:HDF error|Can't (?:write|create|read|open HDF5) |MPI operation failed)"
        rb"|nf90_\w{2,40} failed with -10[1-6]\b)",
        "that HDF5 or MPI-IO below it failed, and not why: -101 (HDF error) is a full quota, a lock that is refused, a "
        "damaged file and all else",
        _WHY,
        named="an error of NetCDF",
        anywhere=True,
    ),
    kind_of(
        "MPI-IO's error class",
        rb"\bMPI_ERR_(?:IO|FILE|NO_SPACE|QUOTA|READ_ONLY|ACCESS|NO_SUCH_FILE|BAD_FILE|AMODE|FILE_IN_USE): ",
        "that a call on a file failed. MPI_ERR_IO is any reason that has no class of its own, and more bytes at once "
        "than a count of 2^31 holds",
        "What stands around it says which call it was; where the bytes of one call are 2 GiB or more, halve them. "
        f"{RUN}",
        named="an error of MPI-IO",
        anywhere=True,
    ),
    kind_of(
        "ROMIO's lock",
        rb"File locking failed in ADIOI_Set_lock(?:64)?\. ",
        "that ROMIO could not lock a file, which it does to write with data sieving and on NFS, and not why",
        "Put the file on a file system whose mount gives locks (on Lustre, flock), or open it with the hint "
        f"romio_ds_write set to disable. {RUN}",
        named="an error of ROMIO, the MPI library's I/O",
        anywhere=True,
    ),
    kind_of(
        "Intel Fortran's runtime",
        rb"forrtl: (?:severe|error) \((?:9|28|30|38|39|47)\): ",
        "which statement on which file failed, and not why",
        "Where writing or closing failed, the quota (lfs quota) and the space (lfs df -h) of that directory are the "
        f"first to look at; where opening did, the path and who may use it. {RUN}",
        named="an error of Intel Fortran's runtime",
        anywhere=True,
    ),
    kind_of(
        "PyTorch's writer",
        rb"(?:inline_container\.cc:\d{1,6}\] ?\. ?(?:unexpected pos \d|PytorchStreamWriter failed)"
        rb"|PytorchStreamWriter failed writing file)",
        "that a checkpoint was written short: the file is not whole",
        "Most often a quota or the file system was full then: look at lfs quota and lfs df -h of that directory, and "
        f"remove the file before a restart takes it. {RUN}",
        named="an error of PyTorch's writer",
        anywhere=True,
    ),
    kind_of(
        "HDF5's truncated file",
        rb"truncated file: eof = \d",
        "that a file is shorter than what HDF5 wrote into its beginning: whoever wrote it did not come to the end",
        "The run that wrote it is the one to look at: whether it was ended before it closed the file, and the quota "
        f"(lfs quota) and space of that directory. Take the file before it, or make it again. {RUN}",
        named="an error of HDF5",
        anywhere=True,
    ),
    kind_of(
        "HDF5's error stack",
        rb"HDF5-DIAG: Error detected in HDF5 ",
        "which of its calls failed and where, and why only where an errno or an error class of MPI stands in it",
        "The lowest line names what failed. Of a call that many programs make to try a file, it may be no error of the "
        f"run. {_WHY}",
        named="an error of HDF5",
        anywhere=True,
    ),
    kind_of(
        "Fortran's end of a file",
        rb"Fortran runtime error: End of file|forrtl: severe \(24\): end-of-file during read",
        "that a program read on where its file had ended: the file was written short, or in another form than is read",
        f"Hold its size against that of another run's file, and look how the run ended that wrote it. {RUN}",
        named="an error of Fortran's runtime",
        anywhere=True,
    ),
    kind_of(
        "an error that a person tells of",
        rb"(?:[Dd]isk quota exceeded|[Nn]o space left on device)",
        "that a quota or a file system was full, or may be: no line of a program's output says so",
        "Look at the quota (lfs quota) and the space (lfs df -h) of the directory that the job writes to, in files as "
        f"in bytes. Give the job's output and standard error too. {RUN}",
        named="a text that tells of an error",
        anywhere=True,
    ),
)
