"""Lines of code that advice shows: each in C and in Fortran, in the library that the program calls.

HDF5's and PnetCDF's Fortran routines differ from C in name and in the order of their arguments; netCDF-4 files are HDF5
files, and are told apart by their names only.
"""

from __future__ import annotations

from typing import Literal

from iotriage.rules.core.action import EditCode, Library

COLLECTIVE: dict[Library, EditCode] = {
    "HDF5": EditCode(
        """\
hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, data);""",
        """\
call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)
call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, data, dims, error, memory_space, file_space, transfer)""",
        mpi=True,
    ),
    "netCDF-4": EditCode(
        """\
nc_var_par_access(ncid, varid, NC_COLLECTIVE);  /* for every variable, after nc_create_par or nc_open_par */
nc_put_vara_double(ncid, varid, start, count, data);""",
        """\
status = nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)  ! for every variable
status = nf90_put_var(ncid, varid, data, start, count)""",
        mpi=True,
    ),
    "PnetCDF": EditCode(
        """\
/* no ncmpi_begin_indep_data(); the routines that end in _all are collective */
ncmpi_put_vara_double_all(ncid, varid, start, count, data);""",
        """\
! no nfmpi_begin_indep_data; the routines that end in _all are collective
status = nf90mpi_put_var_all(ncid, varid, data, start, count)""",
        mpi=True,
    ),
    "MPI-IO": EditCode(
        """\
/* every rank that opened the file calls it; count 0: no data */
MPI_File_write_at_all(file, offset, data, count, MPI_DOUBLE, &status);""",
        """\
! every rank that opened the file calls it; count 0: no data
call MPI_File_write_at_all(file, offset, data, count, MPI_DOUBLE_PRECISION, status, ierror)""",
        mpi=True,
    ),
}

OFFSETS_BY_SCAN = EditCode(
    """\
/* written: the bytes in the file before this step, the same on all ranks */
MPI_Offset mine = count * sizeof(double), end;
MPI_Scan(&mine, &end, 1, MPI_OFFSET, MPI_SUM, comm);
MPI_File_write_at_all(file, written + end - mine, data, count, MPI_DOUBLE, &status);""",
    """\
! written: the bytes in the file before this step, the same on all ranks
mine = count * 8_MPI_OFFSET_KIND
call MPI_Scan(mine, end, 1, MPI_OFFSET, MPI_SUM, comm, ierror)
call MPI_File_write_at_all(file, written + end - mine, data, count, MPI_DOUBLE_PRECISION, status, ierror)""",
    mpi=True,
)

READ_TOGETHER = EditCode(
    "MPI_File_read_at_all(file, offset, data, count, MPI_DOUBLE, &status);  /* a rank's whole part in one call */",
    "call MPI_File_read_at_all(file, offset, data, count, MPI_DOUBLE_PRECISION, status, ierror)  ! a whole part",
    mpi=True,
)

COLLECTIVE_READ: dict[Library, EditCode] = {
    "HDF5": EditCode(
        """\
hid_t transfer = H5Pcreate(H5P_DATASET_XFER);
H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, data);""",
        """\
call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)
call h5dread_f(dataset, H5T_NATIVE_DOUBLE, data, dims, error, memory_space, file_space, transfer)""",
        mpi=True,
    ),
    "netCDF-4": EditCode(
        """\
nc_var_par_access(ncid, varid, NC_COLLECTIVE);  /* for every variable, after nc_open_par */
nc_get_vara_double(ncid, varid, start, count, data);""",
        """\
status = nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)  ! for every variable
status = nf90_get_var(ncid, varid, data, start, count)""",
        mpi=True,
    ),
    "PnetCDF": EditCode(
        """\
/* no ncmpi_begin_indep_data(); the routines that end in _all are collective */
ncmpi_get_vara_double_all(ncid, varid, start, count, data);""",
        """\
! no nfmpi_begin_indep_data; the routines that end in _all are collective
status = nf90mpi_get_var_all(ncid, varid, data, start, count)""",
        mpi=True,
    ),
    "MPI-IO": READ_TOGETHER,
}

PARALLEL_WRITE: dict[Library, EditCode] = {
    "HDF5": EditCode(
        """\
hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
H5Dwrite(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, data);""",
        """\
call h5pcreate_f(H5P_FILE_ACCESS_F, access, error)
call h5pset_fapl_mpio_f(access, MPI_COMM_WORLD, MPI_INFO_NULL, error)
call h5fcreate_f(name, H5F_ACC_TRUNC_F, file, error, access_prp=access)
call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)
call h5dwrite_f(dataset, H5T_NATIVE_DOUBLE, data, dims, error, memory_space, file_space, transfer)""",
        mpi=True,
    ),
    "netCDF-4": EditCode(
        """\
nc_create_par(name, NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
nc_var_par_access(ncid, varid, NC_COLLECTIVE);  /* for every variable */
nc_put_vara_double(ncid, varid, start, count, data);""",
        """\
status = nf90_create(name, ior(NF90_NETCDF4, NF90_CLOBBER), ncid, comm=MPI_COMM_WORLD, info=MPI_INFO_NULL)
status = nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)  ! for every variable
status = nf90_put_var(ncid, varid, data, start, count)""",
        mpi=True,
    ),
}
"""For a file that is opened without MPI: all ranks have to open it first."""

PARALLEL_READ: dict[Library, EditCode] = {
    "HDF5": EditCode(
        """\
hid_t access = H5Pcreate(H5P_FILE_ACCESS), transfer = H5Pcreate(H5P_DATASET_XFER);
H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
hid_t file = H5Fopen(name, H5F_ACC_RDONLY, access);
H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE);
H5Dread(dataset, H5T_NATIVE_DOUBLE, memory_space, file_space, transfer, data);""",
        """\
call h5pcreate_f(H5P_FILE_ACCESS_F, access, error)
call h5pset_fapl_mpio_f(access, MPI_COMM_WORLD, MPI_INFO_NULL, error)
call h5fopen_f(name, H5F_ACC_RDONLY_F, file, error, access)
call h5pcreate_f(H5P_DATASET_XFER_F, transfer, error)
call h5pset_dxpl_mpio_f(transfer, H5FD_MPIO_COLLECTIVE_F, error)
call h5dread_f(dataset, H5T_NATIVE_DOUBLE, data, dims, error, memory_space, file_space, transfer)""",
        mpi=True,
    ),
    "netCDF-4": EditCode(
        """\
nc_open_par(name, NC_NOWRITE, MPI_COMM_WORLD, MPI_INFO_NULL, &ncid);
nc_var_par_access(ncid, varid, NC_COLLECTIVE);  /* for every variable */
nc_get_vara_double(ncid, varid, start, count, data);""",
        """\
status = nf90_open(name, NF90_NOWRITE, ncid, comm=MPI_COMM_WORLD, info=MPI_INFO_NULL)
status = nf90_var_par_access(ncid, varid, NF90_COLLECTIVE)  ! for every variable
status = nf90_get_var(ncid, varid, data, start, count)""",
        mpi=True,
    ),
}

NONBLOCKING_PNETCDF = EditCode(
    """\
for (int v = 0; v < n; v++)
    ncmpi_iput_vara_double(ncid, varid[v], start, count, data[v], &request[v]);
ncmpi_wait_all(ncid, n, request, statuses);  /* one collective call */""",
    """\
do v = 1, n
  status = nf90mpi_iput_var(ncid, varid(v), data(:, v), request(v), start, count)
end do
status = nf90mpi_wait_all(ncid, n, request, statuses)  ! one collective call""",
    mpi=True,
)

SHARED_WRITE = EditCode(
    """\
MPI_File_open(MPI_COMM_WORLD, "output.dat", MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
MPI_File_set_view(file, offset, MPI_DOUBLE, MPI_DOUBLE, "native", MPI_INFO_NULL);
MPI_File_write_all(file, data, count, MPI_DOUBLE, &status);
MPI_File_close(&file);""",
    """\
call MPI_File_open(MPI_COMM_WORLD, 'output.dat', MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierror)
call MPI_File_set_view(file, offset, MPI_DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, 'native', MPI_INFO_NULL, ierror)
call MPI_File_write_all(file, data, count, MPI_DOUBLE_PRECISION, status, ierror)
call MPI_File_close(file, ierror)""",
    mpi=True,
)

NODE_FILE = EditCode(
    """\
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
MPI_File_open(node, name_of_node, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
MPI_File_write_at_all(file, offset, data, count, MPI_BYTE, &status);""",
    """\
call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierror)
call MPI_File_open(node, name_of_node, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierror)
call MPI_File_write_at_all(file, offset, data, count, MPI_DOUBLE_PRECISION, status, ierror)""",
    mpi=True,
)

GATHER_ON_NODE = EditCode(
    """\
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
MPI_Gatherv(data, count, MPI_DOUBLE, all, counts, offsets, MPI_DOUBLE, 0, node);
/* one rank of every node then calls the collective write, on a communicator of these ranks */""",
    """\
call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierror)
call MPI_Gatherv(data, count, MPI_DOUBLE_PRECISION, all, counts, offsets, MPI_DOUBLE_PRECISION, 0, node, ierror)
! one rank of every node then calls the collective write, on a communicator of these ranks""",
    mpi=True,
)

COLLECTIVE_METADATA = EditCode(
    """\
H5Pset_all_coll_metadata_ops(file_access, true);  /* HDF5 1.10 or later */
H5Pset_coll_metadata_write(file_access, true);
H5Pset_all_coll_metadata_ops(dataset_access, true);  /* 1.10.8 needs it here too: H5Pcreate(H5P_DATASET_ACCESS) */
dataset = H5Dopen2(file, name, dataset_access);""",
    """\
call h5pset_all_coll_metadata_ops_f(file_access, .true., error)  ! HDF5 1.10 or later
call h5pset_coll_metadata_write_f(file_access, .true., error)
call h5pset_all_coll_metadata_ops_f(dataset_access, .true., error)  ! 1.10.8 needs it here too
call h5dopen_f(file, name, dataset, error, dataset_access)""",
    mpi=True,
)

NO_HOLES = EditCode(
    """\
H5Pset_chunk(dataset_create, rank, chunk);  /* a rank's part is whole chunks */
H5Pset_alloc_time(dataset_create, H5D_ALLOC_TIME_EARLY);
H5Pset_fill_time(dataset_create, H5D_FILL_TIME_NEVER);""",
    """\
call h5pset_chunk_f(dataset_create, rank, chunk, error)  ! a rank's part is whole chunks
call h5pset_alloc_time_f(dataset_create, H5D_ALLOC_TIME_EARLY_F, error)
call h5pset_fill_time_f(dataset_create, H5D_FILL_TIME_NEVER_F, error)""",
)

NO_FILL: dict[Library, EditCode] = {
    "HDF5": EditCode(
        """\
hid_t create = H5Pcreate(H5P_DATASET_CREATE);
H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
dataset = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, create, H5P_DEFAULT);""",
        """\
call h5pcreate_f(H5P_DATASET_CREATE_F, create, error)
call h5pset_fill_time_f(create, H5D_FILL_TIME_NEVER_F, error)
call h5dcreate_f(file, name, H5T_NATIVE_DOUBLE, space, dataset, error, create)""",
    ),
    "netCDF-4": EditCode(
        "nc_def_var_fill(ncid, varid, NC_NOFILL, NULL);  /* for every variable, before nc_enddef */",
        "status = nf90_def_var_fill(ncid, varid, 1, 0)  ! 1: no fill; for every variable, before nf90_enddef",
    ),
}

SLEEP = EditCode("sleep(5);", "call sleep(5)")

SEE_WHO_IS_LATE = EditCode(
    """\
double begun = MPI_Wtime();
MPI_Barrier(comm);  /* the communicator of the file, in this run only */
printf("%d waited %.1f s\\n", rank, MPI_Wtime() - begun);""",
    """\
begun = MPI_Wtime()
call MPI_Barrier(comm, ierror)  ! the communicator of the file, in this run only
print *, rank, 'waited', MPI_Wtime() - begun""",
    mpi=True,
    measures=True,
)
BROADCAST = EditCode(
    """\
if (rank == 0) bytes = fread(text, 1, capacity, stream);
MPI_Bcast(&bytes, 1, MPI_LONG, 0, MPI_COMM_WORLD);
MPI_Bcast(text, bytes, MPI_CHAR, 0, MPI_COMM_WORLD);""",
    """\
if (rank == 0) read(unit) table  ! once; no rewind(unit) in a loop
call MPI_Bcast(table, size(table), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)""",
    mpi=True,
)

SHARED_ON_NODE = EditCode(
    """\
MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
MPI_Comm_rank(node, &of_node);
MPI_Win_allocate_shared(of_node == 0 ? bytes : 0, 1, MPI_INFO_NULL, node, &table, &window);
MPI_Win_shared_query(window, 0, &size, &unit, &table);
MPI_Win_fence(0, window);
if (of_node == 0) fread(table, 1, bytes, stream);  /* or H5Dread, nc_get_var */
MPI_Win_fence(0, window);  /* from here on all ranks of the node read it */""",
    """\
call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierror)
call MPI_Comm_rank(node, of_node, ierror)
bytes = merge(all_bytes, 0_MPI_ADDRESS_KIND, of_node == 0)
call MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, node, base, window, ierror)
call MPI_Win_shared_query(window, 0, bytes, unit, base, ierror)
call c_f_pointer(base, table, [n])
call MPI_Win_fence(0, window, ierror)
if (of_node == 0) read(file) table
call MPI_Win_fence(0, window, ierror)  ! from here on all ranks of the node read it""",
    mpi=True,
)
"""For a table that is too large to be sent: MPI counts with an int, and each rank would hold a copy."""

BLOCKS_IN_ORDER = EditCode(
    """\
qsort(wanted, n, sizeof *wanted, by_offset);
pread(file, block, 1 << 20, offset & ~((1 << 20) - 1));  /* once for all that lie in it */""",
    """\
call sort_by_offset(wanted)
read(unit, pos=first) block  ! access='stream'; once for all that lie in it""",
)

WHOLE_ARRAYS = EditCode(
    "fwrite(data, sizeof *data, count, stream);  /* not fprintf for each value */",
    "write(unit) data  ! access='stream', form='unformatted'; not one write for each value",
)

_BUFFERED_UNIT = """\
open(newunit=unit, file=name)  ! with Intel's compiler also: buffered='yes', blocksize=8388608
! GNU: export GFORTRAN_UNFORMATTED_BUFFER_SIZE=8388608 GFORTRAN_FORMATTED_BUFFER_SIZE=8388608"""

# Given no memory, glibc takes no size either and keeps the buffer that it has: man 3 setbuf.
LARGE_BUFFER = EditCode(
    "setvbuf(stream, malloc(8 << 20), _IOFBF, 8 << 20);  /* before the first access; NULL leaves it small */",
    _BUFFERED_UNIT,
)

READ_BLOCKS = EditCode(
    "bytes = read(file, block, 8 << 20);  /* and take the records from the block, not each from the file */",
    _BUFFERED_UNIT,
)

WRITE_BLOCKS = EditCode(
    """\
memcpy(block + filled, record, bytes);  /* static char block[8 << 20] */
filled += bytes;
if (filled + bytes > sizeof block) { write(file, block, filled); filled = 0; }  /* and at the end */""",
    _BUFFERED_UNIT,
)
"""For POSIX calls, which are not buffered as C streams are."""

SYNC_ONCE: dict[Library | Literal["POSIX", "STDIO"], EditCode] = {
    "HDF5": EditCode(
        "/* after the last H5Dwrite of a checkpoint, not after each */\nH5Fflush(file, H5F_SCOPE_GLOBAL);",
        "! after the last h5dwrite_f of a checkpoint, not after each\ncall h5fflush_f(file, H5F_SCOPE_GLOBAL_F, error)",
    ),
    "netCDF-4": EditCode(
        "/* after the last variable of a checkpoint, not after each */\nnc_sync(ncid);",
        "! after the last variable of a checkpoint, not after each\nstatus = nf90_sync(ncid)",
    ),
    "PnetCDF": EditCode(
        "/* after the last variable of a checkpoint, not after each */\nncmpi_sync(ncid);",
        "! after the last variable of a checkpoint, not after each\nstatus = nf90mpi_sync(ncid)",
        mpi=True,
    ),
    "MPI-IO": EditCode(
        """\
for (int v = 0; v < variables; v++)
    MPI_File_write_at_all(file, offset[v], data[v], count, MPI_DOUBLE, &status);
MPI_File_sync(file);  /* once, or leave it to MPI_File_close */""",
        """\
do v = 1, variables
  call MPI_File_write_at_all(file, offset(v), data(:, v), count, MPI_DOUBLE_PRECISION, status, ierror)
end do
call MPI_File_sync(file, ierror)  ! once, or leave it to MPI_File_close""",
        mpi=True,
    ),
    "POSIX": EditCode(
        """\
for (int v = 0; v < variables; v++)
    pwrite(file, data[v], bytes, offset[v]);  /* the file stays open */
fsync(file);  /* once a checkpoint */""",
        """\
do v = 1, variables
  write(unit) data(:, v)  ! the file stays open
end do
flush(unit)  ! once a checkpoint; Fortran has no fsync of its own""",
    ),
    "STDIO": EditCode(
        """\
setvbuf(stream, malloc(1 << 20), _IOFBF, 1 << 20);  /* before the first access */
for (int line = 0; line < lines; line++)
    fprintf(stream, "%d %g\\n", line, value[line]);  /* no fflush here, no setlinebuf before */
fflush(stream);  /* once a step */""",
        """\
do line = 1, lines
  write(unit, *) line, value(line)  ! no flush(unit) here
end do
flush(unit)  ! once a step""",
    ),
}

SYNC_LOG = EditCode(
    """\
for (int line = 0; line < lines; line++)
    write(log, text[line], strlen(text[line]));  /* no fsync here, and no O_SYNC in open */
fsync(log);  /* once a step */""",
    """\
do line = 1, lines
  write(log, '(a)') trim(text(line))  ! no flush or fsync here
end do
flush(log)  ! once a step; Fortran has no fsync of its own""",
)


def aligned(library: Library, block: int) -> EditCode | None:
    """How a library of files is told to begin its data sets on multiples of `block` bytes; None where there is none. A
    file of netCDF may be netCDF-4's or PnetCDF's."""
    large = min(block, 2**16)
    of_pnetcdf = (
        f'MPI_Info_set(info, "nc_var_align_size", "{block}");',
        f"call MPI_Info_set(info, 'nc_var_align_size', '{block}', ierror)",
    )
    if library == "HDF5":
        return EditCode(
            f"H5Pset_alignment(file_access, {large}, {block});     /* of objects from {large} bytes on */",
            f"call h5pset_alignment_f(file_access, {large}_hsize_t, {block}_hsize_t, error)     ! before h5fcreate_f",
        )
    if library == "PnetCDF":
        c, fortran = of_pnetcdf
        return EditCode(f"{c}     /* before ncmpi_create */", f"{fortran}     ! before nf90mpi_create", mpi=True)
    if library == "netCDF-4":
        c, fortran = of_pnetcdf
        return EditCode(
            f"nc_set_alignment({large}, {block});     /* netCDF-4, from netCDF 4.9 on: before nc_create_par */\n"
            f"{c}     /* PnetCDF: before ncmpi_create */",
            f"{fortran}     ! PnetCDF, before nf90mpi_create; netCDF-4 has nc_set_alignment, in C alone",
            mpi=True,
        )
    return None
