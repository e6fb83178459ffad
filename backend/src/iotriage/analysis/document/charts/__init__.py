"""What the charts are drawn from."""

from __future__ import annotations

from typing import Literal

from iotriage.analysis.document.charts.accesses import AccessOrder, Alignment, CommonSize, FileSplit
from iotriage.analysis.document.charts.activity import Activity
from iotriage.analysis.document.charts.aggregating import Aggregating
from iotriage.analysis.document.charts.file_systems import FileSystemUse
from iotriage.analysis.document.charts.layer_growth import LayerGrowth
from iotriage.analysis.document.charts.ost_use import OstUse
from iotriage.analysis.document.charts.rank_use import RankUse
from iotriage.metrics.core.metric import Where
from iotriage_parsers.frozen import frozen

Layer = Literal["HDF5", "PnetCDF", "MPI-IO", "POSIX", "STDIO", "DFS", "DAOS"]


@frozen
class SizeHistogram:
    """How many accesses of each size. `bins` are Darshan's ten; `low` is included, `high` (None: no limit) too.
    `exactly_1_mib` of the 100 KiB – 1 MiB bin were exactly 1,048,576 bytes, as far as the common sizes tell."""

    layer: Literal["POSIX", "MPI-IO"]
    direction: Literal["read", "write"]
    bins: tuple[SizeBin, ...]
    exactly_1_mib: int | None
    partial: bool


@frozen
class SizeBin:
    low_bytes: int
    high_bytes: int | None
    count: int


@frozen
class CollectiveSplit:
    """Calls of the MPI-IO layer, summed over ranks. `source` says which evidence counts them. Independent calls carried
    at least `independent_least` and at most `independent_most` of `total_bytes`; None without Darshan's records."""

    direction: Literal["read", "write"]
    independent: int
    collective: int
    nonblocking: int | None
    source: Literal["Darshan", "MPICH_MPIIO_STATS"]
    total_bytes: int | None = None
    independent_least: int | None = None
    independent_most: int | None = None


@frozen
class AggregatorBins:
    """The four activity bins of one STATS write block; `n` aggregators. The mean share of them that is active lies
    between `utilisation_least` and `utilisation_most`, None where one aggregator makes the bins coincide."""

    file: str
    one: int
    low: int
    high: int
    all: int
    n: int
    where: Where
    utilisation_least: float | None = None
    utilisation_most: float | None = None
    total_bytes: int | None = None


@frozen
class LayerShare:
    """Bytes, and seconds of the mean rank, at one layer, None where the times are no account. The same bytes
    and seconds stand at every layer that they pass through. `ranks` moved the bytes."""

    layer: Layer
    bytes_read: int | None
    bytes_written: int | None
    calls: int | None
    ranks: float | None
    read_s: float | None
    write_s: float | None
    metadata_s: float | None
    partial: bool

    @property
    def seconds(self) -> float | None:
        known = [s for s in (self.read_s, self.write_s, self.metadata_s) if s is not None]
        return sum(known) if known else None


@frozen
class PhaseShare:
    """One phase of MPICH_MPIIO_TIMERS: its average, least and most over the ranks as shares of the total, and the
    average in seconds where the clock could be worked out. Phases overlap and do not add up to 1."""

    label: str
    share: float | None
    least: float | None
    most: float | None
    time_s: float | None
    where: Where


@frozen
class TimersRank:
    """A rank that the details of level 2 name: who came last to collective call `call`, or who was slowest or quickest
    in the file. `share` is its time over the block's total, which is the average rank's; of a late arriver, how long
    the ranks waited on average. Printed words where the role is not known. `node` is the one that a source names for
    it."""

    role: str
    call: int | None
    rank: int
    share: float | None
    where: Where
    node: str | None = None


@frozen
class TimersPhases:
    """One trusted MPICH_MPIIO_TIMERS block; `ranks` is the title's word for whose times they are. Bandwidths in B/s, of
    the block's bytes over sending, over file access, and over the total: no bandwidth of the job. `osts` are those that
    hold the file, the first of many; without them, and without a node for any of `named_ranks`, there is a reason."""

    file: str
    direction: Literal["write", "read"]
    ranks: str
    occurrence: int
    total_s: float | None
    total_reason: str | None
    active_ranks: int | None
    idle_ranks: int | None
    phases: tuple[PhaseShare, ...]
    data_send_bandwidth: float | None
    raw_bandwidth: float | None
    net_bandwidth: float | None
    where: Where
    named_ranks: tuple[TimersRank, ...] = ()
    nodes_reason: str | None = None
    stripe_count: int | None = None
    osts: tuple[int, ...] = ()
    osts_reason: str | None = None


@frozen
class Charts:
    """What the charts are drawn from; every list may be empty, and then the page says which evidence is missing."""

    layers: tuple[LayerShare, ...]
    collective: tuple[CollectiveSplit, ...]
    aggregators: tuple[AggregatorBins, ...]
    sizes: tuple[SizeHistogram, ...]
    timers: tuple[TimersPhases, ...] = ()
    ranks: RankUse | None = None
    osts: tuple[OstUse, ...] = ()
    aggregating: tuple[Aggregating, ...] = ()
    growth: LayerGrowth | None = None
    splits: tuple[FileSplit, ...] = ()
    common_sizes: tuple[CommonSize, ...] = ()
    order: tuple[AccessOrder, ...] = ()
    alignment: Alignment | None = None
    file_systems: tuple[FileSystemUse, ...] = ()
    activity: Activity | None = None
