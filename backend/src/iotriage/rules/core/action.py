"""What advice asks for, as data: each action is told apart by `kind`. `iotriage.rules.core.commands` writes the lines
to paste; nothing reads them back.

Names are as the log has them, never quoted here.
"""

from __future__ import annotations

from typing import Annotated, Literal

from iotriage.by_type import ByType
from iotriage_parsers.frozen import frozen

Library = Literal["HDF5", "netCDF-4", "PnetCDF", "MPI-IO"]


@frozen
class Named:
    """A file or directory by its path."""

    path: str
    kind: Literal["named"] = "named"


@frozen
class FillIn:
    """A value that the reader knows and the evidence does not, written as a shell variable. `what` describes it. The
    description contains nothing that a shell would run: a reader who pastes the line without filling it in sees the
    description as an error message, and nothing is executed. `words` where it is a command line, a program with its
    arguments: a bash array, which keeps blanks within arguments."""

    variable: str
    what: str
    words: bool = False
    kind: Literal["fill_in"] = "fill_in"

    @property
    def value(self) -> str:
        """The shell expansion that stops with the description as an error message where the variable is not set."""
        return f"${{{self._named}:?{self.what}}}"

    @property
    def again(self) -> str:
        """The plain expansion, for further uses after `value` has been used once."""
        return f"${{{self._named}}}" if self.words else f"${self.variable}"

    @property
    def _named(self) -> str:
        return f"{self.variable}[@]" if self.words else self.variable


@frozen
class Matching:
    """The files whose names match a pattern of the shell, in the directory where it is pasted."""

    pattern: str
    kind: Literal["matching"] = "matching"


@frozen
class Operand:
    """A word of the form `name=value`, as dd takes them."""

    name: str
    value: Named | FillIn
    kind: Literal["operand"] = "operand"


Place = Annotated[Named | FillIn | Matching | Operand, ByType()]
KeptOption = Literal["count", "size"]


@frozen
class SetStripe:
    """The complete layout of files that will be made in a directory. `count` −1 is all OSTs; `first_ost` −1 leaves the
    choice to Lustre. `kept` are the options that this advice does not need and leaves as they are: other advice for the
    same directory may set them. `new` makes the directory first; without it, Lustre would make a file of that name with
    the layout (lfs-setstripe(1))."""

    directory: Place
    count: int
    size_bytes: int
    pool: str | None = None
    first_ost: int | None = None
    kept: tuple[KeptOption, ...] = ()
    new: bool = False
    kind: Literal["set_stripe"] = "set_stripe"


@frozen
class MpiioHint:
    """One MPI-IO hint."""

    key: str
    value: str


@frozen
class FileHint:
    """One MPI-IO hint and the files that it is for. Without a key, the pattern is a variable of the shell that has
    hints of its own."""

    file_pattern: str
    key: str
    value: str


@frozen
class SetHint:
    """MPI-IO hints: for the files whose names fit `file_pattern`, in the environment of Cray MPICH; or, where `through`
    names a library, in the program where it opens the file with it. `beside` are those that the job has in its
    environment and keeps: the variable has one value. `without_cray` are those that stand beside the same for Cray
    MPICH, for a job of which the MPI library is not known. `only_read` where the files are there before the run: they
    are opened, and not made."""

    file_pattern: str
    hints: tuple[MpiioHint, ...]
    through: Library | None = None
    beside: tuple[FileHint, ...] = ()
    without_cray: bool = False
    only_read: bool = False
    kind: Literal["set_hint"] = "set_hint"


@frozen
class HintsFile:
    """MPI-IO hints for all files that ROMIO opens, in a text of its own: for a program that nobody is to change. What
    the program sets itself has the last word."""

    hints: tuple[MpiioHint, ...]
    kind: Literal["hints_file"] = "hints_file"


@frozen
class Export:
    """An environment variable of the job. `expands` where the shell puts other variables into the value; `remark` says
    when it is set."""

    name: str
    value: str
    expands: bool = False
    remark: str | None = None
    kind: Literal["export"] = "export"


@frozen
class Unset:
    """An environment variable that is not to be set in the job."""

    name: str
    kind: Literal["unset"] = "unset"


@frozen
class ModuleLoad:
    """`remark` says when; `linked` where the program has to be linked with it."""

    module: str
    remark: str | None = None
    linked: bool = False
    kind: Literal["module_load"] = "module_load"


@frozen
class ModuleSwap:
    """One module of a family for another."""

    module: str
    instead_of: str
    kind: Literal["module_swap"] = "module_swap"


@frozen
class ModuleUnload:
    """A module that may be loaded, and is not to be."""

    module: str
    kind: Literal["module_unload"] = "module_unload"


@frozen
class ChangeDirectory:
    """Where the job runs."""

    directory: Place
    remark: str
    kind: Literal["change_directory"] = "change_directory"


@frozen
class LaunchProgram:
    """The line that starts the program."""

    words: tuple[str | Place, ...]
    kind: Literal["launch"] = "launch"


@frozen
class SiteLines:
    """Lines of a job script as the documents of a centre have them."""

    lines: tuple[str, ...]
    kind: Literal["site_lines"] = "site_lines"


@frozen
class EditCode:
    """Lines of the program, in C and in Fortran. `mpi` where they call MPI, or a library above it that needs it;
    `measures` where they only tell what takes the time, in one run."""

    c: str
    fortran: str
    mpi: bool = False
    measures: bool = False
    kind: Literal["edit_code"] = "edit_code"


@frozen
class EditPython:
    """Lines of a program in Python, which stand instead of `EditCode`, and measure where that does."""

    code: str
    measures: bool = False
    kind: Literal["edit_python"] = "edit_python"


@frozen
class RunCommand:
    """One command for the shell: words of our own, and places. What it prints goes `into` a file where one is named,
    and all of it at once where another job may read that at any moment (`shared`)."""

    words: tuple[str | Place, ...]
    into: str | None = None
    shared: bool = False
    kind: Literal["run_command"] = "run_command"


@frozen
class AskFor:
    """Evidence that the next run should leave behind: a key of `iotriage.metrics.core.missing_evidence.EVIDENCE`."""

    evidence: str
    kind: Literal["ask_for"] = "ask_for"


Action = (
    SetStripe
    | SetHint
    | HintsFile
    | Export
    | Unset
    | ModuleLoad
    | ModuleSwap
    | ModuleUnload
    | ChangeDirectory
    | LaunchProgram
    | SiteLines
    | EditCode
    | EditPython
    | RunCommand
    | AskFor
)
