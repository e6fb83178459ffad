"""What stands instead of lines of code where the program is a package that its users set and do not write."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from re import Pattern

from iotriage.rules.core import Advice, advice
from iotriage_parsers.frozen import frozen


@frozen
class Package:
    """`programs` matches the names of its programs, `settings` is what its user can say of its output, `reads` of what
    it reads, "" where nothing is known; `their_number` whether that says how many files they are. Where a path matches
    `done`, the first of it is set already, and there is `instead` to say."""

    name: str
    programs: Pattern[str]
    settings: str
    reads: str = ""
    their_number: bool = False
    done: Pattern[str] | None = None
    instead: str = ""


def _package(
    name: str,
    programs: str,
    settings: str,
    *,
    reads: str = "",
    their_number: bool = False,
    when_read: bool = False,
    done: str | None = None,
    instead: str = "",
) -> Package:
    known = None if done is None else re.compile(done)
    of_reads = settings if when_read else reads
    return Package(name, re.compile(programs, re.IGNORECASE), settings, of_reads, their_number, known, instead)


PACKAGES = (
    _package(
        "VASP",
        r"vasp([_.-]\w+)*",
        "one rank writes WAVECAR and CHGCAR. LWAVE = .FALSE. and LCHARG = .FALSE. in INCAR leave out what no later run "
        "needs.",
        reads="one rank reads WAVECAR and CHGCAR. ISTART = 0 and ICHARG = 2 in INCAR leave them unread where the run "
        "need not go on from them.",
    ),
    _package(
        "Quantum ESPRESSO",
        r"(pw|ph|cp|pp)\.x",
        "disk_io = 'low' in &CONTROL keeps the wave functions in memory where they fit; outdir says where files go.",
        when_read=True,
    ),
    _package(
        "LAMMPS",
        r"(lmp|lammps)([_.-]\w+)*",
        "a % in the name of a dump gives each rank a file of its own, and dump_modify with nfile a number of them; "
        "dump as seldom as you can.",
    ),
    _package(
        "GROMACS",
        r"(gmx|mdrun)(_\w+)*",
        "nstxout, nstvout and nstfout in the .mdp file say how often all coordinates, velocities and forces are "
        "written; nstxout-compressed writes the coordinates in a fraction of that. nstlog and nstenergy say how "
        "often it writes its log and the energies. -cpt of mdrun says how many minutes lie between checkpoints, each "
        "of which is forced out to disk.",
    ),
    _package(
        "NAMD",
        r"namd[23]?([_.-]\w+)*",
        "dcdFreq, restartFreq and outputEnergies say how often it writes.",
    ),
    _package(
        "OpenFOAM",
        r"\w*Foam|foamRun|decomposePar|reconstructPar(Mesh)?|redistributePar|snappyHexMesh|renumberMesh|mapFields(Par)?",
        "-fileHandler collated has one file of all processes for each field and time, instead of one each; "
        "writeInterval and purgeWrite in system/controlDict say how many times there are.",
        their_number=True,
        when_read=True,
        done=r"/processors\d+(_\d+-\d+)?/",
        instead="the files are collated already: FOAM_IORANKS, as '(0 128 256)', has several ranks write, each for "
        "those behind it, and writeInterval and purgeWrite in system/controlDict say how many times there are.",
    ),
    _package(
        "WRF",
        r"wrf(\.exe)?",
        "in namelist.input io_form_history = 11 writes by all ranks, where it was built with PnetCDF, and "
        "nio_tasks_per_group in &namelist_quilt gives it I/O servers, for which the others need not wait.",
        reads="in namelist.input io_form_input = 11, io_form_restart = 11 and io_form_boundary = 11 read by all ranks, "
        "where it was built with PnetCDF.",
    ),
    _package(
        "CESM or E3SM",
        r"(cesm|e3sm)\.exe",
        "./xmlchange PIO_TYPENAME=pnetcdf writes by several ranks, and PIO_NUMTASKS says by how many.",
    ),
    _package(
        "NEMO",
        r"nemo(\.exe)?",
        "XIOS writes it: using_server in iodef.xml gives it ranks that only write, as many as xios_server.exe is "
        "started with (more of them, where it is true already), and the type of a file, one_file or multiple_file, "
        "says how.",
        their_number=True,
    ),
    _package(
        "AMBER",
        r"(pmemd|sander)([_.-]\w+)*",
        "ioutfm = 1 writes the trajectory in binary (netCDF), a fraction of the text; ntwx, ntwv and ntwr say how "
        "often coordinates, velocities and restarts are written, ntwprt of how many atoms.",
    ),
    _package(
        "SU2",
        r"SU2_\w+",
        "OUTPUT_FILES in the configuration names the formats: RESTART and PARAVIEW are binary and written by all "
        "ranks, RESTART_ASCII, CSV and PARAVIEW_ASCII text. OUTPUT_WRT_FREQ says how often.",
        reads="READ_BINARY_RESTART = YES reads a binary restart by all ranks, and a mesh in CGNS is read so too.",
    ),
    _package(
        "NWChem",
        r"nwchem([_.-]\w+)*",
        "direct, or semidirect with memsize, in the scf or dft block computes integrals again, or keeps them in "
        "memory, instead of on disk; scratch_dir says where temporaries go.",
        when_read=True,
    ),
    _package(
        "ABINIT",
        r"abinit",
        "iomode 1 has all ranks write together, where it was built with MPI-IO; prtwf 0 leaves out the wave functions, "
        "and prtden, prteig and their like what no later run needs.",
    ),
    _package(
        "ICON",
        r"icon([_.-]\w+)*",
        "num_io_procs and num_restart_procs in &parallel_nml give it ranks that only write, for which the others need "
        "not wait, and restart_write_mode in &io_nml says how restarts are written.",
    ),
    _package(
        "MOM6",
        r"mom6([_.-]\w+)*",
        "IO_LAYOUT in MOM_input says how many parts of the domain write, each to a file of its own; 1,1, its default, "
        "is one rank for all.",
    ),
    _package(
        "MITgcm",
        r"mitgcmuv([_.-]\w+)*",
        "useSingleCpuIO in PARM01 of the file data has one rank write one file of each field, instead of one of each "
        "tile; dumpFreq and pChkptFreq in PARM03 say how often.",
        their_number=True,
    ),
    _package(
        "code_saturne",
        r"cs_solver",
        "cs_file_set_default_access(CS_FILE_MODE_WRITE, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
        "cs_user_performance_tuning.c writes collectively, and cs_file_set_default_comm says by how many ranks.",
        reads="cs_file_set_default_access(CS_FILE_MODE_READ, CS_FILE_MPI_COLLECTIVE, MPI_INFO_NULL) in "
        "cs_user_performance_tuning.c reads collectively.",
    ),
    _package(
        "FLASH",
        r"flash([34x]|-x)",
        "useCollectiveHDF5 = .true. in flash.par writes collectively; checkpointFileIntervalStep and "
        "plotFileIntervalStep, or their times, say how often.",
    ),
    _package(
        "PIConGPU",
        r"picongpu",
        "--openPMD.json takes the parameters of ADIOS2's engine, NumAggregators among them, and --openPMD.period says "
        "how often it writes.",
    ),
    _package(
        "GADGET or AREPO",
        r"p?-?gadget[234]?([_.-]\w+)*|arepo",
        "NumFilesPerSnapshot says into how many files a snapshot is cut, and NumFilesWrittenInParallel (of GADGET-4 "
        "MaxFilesWithConcurrentIO) how many are written at a time.",
    ),
    _package(
        "SWIFT",
        r"swift_mpi",
        "distributed: 1 in the block Snapshots of the parameters has each rank write a file of its own.",
    ),
    _package("CP2K", r"cp2k\.[a-z]+", "EACH in the &PRINT sections says how often each output is written."),
)


def package_among(programs: Iterable[str], paths: Iterable[str] = ()) -> Package | None:
    """The first whose program a source names, with what is left to set where the job's files are at these paths."""
    found = next((p for name in programs for p in PACKAGES if p.programs.fullmatch(name)), None)
    if found is None or found.done is None or not any(found.done.search(path) for path in paths):
        return found
    return replace(found, settings=found.instead, reads=found.instead)


def package_settings(package: Package, *, reads: bool = False) -> Advice | None:
    """What its user can set, whatever the lines of code would be; None where nothing is known that does."""
    settings = package.reads if reads else package.settings
    return advice(f"In {package.name}, whose code few users change, {settings}") if settings else None
