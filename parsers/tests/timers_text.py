"""MPICH_MPIIO_TIMERS blocks for tests. The figures are chosen, and fit together as those of one block do."""

from __future__ import annotations

from stats_text import REPOSITORY, read

from iotriage_parsers.evidence import MpiioTimers

SAMPLES = REPOSITORY / "sample-logs" / "mpich_timers"

RULE = "+" + "-" * 74 + "+"
DASHES = "|                                    ----------  ----------  ----------"
VALUES = {
    "number of ranks writing": "         4",
    "number of ranks not writing": "        60",
    "min": "|                                          min         max         ave",
    "dashes": DASHES,
    "open/close/trunc  time": "         0.01        0.05        0.02",
    "blank": "|",
    "scale": "|   time scale: 1 = 2**3     clock ticks    min         max         ave",
    "dashes2": DASHES + " ---",
    "total": "                          500000000",
    "blank2": "|",
    "imbalance": "     10000      900000      500000  0%",
    "open/close/trunc": "   1000000     9000000     5000000  1%",
    "local compute": "   2000000    30000000    20000000  4%",
    "wait for coll": "     30000   300000000   200000000 40%",
    "collective": "    400000     6000000     5000000  1%",
    "exchange/write": "    500000    70000000     9500000  1%",
    "data send (*)": "   6000000   480000000   250000000 50%",
    "file write": "         0   420000000   400000000 80%",
    "other": "     70000    19000000    10000000  2%",
    "blank3": "|",
    "data send BW (MiB/s)": "                           4000.000",
    "raw write BW (MiB/s)": "                           2500.000",
    "net write BW (MiB/s)": "                           2000.000",
    "blank4": "|",
    "footnote": "| (*) send and write overlap when number ranks != number of writers",
}
"""2000 MiB in 1 s: 5e8 · 2^3 ticks of a clock of 4 GHz."""


def row(label: str, value: str) -> str:
    return value if value.startswith("|") else f"|   {label:<30} = {value}"


def timers(file: str = "plain.dat", ranks: str = "all ranks", **changes: str | None) -> str:
    """A write block of 28 lines. A change is named with underscores for what is no letter; None leaves it out."""
    values = VALUES | {next(k for k in VALUES if _name(k) == name): value for name, value in changes.items()}
    lines = [row(label, value) for label, value in values.items() if value is not None]
    return "\n".join([RULE, f"| MPIIO write by phases, {ranks}, for {file}", *lines, RULE]) + "\n"


def _name(label: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in label).split()
    return "_".join(words)


def of_reads(text: str) -> str:
    """A write block in the words of a read block."""
    for write, read_ in (("writing", "reading"), (" write ", " read "), ("/write ", "/read ")):
        text = text.replace(write, read_)
    return text


def timers_of(text: str | bytes) -> tuple[MpiioTimers, ...]:
    return read(text).of(MpiioTimers)


def only(text: str | bytes) -> MpiioTimers:
    (found,) = timers_of(text)
    return found


def figures(found: MpiioTimers) -> tuple[object, ...]:
    """Everything but where it stands."""
    return (
        found.direction,
        found.ranks,
        found.file,
        found.complete,
        found.trusted,
        (
            found.active_ranks,
            found.idle_ranks,
            tuple((x.label, x.seconds) for x in found.seconds),
            found.scale_exponent,
            found.total_ticks,
        ),
        tuple((p.label, p.ticks, p.percent) for p in found.phases),
        (found.data_send_bandwidth, found.raw_bandwidth, found.net_bandwidth),
        tuple((r.label, r.text) for r in found.rows),
    )
