"""Tools that look through, convert and join files of data."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import IS, Tool, on_node_disk, option, tool

OF_DATA: tuple[Tool, ...] = (
    tool(
        "DuckDB",
        r"duckdb",
        on_node_disk(
            "SET temp_directory names the folder of what does not fit into memory, best on a disk of the node, and SET "
            "memory_limit says how much does.",
        ),
        "SET memory_limit says how much it keeps in memory; many small files are read sooner when they were written "
        "into few large ones once (COPY ... TO, in Parquet).",
    ),
    tool(
        "the tools of netCDF, HDF5 and ADIOS2",
        r"ncdump|nccopy|ncgen3?|h5(dump|ls|stat|diff|copy|repack)|bpls(\.(serial|mpi))?",
        "nccopy -c and h5repack -l say how large the chunks of a copy are, 1 MiB or more where whole variables are "
        "read; nccopy -w writes the copy from memory, once, where it fits there.",
        "name what is wanted: ncdump -h and h5dump -H leave out the data, ncdump -v and h5dump -d take it of some "
        "variables or data sets, and bpls reads it with -d alone. Of many files start several commands side by side.",
        prints="ncdump -h and h5dump -H leave out the data, ncdump -v and h5dump -d take it of some variables or data "
        "sets, and bpls prints it with -d alone; h5dump -o and bpls -o name a file for it.",
    ),
    tool(
        "ROOT's hadd",
        r"hadd",
        (
            option("-j starts several processes side by side, each for some of the files", r"-j(?:\s+\d+)?"),
            "-cachesize has it read more of a file at a time (-cachesize 100M)",
        ),
    ),
    tool(
        "CDO or NCO",
        r"cdo|nc(ks|ra|rcat|ecat|bo|ea|es|pdq|wa|ap2|flint|remap|climo)",
        "chain the operators of CDO in one command (cdo -op1 -op2 in out), so that nothing is written in between; of "
        "many files or variables start several commands side by side.",
    ),
    tool(
        "GDAL",
        r"gdal(_\w+|warp|info|translate|buildvrt|addo)|ogr2ogr",
        (
            "a larger GDAL_CACHEMAX (--config, in MB) keeps more blocks in memory",
            option("-co TILED=YES writes blocks that are read again in one piece", rf"-co{IS}TILED=YES['\"]?"),
            "of many files start several commands side by side",
        ),
        (
            "a larger GDAL_CACHEMAX (--config, in MB) keeps more blocks in memory",
            "of a VRT of many files a GDAL_MAX_DATASET_POOL_SIZE of their number, up to a thousand, keeps them open",
            option(
                "GDAL_DISABLE_READDIR_ON_OPEN=EMPTY_DIR looks for no overviews or metadata in files beside them",
                r"GDAL_DISABLE_READDIR_ON_OPEN[= ]EMPTY_DIR",
            ),
            "of many files start several commands side by side",
        ),
    ),
)
