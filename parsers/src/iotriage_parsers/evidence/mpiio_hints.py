"""MPI-IO hints as a job's text shows them: by Cray MPICH, ROMIO, OMPIO, IOR, or by the application itself."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from iotriage_parsers.evidence.locator import Lines
from iotriage_parsers.frozen import frozen

HintsPrinter = Literal["cray-mpich", "romio", "application", "ior", "ompio"]


@frozen
class Hint:
    """One hint. `value` is the text as it stood there, without the blanks around it: "16777216", "automatic", "*:*"."""

    key: str
    value: str
    line: int


@frozen
class MpiioHints:
    """The hints of one open. A hint that is shown was set; whether the library could follow it is not said.

    `printed_by` is "cray-mpich" for MPICH_MPIIO_HINTS_DISPLAY, which names the file and, alone, the process that
    printed (`rank`, its PE number); "romio" for ROMIO_PRINT_HINTS; "ompio" for Open MPI's
    io_ompio_verbose_info_parsing, which names the file; "ior" for IOR's `-H`; "application" for a program that prints
    its MPI_Info. `stage` is "requested" for what was passed to the open, "effective" for what the open file answers,
    None where the text does not say. `complete` is false where the list was cut off. `trusted` is false where the lines
    of several lists are mixed: `hints` then holds all of them, and none may be used.
    """

    printed_by: HintsPrinter
    file: str | None
    hints: tuple[Hint, ...]
    lines: Lines
    complete: bool
    trusted: bool = True
    rank: int | None = None
    stage: Literal["requested", "effective"] | None = None
    kind: Literal["mpiio_hints"] = field(default="mpiio_hints")

    def hint(self, key: str) -> Hint | None:
        """The hint of this name; None where it is not shown, or the list is not trusted."""
        return next((h for h in self.hints if h.key == key), None) if self.trusted else None
