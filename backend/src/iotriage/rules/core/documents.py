"""The documents that thresholds, citations and sites name by key."""

from __future__ import annotations

from collections.abc import Mapping

from iotriage_parsers.frozen import frozen

PROJECT = "project"
"""The key that stands where no document gives a number: the number is ours, and the reader is told so."""


@frozen
class Document:
    """`systems` says which machines or software it speaks about; `url` is None where none was recorded. `read_on` is
    the day on which what is cited was read: a page changes. `of_library` is the MPI library whose manual it is: to the
    jobs of others it says nothing."""

    key: str
    title: str
    publisher: str
    systems: str
    read_on: str
    url: str | None = None
    of_library: str | None = None


_ALL = (
    Document(
        "archer-bpg",
        "ARCHER Best Practice Guide, 8. I/O on ARCHER",
        "EPCC, 2013–2019",
        "ARCHER (Cray XC30, retired): Lustre fs2 and fs3 with 48 OSTs, fs4 with 56",
        "2026-11-20",
    ),
    Document(
        "archer2-io",
        "ARCHER2 User Guide, I/O performance and tuning",
        "EPCC",
        "ARCHER2 (HPE Cray EX, retired): Lustre on disks with 12 OSTs, Lustre on NVMe",
        "2026-11-20",
        "https://docs.archer2.ac.uk/user-guide/io/",
    ),
    Document(
        "theta-io",
        "Parallel I/O on Theta with Best Practices (Coffman, Tessier, Malakar, Brown)",
        "Argonne Leadership Computing Facility",
        "Theta (Cray XC40, retired): Lustre theta-fs0 with 56 OSTs, node-local SSDs",
        "2026-11-20",
    ),
    Document(
        "epcc-pio",
        "Performance of Parallel IO on Lustre and GPFS (Henty, Jackson, Moulinec, Szeremi)",
        "EPCC and STFC",
        "ARCHER (Lustre) and a system with GPFS, both retired",
        "2026-11-20",
    ),
    Document(
        "epcc-course",
        "Parallel I/O course for ARCHER2 (2022)",
        "EPCC",
        "ARCHER2 (HPE Cray EX, retired): Lustre on disks with 12 OSTs, Lustre on NVMe",
        "2026-11-22",
    ),
    Document(
        "nesi-io",
        "I/O Performance Considerations",
        "New Zealand eScience Infrastructure (NeSI)",
        "Māui (XC50 through DVS) and Mahuika (Spectrum Scale clients), both replaced",
        "2026-11-20",
    ),
    Document(
        "csc-io",
        "CSC user guide, Lustre file system",
        "CSC – IT Center for Science (repository CSCfi/csc-user-guide)",
        "Roihu, and Puhti and Mahti (both retired): Lustre with 24 OSTs each",
        "2026-11-20",
        "https://docs.csc.fi/computing/lustre/",
    ),
    Document(
        "nersc-lustre",
        "NERSC documentation, Lustre striping recommendations",
        "NERSC",
        "Perlmutter scratch: Lustre with 298 OSTs",
        "2026-11-20",
        "https://docs.nersc.gov/performance/io/lustre/",
    ),
    Document(
        "nersc-scratch",
        "NERSC documentation, Perlmutter scratch",
        "NERSC",
        "Perlmutter scratch: Lustre with 298 OSTs",
        "2026-11-21",
        "https://docs.nersc.gov/filesystems/perlmutter-scratch/",
    ),
    Document(
        "olcf-data",
        "OLCF user documentation, Data storage and transfers",
        "Oak Ridge Leadership Computing Facility (repository olcf/olcf-user-docs)",
        "Frontier: Lustre Orion with flash and disk tiers",
        "2026-11-21",
        "https://docs.olcf.ornl.gov/data/index.html",
    ),
    Document(
        "olcf-frontier",
        "OLCF user documentation, Frontier User Guide",
        "Oak Ridge Leadership Computing Facility (repository olcf/olcf-user-docs)",
        "Frontier: nodes and their cores",
        "2026-11-25",
        "https://docs.olcf.ornl.gov/systems/frontier_user_guide.html",
    ),
    Document(
        "alcf-storage",
        "ALCF user guides, Data storage",
        "Argonne Leadership Computing Facility (repository argonne-lcf/user-guides)",
        "Polaris: Lustre Eagle, and earlier Grand, with 160 OSTs each",
        "2026-11-21",
        "https://docs.alcf.anl.gov/data-management/filesystem-and-storage/data-storage/",
    ),
    Document(
        "alcf-flare",
        "ALCF user guides, Flare filesystem",
        "Argonne Leadership Computing Facility (repository argonne-lcf/user-guides)",
        "Aurora: Lustre Flare with 160 OSTs",
        "2026-11-21",
        "https://docs.alcf.anl.gov/aurora/data-management/lustre/flare/",
    ),
    Document(
        "alcf-daos",
        "ALCF user guides, DAOS architecture",
        "Argonne Leadership Computing Facility (repository argonne-lcf/user-guides)",
        "Aurora: DAOS",
        "2026-11-21",
        "https://docs.alcf.anl.gov/aurora/data-management/daos/daos-overview/",
    ),
    Document(
        "lumi-storage",
        "LUMI user guide, Storage: Lustre, LUMI-P, LUMI-F",
        "LUMI consortium (repository Lumi-supercomputer/lumi-userguide)",
        "LUMI: four Lustre file systems on disks, one on flash",
        "2026-11-21",
        "https://docs.lumi-supercomputer.eu/storage/",
    ),
    Document(
        "lumi-course",
        "LUMI training materials, April 2026: I/O and file systems on LUMI",
        "LUMI user support team (repository Lumi-supercomputer/LUMI-training-materials)",
        "LUMI: four Lustre file systems on disks, one on flash",
        "2026-11-21",
        "https://lumi-supercomputer.github.io/LUMI-training-materials/2day-20260422/203-Lustre/",
    ),
    Document(
        "cscs-storage",
        "CSCS documentation, Alps storage",
        "Swiss National Supercomputing Centre (repository eth-cscs/cscs-docs)",
        "Alps: Lustre Capstor and Iopsstor, VAST Ritom",
        "2026-11-21",
        "https://docs.cscs.ch/alps/storage/",
    ),
    Document(
        "cscs-guides",
        "CSCS documentation, Storage guides",
        "Swiss National Supercomputing Centre (repository eth-cscs/cscs-docs)",
        "Alps: Lustre Capstor and Iopsstor, VAST Ritom",
        "2026-11-21",
        "https://docs.cscs.ch/guides/storage/",
    ),
    Document(
        "tacc-frontera",
        "Frontera user guide, Managing files",
        "Texas Advanced Computing Center (repository TACC/TACC-Docs)",
        "Frontera: three Lustre scratch file systems with 16, 16 and 32 OSTs",
        "2026-11-21",
        "https://docs.tacc.utexas.edu/hpc/frontera/#files",
    ),
    Document(
        "tacc-stampede3",
        "Stampede3 user guide, Managing files",
        "Texas Advanced Computing Center (repository TACC/TACC-Docs)",
        "Stampede3: home and scratch on VAST",
        "2026-11-21",
        "https://docs.tacc.utexas.edu/hpc/stampede3/#files",
    ),
    Document(
        "pawsey-lustre",
        "Pawsey user support documentation, Progressive file layout and file striping",
        "Pawsey Supercomputing Research Centre",
        "Setonix: Lustre on flash and disks with a progressive layout",
        "2026-11-21",
        "https://pawsey.atlassian.net/wiki/spaces/US/pages/51931114/",
    ),
    Document(
        "kaust-filesystem",
        "Shaheen III filesystems",
        "KAUST Supercomputing Laboratory",
        "Shaheen III: Lustre scratch with capacity, bandwidth and IOPS tiers",
        "2026-11-21",
        "https://docs.hpc.kaust.edu.sa/systems/shaheen3/filesystem.html",
    ),
    Document(
        "ncar-lustre",
        "NCAR HPC documentation, Lustre scratch file system",
        "NSF National Center for Atmospheric Research",
        "Derecho: Lustre Destor with 96 OSTs and a progressive layout",
        "2026-11-21",
        "https://ncar-hpc-docs.readthedocs.io/en/latest/",
    ),
    Document(
        "intro-mpi",
        "intro_mpi manual page of HPE Cray MPICH",
        "HPE",
        "HPE Cray MPICH",
        "2026-11-20",
        "https://cpe.ext.hpe.com/docs/latest/mpt/mpich/intro_mpi.html",
        of_library="cray-mpich",
    ),
    Document(
        "darshan-logs",
        "darshan-logs, READMEs of the imbalanced_io, skew_io and e3sm examples",
        "Darshan project (repository darshan-hpc/darshan-logs)",
        "Darshan logs of several systems",
        "2026-11-20",
        "https://github.com/darshan-hpc/darshan-logs",
    ),
    Document(
        "darshan-util",
        "Darshan-util and Darshan-runtime documentation",
        "Darshan project, Argonne National Laboratory (repository darshan-hpc/darshan)",
        "Darshan 3.x logs",
        "2026-11-20",
        "https://www.mcs.anl.gov/research/projects/darshan/docs/darshan-runtime.html",
    ),
    Document(
        "darshan-issues",
        "Discussions of the Darshan issue tracker",
        "Darshan project (repository darshan-hpc/darshan)",
        "Lustre file systems; Darshan logs",
        "2026-11-20",
        "https://github.com/darshan-hpc/darshan/issues/228",
    ),
    Document(
        "alcf-cug25",
        "Darshan log collection on Polaris, scripts and case studies (CUG 2025)",
        "Argonne Leadership Computing Facility (repository darshan-hpc/polaris-log-collection-scripts-cug25)",
        "Polaris: Darshan logs of a year of production",
        "2026-11-21",
        "https://github.com/darshan-hpc/polaris-log-collection-scripts-cug25",
    ),
    Document(
        "drishti",
        "Drishti I/O, default thresholds (includes/config.py)",
        "hpc-io (repository hpc-io/drishti-io)",
        "Darshan logs of any system",
        "2026-11-20",
        "https://github.com/hpc-io/drishti-io/blob/HEAD/drishti/includes/config.py",
    ),
    Document(
        "tacc-io",
        "Managing I/O on TACC Resources",
        "Texas Advanced Computing Center (repository TACC/TACC-Docs)",
        "Frontera, Stampede3, Vista, Lonestar6: Lustre, VAST, BeeGFS",
        "2026-11-21",
        "https://docs.tacc.utexas.edu/tutorials/managingio/",
    ),
    Document(
        "tacc-conduct",
        "Good Conduct on TACC's HPC Systems",
        "Texas Advanced Computing Center (repository TACC/TACC-Docs)",
        "Frontera, Stampede3, Vista, Lonestar6: Lustre, VAST, BeeGFS",
        "2026-11-21",
        "https://docs.tacc.utexas.edu/basics/conduct/",
    ),
    Document(
        "lsu-hpc",
        "LSU HPC Storage Policy",
        "Louisiana State University",
        "Clusters of LSU: home, work and project file systems",
        "2026-11-21",
        "http://www.hpc.lsu.edu/users/LSU-HPC-Storage-helper.php",
    ),
    Document(
        "pytokio",
        "pytokio, darshan_bad_ost",
        "NERSC (repository NERSC/pytokio)",
        "Darshan logs of jobs on Lustre",
        "2026-11-21",
        "https://github.com/NERSC/pytokio",
    ),
    Document(
        "pytorch-dcp",
        "Distributed Checkpoint: torch.distributed.checkpoint",
        "PyTorch Foundation",
        "PyTorch 2 on any system",
        "2026-11-25",
        "https://docs.pytorch.org/docs/stable/distributed.checkpoint.html",
    ),
    Document(
        "hdf5-fill",
        "HDF5 Fill Value Behavior",
        "The HDF Group",
        "HDF5 on any system",
        "2026-11-25",
        "https://support.hdfgroup.org/HDF5/doc_resource/H5Fill_Behavior.html",
    ),
    Document(
        "mpifileutils",
        "mpiFileUtils, documentation",
        "Lawrence Livermore National Laboratory and others (repository hpc/mpifileutils)",
        "Any parallel file system",
        "2026-11-25",
        "https://mpifileutils.readthedocs.io/",
    ),
    Document(
        "wisio",
        "WisIO, rules",
        "Gnosis Research Center (repository grc-iit/wisio)",
        "I/O traces of any system",
        "2026-11-20",
        "https://github.com/grc-iit/wisio",
    ),
)

DOCUMENTS: Mapping[str, Document] = {d.key: d for d in _ALL}
