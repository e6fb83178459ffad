"""A centre's profile: its file systems, what its documents measured there, the thresholds that differ from the rules'
defaults, and advice that applies there."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Literal

from iotriage.metrics.core.pattern import Pattern
from iotriage_parsers.evidence.job_context import Launcher, Scheduler
from iotriage_parsers.evidence.mpiio_stats import Direction
from iotriage_parsers.frozen import frozen

FileSystemKind = Literal["lustre", "gpfs", "vast", "weka", "beegfs", "daos", "nfs", "local", "other", "unknown"]
FILE_SYSTEM_NAMES: Mapping[FileSystemKind, str] = {
    "lustre": "Lustre",
    "gpfs": "GPFS",
    "vast": "VAST",
    "weka": "WEKA",
    "beegfs": "BeeGFS",
    "daos": "DAOS",
    "nfs": "NFS",
    "local": "a local file system",
    "other": "a file system of another kind",
    "unknown": "a file system that is not known",
}
MAYBE_LUSTRE: frozenset[FileSystemKind] = frozenset({"lustre", "unknown"})
ManualStriping = Literal["yes", "discouraged", "impossible"]
DefaultLayout = Literal["plain", "progressive"]
DataSieving = Literal["wanted", "avoid"]
FileOperation = Literal["create", "stat", "read", "remove"]
DirectoryUse = Literal["own", "shared"]
Statistic = Literal["maximum", "quartiles", "typical", "range"]
BandwidthUnit = Literal["MiB/s", "GiB/s", "MB/s", "GB/s"]
BANDWIDTH_UNITS: Mapping[str, int] = {"MiB/s": 2**20, "GiB/s": 2**30, "MB/s": 10**6, "GB/s": 10**9}
"""Bytes per second of each unit."""
SiteMpiLibrary = Literal["cray-mpich", "intel-mpi", "mpich", "openmpi", "other"]
"""As the metric mpi.library calls them."""
PROJECT_DIRECTORIES = (
    r"^/(lus/[^/]+/|[^/]+/)?projects/[^/]+",
    r"^/(.*/)?project[_-]?\d+",
    r"^/([^/]+/)?scratch/pawsey\d+",
    r"^/(.*/)?[a-z]+-shared",
    r"^/(.*/)?(?P<code>[a-z]{1,2}\d{2,3})/(?P=code)",
)
"""What ALCF, CSC and LUMI, Pawsey, OLCF, and EPCC, with the project's code twice, call the directory of a project:
guesses of ours for every centre whose profile does not say."""


@frozen
class SiteSource:
    """Where a figure of the profile stands: a document key of `iotriage.rules.core.documents` or of the profile's own
    documents, the section, and the day on which it was read there; `also` are further sections of that document."""

    document: str
    section: str
    says: str
    retrieved: str
    also: tuple[str, ...] = ()

    @property
    def sections(self) -> tuple[str, ...]:
        return (self.section, *self.also)

    @property
    def place(self) -> str:
        """All of them, to be shown as one."""
        return ", ".join(self.sections)


@frozen
class SiteDocument:
    """A document that the profile brings along, for centres whose pages the program does not know."""

    key: str
    title: str
    publisher: str
    systems: str
    url: str | None = None


@frozen
class FileSystem:
    """`mounts` are regular expressions on the mount point or path. A figure without a source is None.

    Bandwidths in bytes per second: `ost_bandwidth` what one OST gives to one file, `fully_striped_bandwidth` what all
    give to one, the peaks those of the whole file system. `most_stripes` is the count that the site asks its users not
    to exceed; `block_size_bytes` what accesses are to be aligned to where there are no stripes; `file_creates_per_s`
    holds in a directory of one's own. `directory` is where a job keeps its files on disks of the nodes, `request` the
    option that asks for them.
    """

    id: str
    title: str
    kind: FileSystemKind
    mounts: tuple[str, ...]
    osts: int | None = None
    default_stripe_count: int | None = None
    default_stripe_size_bytes: int | None = None
    default_layout: DefaultLayout | None = None
    most_stripes: int | None = None
    ost_bandwidth: float | None = None
    fully_striped_bandwidth: float | None = None
    peak_write_bandwidth: float | None = None
    peak_read_bandwidth: float | None = None
    block_size_bytes: int | None = None
    file_creates_per_s: int | None = None
    data_sieving: DataSieving | None = None
    manual_striping: ManualStriping = "yes"
    note: str | None = None
    directory: str | None = None
    request: str | None = None
    source: SiteSource | None = None

    def peak(self, direction: Direction) -> float | None:
        return self.peak_write_bandwidth if direction == "write" else self.peak_read_bandwidth


@frozen
class NodeCores:
    """How many cores of a node a job has, unless it asks otherwise; of several kinds of node the most."""

    cores: int
    source: SiteSource


@frozen
class StripesOfFewRanks:
    """How many stripes the site's documents give to a shared file of a job with fewer than `below_ranks` ranks, and
    `why`. Where they speak of few ranks, stripes do not follow the nodes."""

    below_ranks: int
    stripe_count: int
    why: str
    source: SiteSource


@frozen
class StripeRule:
    """How many stripes the site's documents give to a shared file of `from_bytes` (included) up to `to_bytes` (not
    included; None: no limit), and the command of the site that sets them where it has one."""

    file_systems: tuple[str, ...]
    from_bytes: int
    to_bytes: int | None
    stripe_count: int
    source: SiteSource
    stripe_size_bytes: int | None = None
    pool: str | None = None


@frozen
class RateRow:
    """Bytes, or operations, per second of all processes together. `rate` is what the table's statistic is: the maximum
    of repeated runs, their median, what is called typical, or the upper end of a range. The quartiles are there where
    it gives quartiles, `minimum` where it gives a range; `maximum` in both."""

    processes: int
    rate: float
    lower_quartile: float | None = None
    upper_quartile: float | None = None
    maximum: float | None = None
    minimum: float | None = None


@frozen
class DocumentedRates:
    """One table of a document: bandwidth by process count for one pattern and one striping, the rows by rising count.

    `file_systems` are ids of the profile. A setting that is None did not matter, or is not said. `measured` says when,
    and `settings` under which settings of the environment; `iobuf` that Cray's IOBUF buffered the files.
    """

    id: str
    title: str
    file_systems: tuple[str, ...]
    pattern: Pattern
    direction: Direction
    statistic: Statistic
    unit: BandwidthUnit
    measured: str
    rows: tuple[RateRow, ...]
    source: SiteSource
    stripe_count: int | None = None
    stripe_size_bytes: int | None = None
    transfer_size_bytes: int | None = None
    bytes_per_process: int | None = None
    settings: str | None = None
    iobuf: bool = False


@frozen
class OperationRates:
    """One table of a document: how many files a second all processes together create, look up, read or remove, by
    process count, the rows by rising count. `directory` is "own" where each process has one, "shared" where all files
    lie in one; `file_size_bytes` what each file holds, None where it is not said."""

    id: str
    title: str
    file_systems: tuple[str, ...]
    operation: FileOperation
    directory: DirectoryUse
    statistic: Statistic
    measured: str
    rows: tuple[RateRow, ...]
    source: SiteSource
    file_size_bytes: int | None = None
    settings: str | None = None


@frozen
class ThresholdOverride:
    """A threshold of a rule that this site sets otherwise, and why."""

    threshold: str
    value: float
    source: SiteSource
    why: str


@frozen
class EnvironmentAdvice:
    """Lines for the job script that the site's documents recommend for a pattern ("shared-collective", …), on file
    systems of these kinds, or on all where none is named; `direction` where they are for writing or reading alone,
    `several_nodes` where they are for what passes between nodes."""

    pattern: str
    text: str
    lines: tuple[str, ...]
    source: SiteSource
    kinds: tuple[FileSystemKind, ...] = ()
    direction: Direction | None = None
    several_nodes: bool = False


@frozen
class Site:
    """`detect_paths` are regular expressions on mount points and file paths that only this system has,
    `detect_shared_paths` on those that several machines mount: either makes the site a candidate, the first before the
    second. `detect_common_paths` are on names that other centres give their file systems too: one of them decides
    nothing, two of them, or one and a node's name, make the site a candidate. `detect_hosts`, on whole names of nodes,
    make it one where the name has a domain; short names and `detect_libraries`, on names of MPI libraries and modules,
    decide between candidates. `detect_servers`, on what PBS calls its server or the system that is asked for, and
    `detect_accounts` make one too. `shared_file_stripe_count` is the -c value its documents give for a large shared
    file (−1: all OSTs), and `stripes_of_few_ranks` what they give where ranks are few. `launcher` starts programs in
    its jobs, which `scheduler` runs, and `ranks_per_node_option` is how it is told the ranks of a node, where launchers
    of that name differ; `running_jobs` is where its documents say so; `darshan_module` has Darshan watch them, or
    `darshan_library`, by its path, where no module says what is to be preloaded; `mpi_library` is the one that programs
    are linked with unless somebody chooses another, and `perftools` says whether CrayPAT's modules are there beside
    Cray's; `kind`, of a profile for centres that are not known, is the file system that they have; `node_cores` how
    many ranks a node has at most, with a core each. `not_for_jobs` are directories besides home that are mounted on the
    nodes and not meant for the I/O of jobs. `project_directories` are regular expressions on the whole path of a
    directory that the people of a project share; a profile that has none takes the ways in which any of the centres
    known here names them. `url` is where its documents on I/O begin, `ticket_url` where its own ticket system shows a
    ticket, with `{reference}` where its name goes."""

    id: str
    title: str
    status: Literal["current", "retired", "generic"]
    checked: str
    detect_paths: tuple[str, ...] = ()
    detect_shared_paths: tuple[str, ...] = ()
    detect_common_paths: tuple[str, ...] = ()
    detect_hosts: tuple[str, ...] = ()
    detect_libraries: tuple[str, ...] = ()
    detect_servers: tuple[str, ...] = ()
    detect_accounts: tuple[str, ...] = ()
    url: str | None = None
    ticket_url: str | None = None
    file_systems: tuple[FileSystem, ...] = ()
    rates: tuple[DocumentedRates, ...] = ()
    operation_rates: tuple[OperationRates, ...] = ()
    stripe_rules: tuple[StripeRule, ...] = ()
    thresholds: tuple[ThresholdOverride, ...] = ()
    environment: tuple[EnvironmentAdvice, ...] = ()
    shared_file_stripe_count: int | None = None
    stripes_of_few_ranks: StripesOfFewRanks | None = None
    kind: FileSystemKind | None = None
    launcher: Launcher | None = None
    ranks_per_node_option: str | None = None
    running_jobs: SiteSource | None = None
    scheduler: Scheduler | None = None
    darshan_module: str | None = None
    darshan_library: str | None = None
    mpi_library: SiteMpiLibrary | None = None
    perftools: bool = True
    node_cores: NodeCores | None = None
    not_for_jobs: tuple[str, ...] = ()
    project_directories: tuple[str, ...] = PROJECT_DIRECTORIES
    version: str = "1"
    notes: tuple[str, ...] = ()
    documents: tuple[SiteDocument, ...] = ()

    def file_system_of(self, path: str) -> FileSystem | None:
        """The first file system one of whose mount patterns matches the start of `path`."""
        return next((fs for fs in self.file_systems if any(_pattern(m).match(path) for m in fs.mounts)), None)

    def is_of_a_project(self, directory: str) -> bool:
        """Whether a project's people share the directory, and what is set there is set for their files too."""
        return any(_pattern(p).fullmatch(directory) for p in self.project_directories)

    def environment_for(self, pattern: str, kind: FileSystemKind) -> tuple[EnvironmentAdvice, ...]:
        """What the documents recommend for the pattern on a file system of that kind."""
        return tuple(e for e in self.environment if e.pattern == pattern and (not e.kinds or kind in e.kinds))

    def stripe_rule(self, path: str | None, size_bytes: float) -> StripeRule | None:
        """What the documents say about the stripes of a shared file of that size at `path`."""
        on = self.file_system_of(path) if path is not None else None
        for rule in self.stripe_rules if on is not None else ():
            fits = rule.from_bytes <= size_bytes and (rule.to_bytes is None or size_bytes < rule.to_bytes)
            if fits and on is not None and on.id in rule.file_systems:
                return rule
        return None


@cache
def _pattern(text: str) -> re.Pattern[str]:
    return re.compile(text)
