"""Of packages that compute stars, galaxies and plasmas."""

from __future__ import annotations

from iotriage.rules.core.document import Document

OF_PLASMAS = (
    Document(
        "amrex-inputs",
        "AMReX documentation, Run-time Inputs",
        "AMReX team (repository AMReX-Codes/amrex)",
        "Castro, Nyx and other programs of AMReX on any system",
        "2026-11-29",
        "https://amrex-codes.github.io/amrex/docs_html/Inputs_Chapter.html",
    ),
    Document(
        "arepo-parameters",
        "AREPO documentation, Parameterfile",
        "Max Planck Institute for Astrophysics",
        "AREPO, and GADGET of which it has the parameters, on any system",
        "2026-11-29",
        "https://arepo-code.org/",
    ),
    Document(
        "cactus-ioutil",
        "Cactus thorn guide, IOUtil",
        "Einstein Toolkit Consortium",
        "Programs of the Einstein Toolkit on any system",
        "2026-11-29",
        "https://einsteintoolkit.org/thornguide/CactusBase/IOUtil/documentation.html",
    ),
    Document(
        "castro-io",
        "Castro, Runtime parameters and Outputs",
        "AMReX-Astro collaboration (repository AMReX-Astro/Castro)",
        "Castro and other programs of AMReX on any system",
        "2026-11-29",
        "https://amrex-astro.github.io/Castro/docs/",
    ),
    Document(
        "enzo-docs",
        "Enzo documentation, Enzo Parameter List and Analysis Tools",
        "Enzo project (repository enzo-project/enzo-dev)",
        "Enzo on any system",
        "2026-11-29",
        "https://enzo.readthedocs.io/en/latest/",
    ),
    Document(
        "epoch-docs",
        "EPOCH documentation",
        "University of Warwick and others (repository epochpic/epochpic.github.io)",
        "EPOCH on any system",
        "2026-11-29",
        "https://epochpic.github.io/",
    ),
    Document(
        "flash-io",
        "Flash-X user's guide, IO unit",
        "Flash-X project",
        "FLASH and Flash-X on any system",
        "2026-11-29",
    ),
    Document(
        "gadget4",
        "GADGET-4 documentation, parameter file and I/O bandwidth test",
        "Max Planck Institute for Astrophysics",
        "GADGET-4 on any system",
        "2026-11-29",
        "https://wwwmpa.mpa-garching.mpg.de/gadget4/",
    ),
    Document(
        "picongpu-openpmd",
        "PIConGPU documentation, openPMD plugin",
        "Helmholtz-Zentrum Dresden-Rossendorf (repository ComputationalRadiationPhysics/picongpu)",
        "PIConGPU on any system",
        "2026-11-29",
        "https://picongpu.readthedocs.io/en/latest/usage/plugins/openPMD.html",
    ),
    Document(
        "ramses-source",
        "RAMSES, source of its parameters",
        "RAMSES organisation (repository ramses-organisation/ramses)",
        "RAMSES on any system",
        "2026-11-29",
        "https://github.com/ramses-organisation/ramses",
    ),
    Document(
        "swift-docs",
        "SWIFT documentation, Parameter Files",
        "SWIFT project (repository SWIFTSIM/SWIFT)",
        "SWIFT on any system",
        "2026-11-29",
        "https://swift.strw.leidenuniv.nl/docs/ParameterFiles/parameter_description.html",
    ),
    Document(
        "warpx-parameters",
        "WarpX documentation, Parameters: Inputs File",
        "BLAST project (repository BLAST-WarpX/warpx)",
        "WarpX on any system",
        "2026-11-29",
        "https://warpx.readthedocs.io/en/latest/usage/parameters.html",
    ),
)
