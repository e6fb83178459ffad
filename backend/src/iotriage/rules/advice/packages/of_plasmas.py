"""Packages that compute stars, galaxies and plasmas."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import READ, package, setting

OF_PLASMAS = (
    package(
        "FLASH",
        r"flash([34x]|-x)",
        setting("the shortcut +parallelIO of its setup has all ranks write HDF5", "movers", together=True),
        setting("useCollectiveHDF5 = .true. in flash.par writes collectively", "calls"),
        setting(
            "checkpointFileIntervalStep and plotFileIntervalStep, or their times, say how often it writes", "amount"
        ),
    ),
    package(
        "Castro, Nyx and others of AMReX",
        r"(castro|nyx|pelec|iamr)([_.-]?\w+)*",
        setting(
            "amr.plot_nfiles and amr.checkpoint_nfiles say into how many files a field goes (64, unless set), and so "
            "how many ranks write at a time",
            "movers",
            "files",
        ),
        setting("amr.plot_int and amr.check_int say after how many steps it writes", "amount"),
        manual="castro-io",
        section="Parallel I/O: amr.checkpoint_nfiles and amr.plot_nfiles",
    ),
    package(
        "WarpX",
        r"warpx([_.-][\w+]+)*",
        setting("<diag_name>.intervals says after how many steps a diagnostic is written", "amount"),
    ),
    package(
        "Enzo",
        r"enzo(\.exe)?",
        setting("dtDataDump and CycleSkipDataDump say how often it writes", "amount"),
        setting(
            "ParallelRootGridIO = 1 and ParallelParticleIO = 1 have each rank read its own part of the first data",
            "movers",
            "calls",
            ways=READ,
        ),
    ),
    package(
        "EPOCH",
        r"epoch[123]d",
        setting(
            "dt_snapshot or nstep_snapshot in an output block says how often it writes, and full_dump_every and "
            "restart_dump_every which of these have all",
            "amount",
        ),
    ),
    package(
        "PIConGPU",
        r"picongpu",
        setting("--openPMD.json takes the parameters of ADIOS2's engine, NumAggregators among them", "movers", "files"),
        setting("--openPMD.period says how often it writes", "amount"),
    ),
    package(
        "a program of the Einstein Toolkit",
        r"cactus_\w+",
        setting(
            'IO::out_mode = "proc" has a file of each rank, "np" one for each IO::out_proc_every of them, "onefile" '
            "one of all",
            "files",
            "movers",
        ),
        setting("IO::out_every and IO::checkpoint_every say after how many steps it writes", "amount"),
    ),
    package(
        "GADGET or AREPO",
        r"p?-?gadget[234]?([_.-]\w+)*|arepo",
        setting(
            "NumFilesPerSnapshot says into how many files a snapshot is cut",
            "movers",
            "files",
        ),
        setting(
            "NumFilesWrittenInParallel (of GADGET-4 MaxFilesWithConcurrentIO) says how many are written at a time",
            "movers",
        ),
        setting(
            "TimeBetSnapshot says how often a snapshot is written, and CpuTimeBetRestartFile how often restarts are",
            "amount",
        ),
    ),
    package(
        "RAMSES",
        r"ramses[123]d",
        setting("IOGROUPSIZE says how many ranks write at a time, and 0 has all of them do it", "movers"),
    ),
    package(
        "SWIFT",
        r"swift_mpi",
        setting(
            "distributed: 1 in the block Snapshots of the parameters has each rank write a file of its own", "movers"
        ),
        setting(
            "distributed: 0 in the block Snapshots of the parameters has all ranks write one file, and 1 each its own",
            "files",
        ),
        setting("delta_time in the block Snapshots says how often one is written", "amount"),
    ),
)
