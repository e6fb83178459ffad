"""Lines of code for reads through HDF5 and netCDF-4, by the library."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage.rules.core.action import EditCode, Library

READ_BY_ONE: Mapping[Library, EditCode] = {
    "netCDF-4": EditCode(
        "if (rank == 0) nc_get_var_double(ncid, varid, values);\n"
        "MPI_Bcast(values, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);",
        "if (rank == 0) status = nf90_get_var(ncid, varid, values)\n"
        "call MPI_Bcast(values, size(values), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)",
        mpi=True,
    ),
    "HDF5": EditCode(
        "if (rank == 0) H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);\n"
        "MPI_Bcast(values, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);",
        "if (rank == 0) call h5dread_f(dataset, H5T_NATIVE_DOUBLE, values, dims, ierror)\n"
        "call MPI_Bcast(values, size(values), MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, ierror)",
        mpi=True,
    ),
}
"""One rank opens the file and reads, the others are sent the values: nobody can send them what stands in the file."""

CHUNK_CACHE: Mapping[Library, EditCode] = {
    "netCDF-4": EditCode(
        "nc_set_var_chunk_cache(ncid, varid, (size_t)512 << 20, 4133, 0.75f);  /* before the first read */",
        "status = nf90_open(name, NF90_NOWRITE, ncid, cache_size=536870912)",
    ),
    "HDF5": EditCode(
        "access = H5Pcreate(H5P_DATASET_ACCESS);\n"
        "H5Pset_chunk_cache(access, 12421, (size_t)512 << 20, 1.0);\n"
        "dataset = H5Dopen2(file, name, access);",
        "call h5pcreate_f(H5P_DATASET_ACCESS_F, access, ierror)\n"
        "call h5pset_chunk_cache_f(access, 12421_SIZE_T, 536870912_SIZE_T, 1.0, ierror)\n"
        "call h5dopen_f(file, name, dataset, ierror, access)",
    ),
}
