"""Programs of engineering: flows, structures, crashes."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import Tool, on_node_disk, option, tool

OF_ENGINEERING: tuple[Tool, ...] = (
    tool(
        "LS-DYNA",
        r"(ls-?dyna|mppdyna)([_.-]\w+)*",
        on_node_disk(
            "DT of *DATABASE_BINARY_D3PLOT and D3THDT says how often it writes all, and *DATABASE_EXTENT_BINARY how "
            "much of it; a working folder of each process on a disk of the node (local in the p-file of its MPP "
            "version) takes its scratch files away from the shared file system.",
        ),
    ),
    tool(
        "Fluent",
        r"fluent(_mpi)?([_.-]\w+)*",
        "/file/auto-save/data-frequency says how often it writes; case and data files in the Common Fluids Format "
        "(.cas.h5, .dat.h5) are smaller than the older ones, and /file/cffio-options/io-mode says which processes "
        "write them.",
        "case and data files in the Common Fluids Format (.cas.h5, .dat.h5) are smaller than the older ones, and "
        "/file/cffio-options/io-mode says which processes read them.",
    ),
    tool(
        "Simcenter STAR-CCM+",
        r"star-?ccm[\w+.-]*",
        (
            option("-pio on its command line has several of its processes save a .sim file together", "-pio"),
            "Auto Save says how often it saves",
        ),
        (
            option("-pio on its command line has several of its processes read a .sim file together", "-pio"),
            "what it need not go on from is best in files of its own, as solution histories (.simh) are",
        ),
    ),
    tool(
        "Ansys CFX",
        r"solver-\w+\.exe|cfx5solve",
        "Output Control says how often it writes backups and transient results, and Selected Variables which ones.",
    ),
    tool(
        "Ansys Mechanical",
        r"ansys(\d+)?(\.e)?|mapdl",
        on_node_disk(
            "start it in a folder on a disk of the node, with the input copied there, and copy back what is to stay: "
            "it writes its scratch files beside the input. -m gives it more memory, which DSPOPTION,,INCORE (BCSOPTION "
            "without -dis) uses to keep the matrix there; OUTRES says which results it writes, and how often.",
        ),
    ),
    tool(
        "Abaqus",
        r"abaqus|abq\w*",
        on_node_disk(
            "scratch= on its command line names the folder of its temporaries, best on a disk of the node, and memory= "
            "what it may keep in memory; FREQUENCY or TIME INTERVAL of *OUTPUT says how often it writes.",
        ),
    ),
    tool(
        "COMSOL",
        r"comsol(launcher)?",
        (
            on_node_disk(
                "-tmpdir names the folder of its temporaries, best on a disk of the node",
            ),
            option("-autosave off leaves out what it would recover from", r"-autosave\s+off"),
        ),
    ),
)
