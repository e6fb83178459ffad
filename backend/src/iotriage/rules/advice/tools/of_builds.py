"""Tools that build programs, fetch their sources and start their jobs."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import IS, Tool, on_node_disk, option, tool

OF_BUILDS: tuple[Tool, ...] = (
    tool(
        "compilers and the like",
        r"cc1(plus|obj)?|f951|collect2|(gcc|g\+\+|gfortran|clang(\+\+)?|flang|cpp)(-[\d.]+)?|lto1|lto-wrapper|"
        r"(x86_64|aarch64)-[\w-]+-(gcc|g\+\+|gfortran|ld|as)(-[\d.]+)?|icp?[cx]|ifort|ifx|nvcc|cicc|cudafe\+\+|ptxas|"
        r"nv(c|c\+\+|fortran)|rustc|cargo|ld(\.\w+)?|as|ar|ranlib|g?make|cmake|ninja|meson",
        "build on a disk or in the memory of the node, with the sources copied there, and copy back what is to stay: "
        "nothing else makes its many files cheaper. TMPDIR says where compilers put temporaries.",
    ),
    tool(
        "git",
        r"git([_-]\w+)*",
        (
            option("git clone --depth 1 takes the files without their history", rf"--depth{IS}\d+['\"]?"),
            on_node_disk("a clone on a disk of the node spares the shared file system"),
        ),
    ),
    tool(
        "Snakemake",
        r"snakemake",
        (
            option("--drop-metadata leaves out the file that it keeps of each output", r"--drop-metadata"),
            option("--groups with --group-components puts many short jobs into one", rf"--group-components{IS}\S+"),
            on_node_disk('shadow: "minimal" of a rule, with --shadow-prefix on a disk of the node, has it work there'),
        ),
    ),
)
