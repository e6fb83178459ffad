"""Text as Cray MPICH prints it of one file: the display of its hints, and its statistics."""

from __future__ import annotations

from collections.abc import Mapping

RULE = f"+{'-' * 56}+"
SEE = '| See "Optimizing MPI I/O on Cray XE Systems" S-0013-20 for explanations.'


def stats_block(file: str, fields: Mapping[str, object]) -> str:
    """What MPICH_MPIIO_STATS=1 prints of the writes to `file` when it is closed."""
    lines = [f"|   {label:<23} = {value}" for label, value in fields.items()]
    return "\n".join((RULE, f"| MPIIO write access patterns for {file}", *lines, SEE, RULE)) + "\n"


def hints_block(file: str, hints: Mapping[str, object]) -> str:
    """What MPICH_MPIIO_HINTS_DISPLAY=1 prints when `file` is opened."""
    lines = [f"          {key:<24} = {value}" for key, value in hints.items()]
    return "\n".join((f"PE 0: MPIIO hints for {file}:", *lines)) + "\n"


def default_hints(stripes: int, stripe_bytes: int, **changed: object) -> dict[str, object]:
    """The hints of a file as Cray MPICH has them by default, one aggregator a stripe; `changed` replaces some."""
    return {
        "cb_buffer_size": 16777216,
        "romio_cb_read": "automatic",
        "romio_cb_write": "automatic",
        "cb_nodes": stripes,
        "cb_align": 2,
        "romio_no_indep_rw": "false",
        "romio_ds_read": "disable",
        "romio_ds_write": "disable",
        "striping_factor": stripes,
        "striping_unit": stripe_bytes,
        "direct_io": "false",
        "cray_cb_nodes_multiplier": 1,
        "cray_cb_write_lock_mode": 0,
        "aggregator_placement_stride": -1,
        "abort_on_rw_error": "disable",
        "cb_config_list": "*:*",
        "romio_filesystem_type": "CRAY ADIO:",
    } | changed
