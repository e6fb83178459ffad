"""What commands say of files, of what is in them and of where they lie, in forms that are not read."""

from __future__ import annotations

from typing import Final

from iotriage_parsers.text.known.kind import PROFILE, RUN, kind_of

_CHUNKS: Final = (
    "A chunk is read and unpacked whole: where a run reads far more than it uses, give its chunks the shape of what "
    f"one read takes (nccopy -c, h5repack -l CHUNK=). {RUN}"
)
_TYPED: Final = rb"[^\n]{0,200}?\blfs getstripe[ \t][^\n]{0,200}?-[dqrRvy]{0,4}[cSipIgL][^\n]{0,200}"

LISTINGS: Final = (
    kind_of(
        "ncdump",
        rb"netcdf [\w.+-]{1,200} \{|[\w.+-]{0,80}:_(?:ChunkSizes|Storage|DeflateLevel) = ",
        "the header of a NetCDF file",
        _CHUNKS,
    ),
    kind_of("h5dump", rb'HDF5 "[^"]{1,400}" \{', "the contents of an HDF5 file", _CHUNKS),
    kind_of(
        "h5ls",
        rb'Opened "[^"\n]{1,400}" with \w{1,20} driver\.|\S{1,200}[ ]+Dataset \{\d',
        "the datasets of an HDF5 file, with -v their chunks and filters",
        _CHUNKS,
    ),
    kind_of(
        "bpls",
        rb"File info:[ \t\r]*\n[ \t]*of variables:[ ]+\d"
        rb"|(?:u?int(?:8|16|32|64)_t|float|double|long double|(?:float|double) complex|char|string)[ ]+"
        rb"[\w./-]{1,200}[ ]+(?:\d{1,9}\*)?(?:\{(?:[\d, ]|__){1,200}\}|scalar|attr)(?: = |[ \t\r]*$)",
        "the variables of a file of ADIOS2",
        f"profiling.json in the .bp folder says how long each rank took to write it. {RUN}",
    ),
    kind_of(
        "one figure of lfs getstripe",
        _TYPED + rb"\n[ \t>]{0,40}-?\d{1,12}[ \t\r]*$",
        "a number for each file, as -c, -S and -i print it",
        f"Give what lfs getstripe FILE prints without them: it is read beside the run. {RUN}",
        named="a figure of lfs getstripe alone",
    ),
    kind_of(
        "a foreign layout of Lustre",
        rb"[ \t>]{0,40}lfm_magic:[ \t]{1,20}0x[0-9A-Fa-f]{8}",
        "that a file is kept by another system, which lfm_type and lfm_value name, and has no stripes",
        f"Its data are not on OSTs: ask that system where they are. {RUN}",
    ),
    kind_of(
        "lfs pool_list",
        rb"Pools from \S{1,80}:|Pool: \S{1,80}\.\S{1,80}[ \t\r]*$",
        "the pools of a file system, or the OSTs of a pool",
        f"lfs getstripe FILE says which pool a file is in, and is read. {RUN}",
    ),
    kind_of(
        "lfs hsm_state",
        rb"\S{1,400}: \(0x[0-9a-f]{8,16}\)(?: released| exists| archived|[ ,]\w{1,20}_id:|\s*$)",
        "whether files are on tape",
        "The first read of one that is released waits until it is copied back: lfs hsm_restore FILE does that before "
        f"the run. {RUN}",
    ),
    kind_of(
        "mmlsattr",
        rb"file name:[ \t]{1,20}\S[^\n]{0,400}\n[ \t>]{0,40}metadata replication:",
        "how many copies of a file there are, its pool and its fileset",
        f"Files of GPFS lie in blocks on all disks of a pool: how large these are says mmlsfs, which is read. {RUN}",
    ),
    kind_of(
        "ompi_info",
        rb"MCA (?:io|fs|fcoll|fbtl|sharedfp)(?: \w{1,40})?: (?:\w{1,40} \(MCA v|parameter \")",
        "which components for I/O Open MPI has, and their defaults",
        "What a run's files were opened with says mpirun --mca io_ompio_verbose_info_parsing 1, and that is read. "
        f"{RUN}",
    ),
    kind_of(
        "pat_report's progress",
        rb"Processing step \d{1,3} of \d{1,3}",
        "how far the report has come",
        f"Give the report: pat_report -o report.txt DIRECTORY writes it to a file. {RUN}",
        named="what pat_report prints on its way",
    ),
    kind_of(
        "perf trace -s",
        rb"Summary of events:[ \t\r]*$",
        "system calls and their times",
        PROFILE,
    ),
    kind_of(
        "perf report",
        rb"# Overhead[ ]{1,40}(?:Command|Shared Object|Symbol)\b|# To display the perf\.data header info",
        "the time in each function",
        PROFILE,
    ),
    kind_of(
        "a list of modules",
        rb"Currently Loaded Module(?:s|files):[ \t\r]*$",
        "which modules are loaded, and no job",
        f"Give the whole job script, with its launch, to have its modules read beside a run. {RUN}",
        named="output of module list",
    ),
    kind_of(
        "ls -l",
        rb"[-dl](?:[r-][w-][xsS-]){2}[r-][w-][xtT-][.+@]?[ ]{1,4}\d{1,9}(?:[ ]{1,20}[\w.@$-]{1,64}){2}[ ]{1,20}"
        rb"\d[\d.]{0,20}[KMGTP]?[ ]{1,8}\S",
        "the files of a directory, their sizes and when they were changed last",
        f"How they were written it does not say; on Lustre lfs getstripe FILE has what they lie on, and is read. {RUN}",
        named="a listing of files (ls -l)",
    ),
    kind_of(
        "stat",
        rb"[ ]{0,4}File: \S[^\n]{0,400}\n[ \t>`]{0,40}Size: \d{1,20}[ \t]{1,20}Blocks: ",
        "a file's size, its owner and when it was changed last",
        f"How it was written it does not say; on Lustre lfs getstripe FILE has what it lies on, and is read. {RUN}",
    ),
    kind_of(
        "siondump",
        # src/utils/siondump.c of SIONlib 1.7.
        rb"siondump: (?:sid|filename|number of (?:tasks|files|blocks)|file (?:number|set)):[ ]{1,40}\S"
        rb"|siondump: (?:size of (?:full |empty |partly filled )?chunks|datasize in file \(aggr\.\)):[ ]{1,40}\d",
        "how many tasks share a file of SIONlib, how large its chunks are, and how far they and the blocks of the file "
        "system are filled",
        f"Chunks that are whole blocks of the file system keep tasks from waiting for one another's locks. {RUN}",
        named="what siondump says of a file of SIONlib",
    ),
)
