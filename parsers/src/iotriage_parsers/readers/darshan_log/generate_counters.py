"""Writes the tables of counter names from the installed pydarshan: `python generate_counters.py`.

Needs pydarshan; nothing that reads a log imports this module.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

TARGETS: Final[Mapping[Path, tuple[tuple[str, str], ...]]] = {
    Path(__file__).with_name("counters.py"): (("POSIX", "POSIX"), ("MPIIO", "MPI-IO"), ("STDIO", "STDIO")),
    Path(__file__).with_name("library_counters.py"): (
        ("H5F", "H5F"),
        ("H5D", "H5D"),
        ("PNETCDF_FILE", "PNETCDF_FILE"),
        ("PNETCDF_VAR", "PNETCDF_VAR"),
        ("DFS", "DFS"),
        ("DAOS", "DAOS"),
        ("BGQ", "BGQ"),
    ),
}
"""The generated files, and for each the prefix of our constants and pydarshan's name of the module."""

HEADER = '''"""Counter names in the order in which they stand in a record.

Generated from pydarshan by generate_counters.py; not edited by hand.
"""

from typing import Final
'''


def source(target: Path) -> str:
    """The text that `target` must have for the installed pydarshan."""
    from darshan.backend.cffi_backend import counter_names, fcounter_names

    blocks = [HEADER]
    for prefix, module in TARGETS[target]:
        blocks.append(_constant(f"{prefix}_COUNTERS", counter_names(module)))
        blocks.append(_constant(f"{prefix}_F_COUNTERS", fcounter_names(module)))
    if target.name == "counters.py":
        blocks.append(_constant("LUSTRE_COMP_COUNTERS", counter_names("LUSTRE_COMP")))
    return "\n".join(blocks)


def _constant(name: str, values: list[str]) -> str:
    if len(values) == 1:
        return f'{name}: Final = ("{values[0]}",)\n'
    lines = "".join(f'    "{value}",\n' for value in values)
    return f"{name}: Final = (\n{lines})\n"


if __name__ == "__main__":
    for path in TARGETS:
        path.write_text(source(path), encoding="utf-8")
