"""What stands instead of lines of code where the program is a package that its users set and do not write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from re import Pattern
from typing import Literal

from iotriage.rules.core import Advice, advice
from iotriage_parsers.frozen import frozen

Matter = Literal["few ranks", "many files", "pieces", "asked again", "output"]
"""What a finding is about, as far as settings of a package differ by it."""

MATTERS: Mapping[str, Matter] = {
    **dict.fromkeys(
        (
            "serial-io",
            "few-writers",
            "few-nodes",
            "single-aggregator",
            "few-aggregators",
            "ranks-in-turn",
            "straggler-rank",
        ),
        "few ranks",
    ),
    **dict.fromkeys(
        ("many-small-files", "metadata-bound", "fpp-many-files", "too-many-files-per-directory", "slow-opens"),
        "many files",
    ),
    **dict.fromkeys(("independent-shared", "collective-disabled", "small-io", "random-access"), "pieces"),
}
"""By rule; the others are about the output, however it is written."""


@frozen
class Package:
    """`programs` matches the names of its programs; where there is `where`, a path of the job has to match that, too.
    The rest is what its user can set, "" where nothing is known: what has more ranks write, what makes fewer files,
    what has all ranks write one file together, what says how often and how much is written, what it reads and how, what
    keeps its temporaries in memory, and what has it ask less often whether files have changed. `reads_its_files` says
    that it reads as many files as it writes."""

    name: str
    programs: Pattern[str]
    where: Pattern[str] | None = None
    more_ranks: str = ""
    fewer_files: str = ""
    together: str = ""
    less: str = ""
    reads: str = ""
    in_memory: str = ""
    asks_less: str = ""
    reads_its_files: bool = False


def _named(programs: str) -> Pattern[str]:
    return re.compile(programs, re.IGNORECASE)


_FOAM = _named(
    r"\w*Foam|foamRun|decomposePar|reconstructPar(Mesh)?|redistributePar|snappyHexMesh|renumberMesh|mapFields(Par)?"
)
_FOAM_LESS = "writeInterval and purgeWrite in system/controlDict say how many times there are."
_FOAM_ASKS = (
    "runTimeModifiable false in system/controlDict has it not look whether its files have changed, and "
    "fileModificationChecking timeStampMaster in OptimisationSwitches has one rank look for all."
)
_SU2_BINARY = (
    "OUTPUT_FILES in the configuration names the formats: RESTART and PARAVIEW are binary and written by all ranks, "
    "RESTART_ASCII, CSV and PARAVIEW_ASCII text."
)
_OF_SERVERS = (
    "XIOS writes it: using_server in iodef.xml gives it ranks that only write, as many as xios_server.exe is "
    "started with (more of them, where it is true already), and the type of a file, one_file or multiple_file, "
    "says how."
)
_COLLECTIVE_IN_SATURNE = (
    "cs_file_set_default_access(CS_FILE_MODE_WRITE, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
    "cs_user_performance_tuning.c writes collectively, and cs_file_set_default_comm says by how many ranks."
)

PACKAGES = (
    Package(
        "VASP",
        _named(r"vasp([_.-]\w+)*"),
        less="one rank writes WAVECAR and CHGCAR. LWAVE = .FALSE. and LCHARG = .FALSE. in INCAR leave out what no "
        "later run needs.",
        reads="one rank reads WAVECAR and CHGCAR. ISTART = 0 and ICHARG = 2 in INCAR leave them unread where the run "
        "need not go on from them.",
    ),
    Package(
        "Quantum ESPRESSO",
        _named(r"(pw|ph|cp|pp)\.x"),
        less="disk_io = 'low' in &CONTROL keeps the wave functions in memory where they fit; outdir says where files "
        "go.",
        in_memory="disk_io = 'low' in &CONTROL keeps the wave functions there.",
    ),
    Package(
        "LAMMPS",
        _named(r"(lmp|lammps)([_.-]\w+)*"),
        more_ranks="a % in the name of a dump gives each rank a file of its own, and dump_modify with nfile a number "
        "of them.",
        fewer_files="dump_modify with nfile says how many files a dump with a % in its name has, and without a * in "
        "the name all steps are in one.",
        less="the number in dump and restart says every how many steps they write.",
    ),
    Package(
        "GROMACS",
        _named(r"(gmx|mdrun)(_\w+)*"),
        less="nstxout, nstvout and nstfout in the .mdp file say how often all coordinates, velocities and forces are "
        "written; nstxout-compressed writes the coordinates in a fraction of that. nstlog and nstenergy say how "
        "often it writes its log and the energies. -cpt of mdrun says how many minutes lie between checkpoints, each "
        "of which is forced out to disk.",
    ),
    Package(
        "NAMD",
        _named(r"namd[23]?([_.-]\w+)*"),
        less="dcdFreq, restartFreq and outputEnergies say how often it writes.",
    ),
    Package(
        "OpenFOAM",
        _FOAM,
        where=re.compile(r"/processors\d+(_\d+-\d+)?/"),
        more_ranks="the files are collated already: FOAM_IORANKS, as '(0 128 256)', has several ranks write, each for "
        "those behind it.",
        less=_FOAM_LESS,
        reads="the files are collated already: FOAM_IORANKS, as '(0 128 256)', has several ranks read, each for those "
        "behind it.",
        asks_less=_FOAM_ASKS,
    ),
    Package(
        "OpenFOAM",
        _FOAM,
        fewer_files="-fileHandler collated has one file of all processes for each field and time, instead of one each.",
        less=_FOAM_LESS,
        asks_less=_FOAM_ASKS,
        reads_its_files=True,
    ),
    Package(
        "WRF",
        _named(r"wrf(\.exe)?"),
        more_ranks="in namelist.input io_form_history = 11 writes by all ranks, where it was built with PnetCDF, and "
        "nio_tasks_per_group in &namelist_quilt gives it I/O servers, for which the others need not wait.",
        fewer_files="in namelist.input io_form_history = 11, where it was built with PnetCDF, writes one file of all "
        "ranks, and 102 one of each; frames_per_outfile says how many times are in one.",
        less="history_interval says how often it writes.",
        reads="in namelist.input io_form_input = 11, io_form_restart = 11 and io_form_boundary = 11 read by all ranks, "
        "where it was built with PnetCDF.",
    ),
    Package(
        "CESM or E3SM",
        _named(r"(cesm|e3sm)\.exe"),
        more_ranks="./xmlchange PIO_TYPENAME=pnetcdf writes by several ranks, and PIO_NUMTASKS says by how many.",
        together="./xmlchange PIO_TYPENAME=pnetcdf writes collectively, in the large pieces that PIO puts together.",
        less="nhtfrq in user_nl_cam (hist_nhtfrq in user_nl_clm) says how often it writes, and mfilt (hist_mfilt) how "
        "many times are in a file.",
    ),
    Package(
        "MPAS",
        _named(r"(init_)?(atmosphere|ocean|landice|seaice)_model"),
        more_ranks="config_pio_num_iotasks in &io of its namelist says how many ranks read and write, and "
        "config_pio_stride which.",
        less="output_interval in its file of streams says how often it writes, and filename_interval how much time is "
        "in a file.",
        reads="config_pio_num_iotasks in &io of its namelist says how many ranks read and write, and "
        "config_pio_stride which.",
    ),
    Package(
        "NEMO",
        _named(r"nemo(\.exe)?"),
        more_ranks=_OF_SERVERS,
        fewer_files=_OF_SERVERS,
        less="output_freq in the XML of XIOS says how often, and nn_stock in namelist_cfg how often restarts are "
        "written.",
        reads_its_files=True,
    ),
    Package(
        "AMBER",
        _named(r"(pmemd|sander)([_.-]\w+)*"),
        less="ioutfm = 1 writes the trajectory in binary (netCDF), a fraction of the text; ntwx, ntwv and ntwr say how "
        "often coordinates, velocities and restarts are written, ntwprt of how many atoms.",
    ),
    Package(
        "SU2",
        _named(r"SU2_\w+"),
        more_ranks=_SU2_BINARY,
        together=_SU2_BINARY,
        less="OUTPUT_WRT_FREQ says how often.",
        reads="READ_BINARY_RESTART = YES reads a binary restart by all ranks, and a mesh in CGNS is read so too.",
    ),
    Package(
        "NWChem",
        _named(r"nwchem([_.-]\w+)*"),
        less="direct, or semidirect with memsize, in the scf or dft block computes integrals again, or keeps them in "
        "memory, instead of on disk; scratch_dir says where temporaries go.",
        in_memory="direct, or semidirect with memsize, in the scf or dft block computes integrals again, or keeps them "
        "there.",
    ),
    Package(
        "ABINIT",
        _named(r"abinit"),
        more_ranks="iomode 1 has all ranks write together, where it was built with MPI-IO.",
        fewer_files="iomode 1 has all ranks write together, where it was built with MPI-IO.",
        less="prtwf 0 leaves out the wave functions, and prtden, prteig and their like what no later run needs.",
    ),
    Package(
        "ICON",
        _named(r"icon([_.-]\w+)*"),
        more_ranks="num_io_procs and num_restart_procs in &parallel_nml give it ranks that only write, for which the "
        "others need not wait, and restart_write_mode in &io_nml says how restarts are written.",
        fewer_files="restart_write_mode in &io_nml says how restarts are written, and file_interval in &output_nml how "
        "much time is in a file.",
        less="output_interval in &output_nml says how often it writes.",
    ),
    Package(
        "MOM6",
        _named(r"mom6([_.-]\w+)*"),
        more_ranks="IO_LAYOUT in MOM_input says how many parts of the domain write, each to a file of its own; 1,1, "
        "its default, is one rank for all.",
        fewer_files="IO_LAYOUT in MOM_input says how many parts of the domain write, each to a file of its own; 1,1, "
        "its default, is one file of all.",
        less="diag_table says how often.",
    ),
    Package(
        "MITgcm",
        _named(r"mitgcmuv([_.-]\w+)*"),
        more_ranks="useSingleCpuIO = .TRUE. in PARM01 of the file data has one rank write for all: without it each "
        "tile writes a file of its own.",
        fewer_files="useSingleCpuIO = .TRUE. in PARM01 of the file data has one rank write one file of each field, "
        "instead of one of each tile.",
        less="dumpFreq and pChkptFreq in PARM03 say how often.",
        reads_its_files=True,
    ),
    Package(
        "SPECFEM3D",
        _named(r"xspecfem3D"),
        fewer_files="SAVE_ALL_SEISMOS_IN_ONE_FILE = .true. in DATA/Par_file writes all seismograms into one large file "
        "instead of one each.",
        less="NTSTEP_BETWEEN_OUTPUT_SEISMOS says how often they are written.",
    ),
    Package(
        "code_saturne",
        _named(r"cs_solver"),
        more_ranks=_COLLECTIVE_IN_SATURNE,
        together=_COLLECTIVE_IN_SATURNE,
        reads="cs_file_set_default_access(CS_FILE_MODE_READ, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
        "cs_user_performance_tuning.c reads collectively.",
    ),
    Package(
        "FLASH",
        _named(r"flash([34x]|-x)"),
        more_ranks="the shortcut +parallelIO of its setup has all ranks write HDF5.",
        together="useCollectiveHDF5 = .true. in flash.par writes collectively.",
        less="checkpointFileIntervalStep and plotFileIntervalStep, or their times, say how often it writes.",
    ),
    Package(
        "PIConGPU",
        _named(r"picongpu"),
        more_ranks="--openPMD.json takes the parameters of ADIOS2's engine, NumAggregators among them.",
        fewer_files="--openPMD.json takes the parameters of ADIOS2's engine, NumAggregators among them.",
        less="--openPMD.period says how often it writes.",
    ),
    Package(
        "GADGET or AREPO",
        _named(r"p?-?gadget[234]?([_.-]\w+)*|arepo"),
        more_ranks="NumFilesPerSnapshot says into how many files a snapshot is cut, and NumFilesWrittenInParallel (of "
        "GADGET-4 MaxFilesWithConcurrentIO) how many are written at a time.",
        fewer_files="NumFilesPerSnapshot says into how many files a snapshot is cut.",
        less="TimeBetSnapshot says how often one is written, CpuTimeBetRestartFile how often restarts are.",
    ),
    Package(
        "SWIFT",
        _named(r"swift_mpi"),
        more_ranks="distributed: 1 in the block Snapshots of the parameters has each rank write a file of its own.",
        fewer_files="distributed: 0 in the block Snapshots of the parameters has all ranks write one file, 1 each its "
        "own.",
        less="delta_time in the block Snapshots says how often one is written.",
    ),
    Package("CP2K", _named(r"cp2k\.[a-z]+"), less="EACH in the &PRINT sections says how often each output is written."),
)


def package_among(programs: Iterable[str], paths: Iterable[str] = ()) -> Package | None:
    """The first whose program a source names, by what the job's files at these paths show of its settings."""
    named = [p for name in programs for p in PACKAGES if p.programs.fullmatch(name)]
    if not any(package.where for package in named):
        return next(iter(named), None)
    known = tuple(paths)
    return next((p for p in named if p.where is None or any(p.where.search(path) for path in known)), None)


def settings_of(package: Package, matter: Matter = "output", *, reads: bool = False, again: bool = False) -> str:
    """What its user can set about that; "" where nothing is known that does. Of what a finding is about the job `reads`
    more than it writes; `again` says that it wrote that itself."""
    if matter == "asked again":
        return package.asks_less
    if reads and again:
        return package.in_memory
    if reads:
        return _joined(package.fewer_files, package.less) if _reads_fewer(package, matter) else package.reads
    of_it = {"few ranks": package.more_ranks, "many files": package.fewer_files, "pieces": package.together}
    return _joined(of_it.get(matter, ""), package.less)


def _reads_fewer(package: Package, matter: Matter) -> bool:
    return matter == "many files" and package.reads_its_files


def _joined(of_it: str, less: str) -> str:
    return f"{of_it.removesuffix('.')}; {less}" if of_it and less else of_it or less


def say_settings(package: Package, settings: str) -> Advice:
    return advice(f"In {package.name}, whose code few users change, {settings}")
