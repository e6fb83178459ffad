"""Writes `counters.py` from the counter names of the installed pydarshan: `python -m …darshan_log.generate_counters`.

Needs pydarshan; nothing that reads a log imports this module.
"""

from __future__ import annotations

from pathlib import Path

TARGET = Path(__file__).with_name("counters.py")
TABLES = (("POSIX", "POSIX"), ("MPIIO", "MPI-IO"), ("STDIO", "STDIO"))
"""The prefix of our constants and pydarshan's name of the module."""

HEADER = '''"""Counter names in the order in which they stand in a record.

Generated from pydarshan by generate_counters.py; not edited by hand.
"""

from typing import Final
'''


def source() -> str:
    """The text that `counters.py` must have for the installed pydarshan."""
    from darshan.backend.cffi_backend import counter_names, fcounter_names

    blocks = [HEADER]
    for prefix, module in TABLES:
        blocks.append(_constant(f"{prefix}_COUNTERS", counter_names(module)))
        blocks.append(_constant(f"{prefix}_F_COUNTERS", fcounter_names(module)))
    blocks.append(_constant("LUSTRE_COMP_COUNTERS", counter_names("LUSTRE_COMP")))
    return "\n".join(blocks)


def _constant(name: str, values: list[str]) -> str:
    lines = "".join(f'    "{value}",\n' for value in values)
    return f"{name}: Final = (\n{lines})\n"


if __name__ == "__main__":
    TARGET.write_text(source(), encoding="utf-8")
