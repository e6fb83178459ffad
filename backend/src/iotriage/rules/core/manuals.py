"""The documentation of packages and tools, whose settings advice names."""

from __future__ import annotations

from iotriage.rules.core.document import Document

MANUALS = (
    Document(
        "castro-io",
        "Castro, Runtime parameters and Outputs",
        "AMReX-Astro collaboration (repository AMReX-Astro/Castro)",
        "Castro and other programs of AMReX on any system",
        "2026-11-29",
        "https://amrex-astro.github.io/Castro/docs/",
    ),
    Document(
        "lammps-restart",
        "LAMMPS documentation, restart command",
        "Sandia National Laboratories and Temple University (repository lammps/lammps)",
        "LAMMPS on any system",
        "2026-11-29",
        "https://docs.lammps.org/restart.html",
    ),
    Document(
        "qe-pw",
        "Input file description, pw.x",
        "Quantum ESPRESSO Foundation",
        "Quantum ESPRESSO on any system",
        "2026-11-29",
        "https://www.quantum-espresso.org/Doc/INPUT_PW.html",
    ),
    Document(
        "seissol-environment",
        "SeisSol documentation, Environment variables",
        "SeisSol project (repository SeisSol/SeisSol)",
        "SeisSol on any system",
        "2026-11-29",
        "https://seissol.readthedocs.io/en/latest/environment-variables.html",
    ),
)
