"""Packages that compute stars, galaxies and plasmas."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import READ, package, setting
from iotriage.rules.core import Citation

OF_PLASMAS = (
    package(
        "FLASH",
        r"flash([34x]|-x)",
        setting(
            "the shortcut +parallelIO of its setup has all ranks write HDF5",
            "movers",
            together=True,
            cited=Citation("flash-io", "setup shortcut +parallelio"),
        ),
        setting(
            "useCollectiveHDF5 = .true. in flash.par writes collectively",
            "calls",
            cited=Citation("flash-io", "Runtime parameters: useCollectiveHDF5"),
        ),
        setting(
            "checkpointFileIntervalStep and plotFileIntervalStep, or their times, say how often it writes",
            "amount",
            cited=Citation("flash-io", "Runtime parameters: checkpointFileIntervalStep"),
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
            cited=Citation("castro-io", "Parallel I/O: amr.checkpoint_nfiles and amr.plot_nfiles"),
        ),
        setting(
            "amr.plot_int and amr.check_int say after how many steps it writes",
            "amount",
            cited=Citation("amrex-inputs", "Plotfiles and Other Output: plot_int"),
        ),
    ),
    package(
        "WarpX",
        r"warpx([_.-][\w+]+)*",
        setting(
            "warpx.field_io_nfiles and warpx.particle_io_nfiles say into how many files a plotfile's fields and "
            "particles go at most (1024, unless set)",
            "movers",
            "files",
            cited=Citation("warpx-parameters", "warpx.field_io_nfiles"),
        ),
        setting(
            "<diag_name>.openpmd_backend = bp writes by ADIOS2 instead of HDF5, where it was built with it",
            "calls",
            "movers",
            of=r"\.h5$",
            cited=Citation("warpx-parameters", "<diag_name>.openpmd_backend"),
        ),
        setting(
            "<diag_name>.intervals says after how many steps a diagnostic is written",
            "amount",
            cited=Citation("warpx-parameters", "<diag_name>.intervals"),
        ),
    ),
    package(
        "Enzo",
        r"enzo(\.exe)?",
        setting(
            "dtDataDump and CycleSkipDataDump say how often it writes",
            "amount",
            cited=Citation("enzo-docs", "CycleSkipDataDump"),
        ),
        setting(
            "ParallelRootGridIO = 1 has each rank read its own part of the first data, and so has ParallelParticleIO = "
            "1 of the particles, where Enzo's tool ring has divided them before",
            "movers",
            "calls",
            ways=READ,
            cited=Citation("enzo-docs", "ParallelRootGridIO"),
        ),
    ),
    package(
        "EPOCH",
        r"epoch[123]d",
        setting(
            "dt_snapshot or nstep_snapshot in an output block says how often it writes, and full_dump_every and "
            "restart_dump_every which of these have all",
            "amount",
            cited=Citation("epoch-docs", "restart_dump_every"),
        ),
    ),
    package(
        "PIConGPU",
        r"picongpu",
        setting(
            "--openPMD.json takes the parameters of ADIOS2's engine, NumAggregators among them",
            "movers",
            "files",
            cited=Citation("picongpu-openpmd", "--openPMD.json"),
        ),
        setting(
            "--openPMD.period says how often it writes",
            "amount",
            cited=Citation("picongpu-openpmd", "--openPMD.period"),
        ),
    ),
    package(
        "a program of the Einstein Toolkit",
        r"cactus_\w+",
        setting(
            'IO::out_mode = "proc" has a file of each rank, "np" one for each IO::out_proc_every of them, "onefile" '
            "one of all",
            "files",
            "movers",
            cited=Citation("cactus-ioutil", "IO::out_mode, IO::out_proc_every"),
        ),
        setting(
            "IO::out_every and IO::checkpoint_every say after how many steps it writes",
            "amount",
            cited=Citation("cactus-ioutil", "Standard Parameters"),
        ),
    ),
    package(
        "GADGET or AREPO",
        r"p?-?gadget[234]?([_.-]\w+)*|arepo",
        setting(
            "NumFilesPerSnapshot says into how many files a snapshot is cut",
            "movers",
            "files",
            cited=Citation("arepo-parameters", "NumFilesPerSnapshot"),
        ),
        setting(
            "NumFilesWrittenInParallel (of GADGET-4 MaxFilesWithConcurrentIO) says how many are written at a time",
            "movers",
            cited=Citation("gadget4", "MaxFilesWithConcurrentIO"),
        ),
        setting(
            "TimeBetSnapshot says how often a snapshot is written, and CpuTimeBetRestartFile how often restarts are",
            "amount",
            cited=Citation("arepo-parameters", "Output frequency"),
        ),
    ),
    package(
        "RAMSES",
        r"ramses[123]d",
        setting(
            "of each group of IOGROUPSIZE ranks one writes at a time, and 0, the default, has all of them do it",
            "movers",
            cited=Citation("ramses-source", "amr_parameters: IOGROUPSIZE"),
        ),
    ),
    package(
        "SWIFT",
        r"swift_mpi",
        setting(
            "distributed: 1 in the block Snapshots of the parameters has each rank write a file of its own",
            "movers",
            cited=Citation("swift-docs", "Snapshots: distributed"),
        ),
        setting(
            "distributed: 0 in the block Snapshots of the parameters has all ranks write one file, and 1 each its own",
            "files",
            cited=Citation("swift-docs", "Snapshots: distributed"),
        ),
        setting(
            "delta_time in the block Snapshots says how often one is written, and delta_hours in the block Restarts "
            "how often each rank writes what a later run goes on from",
            "amount",
            cited=Citation("swift-docs", "Snapshots: delta_time"),
        ),
    ),
)
