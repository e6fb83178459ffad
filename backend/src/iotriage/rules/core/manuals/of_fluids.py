"""Of packages that compute fluids, waves and the solid earth."""

from __future__ import annotations

from iotriage.rules.core.document import Document

OF_FLUIDS = (
    Document(
        "aspect-parameters",
        "ASPECT documentation, Parameters: Postprocess",
        "Computational Infrastructure for Geodynamics (repository geodynamics/aspect)",
        "ASPECT on any system",
        "2026-11-29",
        "https://aspect-documentation.readthedocs.io/en/latest/parameters/Postprocess.html",
    ),
    Document(
        "moose-nemesis",
        "MOOSE documentation, Outputs",
        "Idaho National Laboratory (repository idaholab/moose)",
        "Programs of MOOSE on any system",
        "2026-11-30",
        "https://mooseframework.inl.gov/source/outputs/Nemesis.html",
    ),
    Document(
        "nek-guide",
        "Nek5000 documentation, Case Files",
        "Argonne National Laboratory and others (repository Nek5000/NekDoc)",
        "Nek5000 on any system",
        "2026-11-29",
        "https://nek5000.github.io/NekDoc/problem_setup/case_files.html",
    ),
    Document(
        "nektar-guide",
        "Nektar++ user guide",
        "Nektar++ developers",
        "Nektar++ on any system",
        "2026-11-29",
        "https://www.nektar.info/",
    ),
    Document(
        "openfoam-collated",
        "OpenFOAM, C++ source guide: hostCollatedFileOperation",
        "OpenFOAM Foundation",
        "OpenFOAM on any system",
        "2026-11-29",
        "https://cpp.openfoam.org/v13/hostCollatedFileOperation_8H_source.html",
    ),
    Document(
        "openfoam-switches",
        "OpenFOAM, etc/controlDict",
        "OpenFOAM Foundation (repository OpenFOAM/OpenFOAM-dev)",
        "OpenFOAM on any system",
        "2026-11-29",
        "https://github.com/OpenFOAM/OpenFOAM-dev/blob/master/etc/controlDict",
    ),
    Document(
        "openfoam-time",
        "OpenFOAM, C++ source guide: TimeIO.C",
        "OpenFOAM Foundation",
        "OpenFOAM on any system",
        "2026-11-29",
        "https://cpp.openfoam.org/v13/TimeIO_8C_source.html",
    ),
    Document(
        "openfoam-time-control",
        "OpenFOAM, C++ source guide: timeControl.H",
        "OpenFOAM Foundation",
        "OpenFOAM on any system",
        "2026-12-01",
        "https://cpp.openfoam.org/v13/classFoam_1_1timeControl.html",
    ),
    Document(
        "saturne-file",
        "code_saturne, header cs_file.h",
        "EDF R&D (repository code-saturne/code_saturne)",
        "code_saturne on any system",
        "2026-11-29",
        "https://github.com/code-saturne/code_saturne",
    ),
    Document(
        "seissol-environment",
        "SeisSol documentation, Environment variables",
        "SeisSol project (repository SeisSol/SeisSol)",
        "SeisSol on any system",
        "2026-11-29",
        "https://seissol.readthedocs.io/en/latest/environment-variables.html",
    ),
    Document(
        "specfem-parameters",
        "SPECFEM3D and SPECFEM3D_GLOBE, DATA/Par_file",
        "Computational Infrastructure for Geodynamics (repositories SPECFEM/specfem3d and SPECFEM/specfem3d_globe)",
        "SPECFEM3D on any system",
        "2026-11-29",
        "https://github.com/SPECFEM",
    ),
    Document(
        "su2-config",
        "SU2, config_template.cfg",
        "SU2 Foundation (repository su2code/SU2)",
        "SU2 on any system",
        "2026-11-29",
        "https://github.com/su2code/SU2/blob/master/config_template.cfg",
    ),
)
