"""Packages that compute atoms, molecules and solids."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import READ, package, setting
from iotriage.rules.core import Citation

_OF_WAVES = r"(WAVECAR|CHG(CAR)?)$"
"""The files of VASP that hold wave functions and charge."""
_ON_REQUEST = r"(AECCAR[0-2]|LOCPOT|ELFCAR|PARCHG)$"
"""Those on the same grid that it writes only where INCAR asks for them."""

OF_ATOMS = (
    package(
        "VASP",
        r"vasp([_.-]\w+)*",
        setting(
            "one rank writes WAVECAR and CHGCAR, and LWAVE = .FALSE. and LCHARG = .FALSE. in INCAR leave out what no "
            "later run needs",
            "amount",
            of=_OF_WAVES,
            cited=Citation("vasp-wiki", "LWAVE"),
        ),
        setting(
            "one rank writes AECCAR0 to 2, LOCPOT, ELFCAR and PARCHG, which LAECHG, LVTOT and LVHAR, LELF and LPARD in "
            "INCAR ask for: leave out what no later step needs",
            "amount",
            of=_ON_REQUEST,
            cited=Citation("vasp-wiki", "LAECHG"),
        ),
        setting(
            "NWRITE = 0 or 1 in INCAR writes less to OUTCAR",
            "amount",
            "syncs",
            of=r"OUTCAR$",
            cited=Citation("vasp-wiki", "NWRITE"),
        ),
        setting(
            "one rank reads WAVECAR and CHGCAR, and ISTART = 0 and ICHARG = 2 in INCAR leave them unread where the run "
            "need not go on from them",
            "amount",
            ways=READ,
            of=_OF_WAVES,
            cited=Citation("vasp-wiki", "ISTART"),
        ),
    ),
    package(
        "Quantum ESPRESSO",
        r"pw\.x",
        setting(
            "disk_io = 'low' in &CONTROL, the default of scf alone, keeps the wave functions in memory where they fit",
            "amount",
            "memory",
            cited=Citation("qe-pw", "&CONTROL: disk_io"),
        ),
        setting(
            "disk_io = 'nowf' writes none, where no later run needs them or goes on from them",
            "amount",
            cited=Citation("qe-pw", "&CONTROL: disk_io"),
        ),
        setting("outdir says where files go", "amount", cited=Citation("qe-pw", "&CONTROL: outdir")),
    ),
    package(
        "ph.x of Quantum ESPRESSO",
        r"ph\.x",
        setting(
            "reduce_io = .true. in &INPUTPH writes as little as can be, so that a run that is interrupted cannot be "
            "gone on with",
            "amount",
            "memory",
            cited=Citation("qe-ph", "&INPUTPH: reduce_io"),
        ),
    ),
    package(
        "cp.x of Quantum ESPRESSO",
        r"cp\.x",
        setting(
            "isave in &CONTROL says after how many steps, 100 unless set, it writes what a later run goes on from",
            "amount",
            cited=Citation("qe-cp", "&CONTROL: isave"),
        ),
    ),
    package(
        "CP2K",
        r"cp2k\.[a-z]+",
        setting(
            "EACH in the &PRINT sections says how often each output is written, and ADD_LAST whether the last is too",
            "amount",
            "prints",
            cited=Citation("cp2k-print", "EACH"),
        ),
    ),
    package(
        "CASTEP",
        r"castep([_.-]\w+)*",
        setting(
            "num_dump_cycles : 0 in the .param file writes no wave functions between, and write_checkpoint : minimal "
            "the least for a later run",
            "amount",
            cited=Citation("castep-keywords", "WRITE_CHECKPOINT"),
        ),
    ),
    package(
        "NWChem",
        r"nwchem([_.-]\w+)*",
        setting(
            "direct, or semidirect with memsize, in the scf or dft block computes integrals again, or keeps them in "
            "memory, instead of on disk",
            "amount",
            "memory",
            cited=Citation("nwchem-scf", "semidirect"),
        ),
        setting("scratch_dir says where temporaries go", "amount", cited=Citation("nwchem-scratch", "SCRATCH_DIR")),
    ),
    package(
        "ABINIT",
        r"abinit",
        setting(
            "iomode 1 has wave functions, densities and potentials written by MPI-IO, as it does by itself where "
            "paral_kgb is 1",
            "movers",
            together=True,
            cited=Citation("abinit-variables", "iomode"),
        ),
        setting(
            "prtwf 0 leaves out the wave functions, and prtden, prteig and their like what no later run needs",
            "amount",
            cited=Citation("abinit-variables", "prtwf"),
        ),
    ),
    package(
        "DL_POLY",
        r"DLPOLY(\.[ZX])?",
        setting(
            "io write mpiio 512 10000000 1000000 in CONTROL says how many ranks write, and in how large batches and "
            "buffers",
            "movers",
            "calls",
            cited=Citation("dl-poly", "CONTROL: io write"),
        ),
        setting(
            "io read mpiio 128 10000000 1000000 in CONTROL says how many ranks read, and in how large batches and "
            "buffers",
            "movers",
            "calls",
            ways=READ,
            cited=Citation("dl-poly", "CONTROL: io read"),
        ),
    ),
    package(
        "LAMMPS",
        r"(lmp|lammps)([_.-]\w+)*",
        setting(
            "a % in the name of a restart or a dump gives each rank a file of its own, and nfile of restart or "
            "dump_modify a number of them",
            "movers",
            cited=Citation("lammps-restart", "Description"),
        ),
        setting(
            "nfile of restart or dump_modify says how many files one with a % in its name has, and without a * in the "
            "name of a dump all steps are in one",
            "files",
            cited=Citation("lammps-restart", "Description"),
        ),
        setting(
            "the number in dump and restart says every how many steps they write",
            "amount",
            cited=Citation("lammps-restart", "Description"),
        ),
        setting(
            "the number in thermo says every how many steps it prints a line",
            "prints",
            cited=Citation("lammps-thermo", "Description"),
        ),
    ),
    package(
        "GROMACS",
        r"(gmx|mdrun)(_\w+)*",
        setting(
            "nstxout, nstvout and nstfout in the .mdp file say how often all coordinates, velocities and forces are "
            "written; nstxout-compressed writes the coordinates, rounded, in a fraction of that; nstlog and nstenergy "
            "say how often it writes its log and the energies",
            "amount",
            cited=Citation("gromacs-mdp", "Output control"),
        ),
        setting(
            "-cpt of mdrun says how many minutes lie between checkpoints, each of which is forced out to disk",
            "amount",
            "syncs",
            cited=Citation("gromacs-mdrun", "-cpt"),
        ),
    ),
    package(
        "NAMD",
        r"namd[23]?([_.-]\w+)*",
        setting(
            "DCDfreq and restartfreq say after how many steps it writes",
            "amount",
            cited=Citation("namd-guide", "Output files: DCDfreq, restartfreq"),
        ),
        setting(
            "outputEnergies says after how many steps it prints the energies, each step unless set",
            "prints",
            cited=Citation("namd-guide", "Standard output: outputEnergies"),
        ),
    ),
    package(
        "AMBER",
        r"(pmemd|sander)([_.-]\w+)*",
        setting(
            "ntwx and ntwr in &cntrl say after how many steps it writes the trajectory and what a later run goes on "
            "from",
            "amount",
            "syncs",
            cited=Citation("amber-manual", "Nature and format of the output: ntwx, ntwr"),
        ),
    ),
    package(
        "Siesta",
        r"siesta([_.-]\w+)*",
        setting(
            "Write.DM false with Write.DM.end.of.cycle true in the .fdf file writes the density matrix once a "
            "self-consistent cycle, and not at each iteration",
            "amount",
            of=r"\.DM(\.nc)?$",
            cited=Citation("siesta-manual", "Write.DM.end.of.cycle"),
        ),
    ),
)
