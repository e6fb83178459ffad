"""What the figures are about that conditions compare, so that a view of the page opens where a finding is to be seen:
on seconds or bytes, on one direction, at one layer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from iotriage.metrics import all_metrics
from iotriage.metrics.core.metric import Unit
from iotriage_parsers.frozen import frozen

CLOCKED: frozenset[Unit] = frozenset({"s", "B/s"})
PARTS: frozenset[Unit] = frozenset({"share", "ratio"})
"""Whose unit does not say of what."""

PARTS_OF_TIME = frozenset(
    (
        "balance.alone_metadata_fraction",
        "balance.alone_time_fraction",
        "balance.apart",
        "balance.block_apart",
        "balance.common_share",
        "balance.common_time",
        "balance.heavy_time",
        "balance.storage_apart",
        "balance.storage_apart_fraction",
        "balance.storage_time",
        "balance.storage_waiting_fraction",
        "balance.time",
        "file.home_time_fraction",
        "file.imported_time_fraction",
        "group.later_fraction",
        "group.later_times",
        "group.slow_files_fraction",
        "group.slowest_file_times",
        "group.standstill_fraction",
        "hdf5.one_rank_time",
        "hdf5.small_direction_time_fraction",
        "job.io_time_fraction",
        "mpiio.late_arriver_to_posix_time",
        "mpiio.late_arriver_wait_fraction",
        "mpiio.late_arrivers_fraction",
        "mpiio.small_read_time_fraction",
        "mpiio.small_write_time_fraction",
        "mpiio.to_posix_time",
        "mpiio.unknown_phase_fraction",
        "ost.apart",
        "ost.as_slow_elsewhere",
        "ost.slowness",
        "ost.slowness_for_its_load",
        "posix.data_metadata_io_fraction",
        "posix.data_metadata_run_fraction",
        "posix.metadata_io_fraction",
        "posix.metadata_time_fraction",
        "posix.scattered_time_fraction",
        "posix.small_read_time_fraction",
        "posix.small_write_time_fraction",
        "stdio.awaited_fraction",
        "stdio.metadata_fraction",
        "timers.data_receive_fraction",
        "timers.data_send_fraction",
        "timers.file_read_fraction",
        "timers.file_write_fraction",
        "timers.imbalance_fraction",
        "timers.late_fraction",
        "timers.open_fraction",
        "timers.quickest_open",
        "timers.slowest_mover",
        "timers.slowest_mover_fraction",
        "timers.wait_for_coll_fraction",
    )
)
"""Shares and ratios of seconds. How often something is read is none, nor who takes turns: each of those is short."""

OTHER_PARTS = frozenset(
    (
        "balance.bytes",
        "balance.common_bytes",
        "balance.heavy_bytes",
        "balance.light_fraction",
        "balance.movers_apart",
        "balance.nodes_per_mover",
        "balance.nodes_per_mover_at_least",
        "balance.slowest_rank_share",
        "balance.turns_each",
        "balance.turns_io_ratio",
        "balance.turns_run_fraction",
        "benchmark.read_over_write",
        "daos.small_read_fraction",
        "daos.small_write_fraction",
        "dfs.small_read_fraction",
        "dfs.small_write_fraction",
        "expectation.fraction",
        "expectation.fraction_of_lower_quartile",
        "expectation.open_fraction",
        "expectation.open_fraction_of_lower_quartile",
        "expectation.read_over_ceiling",
        "expectation.write_over_ceiling",
        "file.first_ost_share",
        "file.first_osts_fraction",
        "file.home_fraction",
        "file.osts_fraction",
        "file.osts_per_stripe",
        "file.own_per_ost",
        "file.per_ost",
        "file.read_back_fraction",
        "file.stripes_filled",
        "file.stripes_per_node",
        "file.times_read_back",
        "file.times_rewritten",
        "file.writing_nodes_per_stripe",
        "file.written_span_over_bytes",
        "hdf5.metadata_to_data_calls",
        "hdf5.one_rank_to_data_calls",
        "job.calls_at_a_time",
        "mpiio.aggregator_utilisation_high",
        "mpiio.aggregators_per_node",
        "mpiio.aggregators_per_stripe",
        "mpiio.effective_per_node",
        "mpiio.effective_per_stripe",
        "mpiio.effective_share",
        "mpiio.fetched_fraction",
        "mpiio.independent_bytes_lower_fraction",
        "mpiio.independent_read_fraction",
        "mpiio.independent_write_fraction",
        "mpiio.movers_per_node",
        "mpiio.movers_per_node_at_most",
        "mpiio.movers_per_stripe",
        "mpiio.read_amplification",
        "mpiio.read_fraction",
        "mpiio.read_whole_stripe_fraction",
        "mpiio.rmw_bytes_per_byte",
        "mpiio.small_read_fraction",
        "mpiio.small_write_fraction",
        "mpiio.stripe_sized_write_fraction",
        "mpiio.system_write_stripe_ratio",
        "mpiio.system_writes_per_call",
        "mpiio.write_amplification",
        "mpiio.write_gap_fraction",
        "mpiio.write_over_stripe",
        "mpiio.write_whole_stripe_fraction",
        "mpiio.written_fraction",
        "ost.load",
        "ost.load_of_most",
        "posix.consecutive_read_fraction",
        "posix.consecutive_write_fraction",
        "posix.crossing_fraction",
        "posix.misaligned_block_fraction",
        "posix.misaligned_fraction",
        "posix.opening_fraction",
        "posix.random_fraction",
        "posix.rank_times_read",
        "posix.read_fraction",
        "posix.reread_fraction",
        "posix.scattered_read_fraction",
        "posix.small_read_fraction",
        "posix.small_write_fraction",
        "posix.steps_times_read",
        "posix.times_read",
        "posix.write_fraction",
        "posix.write_over_block",
        "profiled.small_read_fraction",
        "profiled.small_write_fraction",
        "stdio.bytes_fraction",
        "stdio.calls_fraction",
        "stdio.times_read",
        "sync.per_write",
    )
)
"""Shares and ratios of bytes, calls, ranks and files."""

OF_READS = frozenset(
    (
        "benchmark.read_back",
        "daos.average_read_size",
        "daos.small_read_fraction",
        "dfs.average_read_size",
        "dfs.small_read_fraction",
        "expectation.read_over_ceiling",
        "file.read_back_fraction",
        "file.times_read_back",
        "hints.cb_read",
        "io.read_per_reader",
        "mpiio.average_read_size",
        "mpiio.collective_read_piece",
        "mpiio.gathered_reads",
        "mpiio.independent_read_fraction",
        "mpiio.independent_reads",
        "mpiio.read_amplification",
        "mpiio.read_fraction",
        "mpiio.read_whole_stripe_fraction",
        "mpiio.small_read_fraction",
        "mpiio.small_read_time_fraction",
        "mpiio.small_reads",
        "posix.average_read_size",
        "posix.consecutive_read_fraction",
        "posix.rank_times_read",
        "posix.read_fraction",
        "posix.reread_fraction",
        "posix.scattered_read_fraction",
        "posix.small_read_fraction",
        "posix.small_read_time_fraction",
        "posix.small_reads",
        "posix.steps_times_read",
        "posix.times_read",
        "profiled.average_read_size",
        "profiled.small_read_fraction",
        "stdio.times_read",
        "timers.file_read_fraction",
    )
)
"""Those that are of reads alone."""

OF_WRITES = frozenset(
    (
        "daos.average_write_size",
        "daos.small_write_fraction",
        "dfs.average_write_size",
        "dfs.small_write_fraction",
        "expectation.write_over_ceiling",
        "file.times_rewritten",
        "file.writing_nodes",
        "file.writing_nodes_known",
        "file.writing_nodes_per_stripe",
        "file.written_span_over_bytes",
        "hints.cb_write",
        "io.written_per_writer",
        "mpiio.average_write_size",
        "mpiio.collective_write_piece",
        "mpiio.gathered_writes",
        "mpiio.independent_write_fraction",
        "mpiio.independent_writers",
        "mpiio.independent_writes",
        "mpiio.small_write_fraction",
        "mpiio.small_write_time_fraction",
        "mpiio.small_writes",
        "mpiio.stripe_sized_write_fraction",
        "mpiio.system_write_stripe_ratio",
        "mpiio.system_writes_per_call",
        "mpiio.write_gap_fraction",
        "mpiio.write_over_stripe",
        "mpiio.write_whole_stripe_fraction",
        "mpiio.written_fraction",
        "posix.average_write_size",
        "posix.consecutive_write_fraction",
        "posix.small_write_fraction",
        "posix.small_write_time_fraction",
        "posix.small_writes",
        "posix.write_fraction",
        "posix.write_over_block",
        "posix.writes",
        "profiled.average_write_size",
        "profiled.small_write_fraction",
        "sync.per_write",
        "timers.file_write_fraction",
    )
)
"""Those that are of writes alone."""

OF_BOTH = frozenset(
    (
        "benchmark.read_over_write",
        "mpiio.rmw_bytes_per_byte",
        "mpiio.rmw_count",
        "mpiio.write_amplification",
    )
)
"""Those that hold one against the other, or read in order to write."""

SEEN_BELOW = frozenset(
    (
        "balance.storage_apart",
        "balance.storage_apart_fraction",
        "balance.storage_time",
        "balance.storage_waiting_fraction",
        "mpiio.aggregator_utilisation_high",
        "mpiio.aggregators",
        "mpiio.aggregators_per_node",
        "mpiio.aggregators_per_stripe",
        "mpiio.effective_aggregators",
        "mpiio.effective_per_node",
        "mpiio.effective_per_stripe",
        "mpiio.effective_share",
        "mpiio.movers_per_node",
        "mpiio.movers_per_node_at_most",
        "mpiio.movers_per_stripe",
    )
)
"""In a collective call all ranks look alike: which of them move the bytes is seen below MPI-IO."""

Layer = Literal["MPI-IO", "POSIX", "STDIO"]
LAYERS: Mapping[str, Layer] = {"posix": "POSIX", "stdio": "STDIO", "mpiio": "MPI-IO", "ost": "POSIX"}
"""By the family of the id, of what is not seen below; `balance` is seen at whatever layer the program calls."""


@frozen
class About:
    time: bool
    direction: Literal["read", "write", "both"] | None
    seen_below: bool


def about(metric: str) -> About:
    return About(
        all_metrics()[metric].unit in CLOCKED or metric in PARTS_OF_TIME,
        "both" if metric in OF_BOTH else "read" if metric in OF_READS else "write" if metric in OF_WRITES else None,
        metric in SEEN_BELOW,
    )
