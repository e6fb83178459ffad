"""The documents that thresholds, citations and sites name by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

PROJECT = "project"
"""The key that stands where no document gives a number: the number is ours, and the reader is told so."""


@dataclass(frozen=True, slots=True)
class Document:
    """`systems` says which machines or software it speaks about; `url` is None where none was recorded."""

    key: str
    title: str
    publisher: str
    systems: str
    url: str | None = None


_ALL = (
    Document(
        "archer-bpg",
        "ARCHER Best Practice Guide, 8. I/O on ARCHER",
        "EPCC, 2013–2019",
        "ARCHER (Cray XC30, retired): Lustre fs2 and fs3 with 48 OSTs, fs4 with 56",
    ),
    Document(
        "archer2-io",
        "ARCHER2 User Guide, I/O performance and tuning",
        "EPCC",
        "ARCHER2 (HPE Cray EX): Lustre on disks with 12 OSTs, Lustre on NVMe",
    ),
    Document(
        "theta-io",
        "Parallel I/O on Theta with Best Practices (Coffman, Tessier, Malakar, Brown)",
        "Argonne Leadership Computing Facility",
        "Theta (Cray XC40, retired): Lustre theta-fs0 with 56 OSTs, node-local SSDs",
    ),
    Document(
        "epcc-pio",
        "Performance of Parallel IO on Lustre and GPFS (Henty, Jackson, Moulinec, Szeremi)",
        "EPCC and STFC",
        "ARCHER (Lustre) and Blue Joule (GPFS), both retired",
    ),
    Document(
        "nesi-io",
        "I/O Performance Considerations",
        "New Zealand eScience Infrastructure (NeSI)",
        "Māui (XC50 through DVS) and Mahuika (Spectrum Scale clients), both replaced",
    ),
    Document(
        "csc-io",
        "CSC user guide, Lustre best practices",
        "CSC – IT Center for Science",
        "Puhti and Mahti: Lustre with 24 OSTs",
    ),
    Document(
        "nersc-lustre",
        "NERSC documentation, Lustre striping recommendations",
        "NERSC",
        "Perlmutter scratch: Lustre with 298 OSTs",
    ),
    Document(
        "intro-mpi",
        "intro_mpi manual page of HPE Cray MPICH",
        "HPE",
        "HPE Cray MPICH",
        "https://cpe.ext.hpe.com/docs/latest/mpt/mpich/intro_mpi.html",
    ),
    Document(
        "darshan-logs",
        "darshan-logs, READMEs of the imbalanced_io, skew_io and e3sm examples",
        "Darshan project (repository darshan-hpc/darshan-logs)",
        "Darshan logs of several systems",
    ),
    Document(
        "darshan-util",
        "Darshan-util and Darshan-runtime documentation",
        "Darshan project, Argonne National Laboratory (repository darshan-hpc/darshan)",
        "Darshan 3.x logs",
    ),
    Document(
        "darshan-issues",
        "Discussions of the Darshan issue tracker",
        "Darshan project (repository darshan-hpc/darshan)",
        "Lustre file systems; Darshan logs",
    ),
    Document(
        "drishti",
        "Drishti I/O, default thresholds (includes/config.py)",
        "hpc-io (repository hpc-io/drishti-io)",
        "Darshan logs of any system",
    ),
    Document(
        "wisio",
        "WisIO, rules",
        "Gnosis Research Center (repository grc-iit/wisio)",
        "I/O traces of any system",
    ),
)

DOCUMENTS: Mapping[str, Document] = {d.key: d for d in _ALL}
