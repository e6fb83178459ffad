"""Programs of quantum chemistry, and of molecules from pictures."""

from __future__ import annotations

from iotriage.rules.advice.tools.tool import Tool, on_node_disk, option, tool

OF_MOLECULES: tuple[Tool, ...] = (
    tool(
        "Gaussian",
        r"g(09|16)|l\d{1,4}\.exel?",
        on_node_disk(
            "GAUSS_SCRDIR names the folder of its scratch files: one on a disk of the node; a larger %Mem has it keep "
            "more in memory. A checkpoint file (%Chk) may stay where it is.",
        ),
        variable="GAUSS_SCRDIR",
    ),
    tool(
        "ORCA",
        r"orca(_\w+)*",
        on_node_disk(
            "it writes its scratch files beside the input: start it in a folder on a disk of the node, with the input "
            "copied there, and copy back what is to stay. %maxcore gives each process more memory.",
        ),
    ),
    tool(
        "TURBOMOLE",
        r"(dscf|ridft|rdgrad|ricc2|aoforce|mpgrad|pnoccsd)(_(smp|mpi|omp))?",
        on_node_disk(
            "TURBOTMPDIR names the folder of its scratch files: one on a disk of each node.",
        ),
        variable="TURBOTMPDIR",
    ),
    tool(
        "Molpro",
        r"molpro(\.exe)?",
        on_node_disk(
            "-d names the folder of its scratch files: one on a disk of the node; a larger -m has it keep more in "
            "memory.",
        ),
    ),
    tool(
        "Psi4",
        r"psi4",
        on_node_disk(
            "PSI_SCRATCH names the folder of its scratch files: one on a disk of the node; scf_type direct computes "
            "integrals again instead of keeping them there.",
        ),
        variable="PSI_SCRATCH",
    ),
    tool(
        "the Amsterdam Modeling Suite",
        r"(ams|adf|band|dftb|reaxff)\.exe",
        on_node_disk(
            "SCM_TMPDIR names the folder of its temporaries, which is to be there: one on a disk of each node.",
        ),
        variable="SCM_TMPDIR",
    ),
    tool(
        "Q-Chem",
        r"qcprog\.exe(_s)?|qchem",
        on_node_disk(
            "QCSCRATCH names the folder of its scratch files, and QCLOCALSCR one on a disk of each node; a larger "
            "MEM_TOTAL has it keep more in memory.",
        ),
    ),
    tool(
        "RELION",
        r"relion_\w+",
        (
            on_node_disk(
                "--scratch_dir names a folder on a disk of each node, to which it copies the particles first",
            ),
            option("--preread_images keeps them in memory instead, where that is enough", r"--preread_images"),
            "a larger --pool has it read more of them at a time",
        ),
    ),
)
