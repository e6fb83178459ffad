"""Texts as darshan-parser prints them, put together row by row."""

from __future__ import annotations

from stats_text import read

from iotriage_parsers.evidence import DarshanLog, DarshanSummary
from iotriage_parsers.readers.darshan_text.records import SHAPES

FILE = "/lustre/scratch/f"
HEADER = """\
# darshan log version: 3.41
# compression method: ZLIB
# exe: ./solver --in a b.nml
# uid: 4711
# jobid: 815
# start_time: 1700000000
# start_time_asci: Tue Nov 14 22:13:20 2023
# end_time: 1700000012
# end_time_asci: Tue Nov 14 22:13:32 2023
# nprocs: 4
# run time: 12.3456
# metadata: lib_ver = 3.4.4
# metadata: h = romio_no_indep_rw=true;cb_nodes=4

# log file regions
# -------------------------------------------------------
# header: 1328 bytes (uncompressed)
# job data: 172 bytes (compressed)
# record table: 44 bytes (compressed)
{regions}
# mounted file systems (mount point and fs type)
# -------------------------------------------------------
# mount entry:\t/lustre/scratch\tlustre
# mount entry:\t/\text4
"""


def header(*modules: str) -> str:
    regions = "".join(
        f"# {name} module: {size} bytes (compressed), ver={v}\n" for name, size, v in map(_split, modules)
    )
    return HEADER.replace("{regions}\n", regions)


def _split(module: str) -> tuple[str, str, str]:
    name, version = module.split(":")
    return name, "99", version


def section(module: str, *rows: str) -> str:
    """The rows of a module under their heading."""
    return f"\n# ****\n# {module} module data\n# ****\n\n" + "".join(f"{row}\n" for row in rows)


def row(module: str, rank: int, record: int, counter: str, value: object, name: str = FILE) -> str:
    """One line."""
    return f"{module}\t{rank}\t{record}\t{counter}\t{value}\t{name}\t/lustre/scratch\tlustre"


def rows_of(
    module: str, record: int = 7, rank: int = -1, name: str = "/lustre/scratch/f", **values: object
) -> list[str]:
    """All counters of a record, 0 where not given."""
    shape = SHAPES[module]
    ints = [row(module, rank, record, n, values.get(n, 0), name) for n in shape.int_names]
    return ints + [row(module, rank, record, n, values.get(n, "0.000000"), name) for n in shape.float_names]


def log(text: str | bytes) -> DarshanLog:
    (found,) = read(text).of(DarshanLog)
    return found


def summary(text: str | bytes) -> DarshanSummary:
    (found,) = read(text).of(DarshanSummary)
    return found
