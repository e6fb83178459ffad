"""Writes actions as lines to paste. This is the only place that quotes for a shell. Nothing parses these lines again:
whatever is decided about advice is decided on its actions."""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

from iotriage.metrics.core.missing_evidence import EVIDENCE
from iotriage.metrics.tables.settings import HINT_VARIABLE, as_library_reads
from iotriage.rules.core.action import (
    Action,
    AskFor,
    ChangeDirectory,
    EditCode,
    EditPython,
    Export,
    FillIn,
    HintsFile,
    LaunchProgram,
    Library,
    Matching,
    ModuleLoad,
    ModuleSwap,
    ModuleUnload,
    MpiioHint,
    Named,
    Operand,
    Place,
    RunCommand,
    SetHint,
    SetStripe,
    SiteLines,
    Unset,
)
from iotriage.rules.core.words import UNPRINTABLE
from iotriage_parsers.frozen import frozen

CommandKind = Literal["shell", "job-script", "code", "none"]

_PLAIN_VALUE = re.compile(r"[A-Za-z0-9_./:,@%+=-]+")
_PATTERN = re.compile(r"[A-Za-z0-9_.*?][A-Za-z0-9_.*?-]*")
_BETWEEN: dict[CommandKind, str] = {"shell": " && ", "job-script": "\n", "code": "\n", "none": ""}
"""What joins the lines of two actions: a command runs only where the one before it succeeded."""
BETWEEN_STRIPE_OPTIONS = " "
BETWEEN_HINTS = ","

_OPEN: dict[Library, EditCode] = {
    "HDF5": EditCode(
        "H5Pset_fapl_mpio(file_access, MPI_COMM_WORLD, info);",
        "call h5pset_fapl_mpio_f(file_access, MPI_COMM_WORLD, info, error)",
        mpi=True,
    ),
    "netCDF-4": EditCode(
        "nc_create_par(name, NC_NETCDF4, MPI_COMM_WORLD, info, &ncid);",
        "status = nf90_create_par(name, NF90_NETCDF4, MPI_COMM_WORLD, info, ncid)",
        mpi=True,
    ),
    "PnetCDF": EditCode(
        "ncmpi_create(MPI_COMM_WORLD, name, NC_CLOBBER | NC_64BIT_DATA, info, &ncid);",
        "status = nf90mpi_create(MPI_COMM_WORLD, name, ior(NF90_CLOBBER, NF90_64BIT_DATA), info, ncid)",
        mpi=True,
    ),
    "MPI-IO": EditCode(
        "MPI_File_open(MPI_COMM_WORLD, name, mode, info, &file);",
        "call MPI_File_open(MPI_COMM_WORLD, name, mode, info, file, ierror)",
        mpi=True,
    ),
}
"""The call that takes the hints."""
_OPEN_READ: dict[Library, EditCode] = _OPEN | {
    "netCDF-4": EditCode(
        "nc_open_par(name, NC_NOWRITE, MPI_COMM_WORLD, info, &ncid);",
        "status = nf90_open_par(name, NF90_NOWRITE, MPI_COMM_WORLD, info, ncid)",
        mpi=True,
    ),
    "PnetCDF": EditCode(
        "ncmpi_open(MPI_COMM_WORLD, name, NC_NOWRITE, info, &ncid);",
        "status = nf90mpi_open(MPI_COMM_WORLD, name, NF90_NOWRITE, info, ncid)",
        mpi=True,
    ),
}
"""The call that takes the hints of a file that is only read: what makes one would empty it."""


@frozen
class CommandText:
    """Lines to paste and where they go; code is C, and `fortran` the same lines in Fortran, or it is Python alone."""

    kind: CommandKind
    text: str | None
    fortran: str | None = None


def command_of(actions: Sequence[Action]) -> CommandText:
    """The lines of one piece of advice. ValueError where some of it is code and some is not."""
    kind = _kind(actions)
    if kind == "none":
        return CommandText(kind, None)
    if any(isinstance(action, EditPython) for action in actions):
        return CommandText(kind, _BETWEEN[kind].join(line(action) for action in actions))
    fortran = [edit.fortran for action in actions if (edit := as_code(action)) is not None]
    text = _BETWEEN[kind].join(line(action, filled_in_before(actions, at)) for at, action in enumerate(actions))
    return CommandText(kind, text, _BETWEEN[kind].join(fortran) if kind == "code" else None)


def _kind(actions: Sequence[Action]) -> CommandKind:
    if not actions:
        return "none"
    code = [isinstance(action, EditPython) or as_code(action) is not None for action in actions]
    if any(code) and not all(code):
        raise ValueError("code and commands are two pieces of advice")
    if all(code):
        return "code"
    return "shell" if all(isinstance(action, SetStripe | RunCommand) for action in actions) else "job-script"


def as_code(action: Action) -> EditCode | None:
    """The lines of the program for an action that is carried out there; None for others."""
    if isinstance(action, EditCode):
        return action
    if isinstance(action, SetHint) and action.through is not None:
        return _through(action)
    return None


def filled_in_before(actions: Sequence[Action], position: int) -> frozenset[FillIn]:
    """The values that earlier actions have already asked the reader for, where the action at `position` runs: among
    commands that run only after one another, each is described once."""
    if _kind(actions) != "shell":
        return frozenset()
    return frozenset(where for action in actions[:position] for where in filled_in(action))


def filled_in(action: Action) -> Iterator[FillIn]:
    """What is filled in among the words of the action's lines, as often as they name it."""
    words: tuple[str | Place, ...] = ()
    match action:
        case SetStripe():
            words = (action.directory, action.directory) if action.new else (action.directory,)
        case ChangeDirectory():
            words = (action.directory,)
        case RunCommand() | LaunchProgram():
            words = action.words
    for word in words:
        where = word.value if isinstance(word, Operand) else word
        if isinstance(where, FillIn):
            yield where


def line(action: Action, asked: frozenset[FillIn] = frozenset()) -> str:
    """An action as a line, or a few, of a job script or a shell; code of the program is C. `asked` is what the commands
    before it have filled in."""
    match action:
        case SetStripe():
            opening, ending = around_stripe_options(action, asked)
            return f"{opening}{in_line(stripe_options(action), BETWEEN_STRIPE_OPTIONS)}{ending}"
        case SetHint(through=None):
            opening, ending = AROUND_HINTS
            return f"{opening}{in_line(file_hints(action), BETWEEN_HINTS)}{ending}"
        case HintsFile():
            opening, ending = AROUND_ROMIO_HINTS
            return f"{opening}{BETWEEN_ROMIO_HINTS.join(romio_hint(h) for h in action.hints)}{ending}"
        case Export():
            return _remarked(f"export {action.name}={_value(action.value, action.expands)}", action.remark)
        case Unset():
            return f"unset {action.name}"
        case ModuleLoad():
            return _remarked(f"module load {shell_word(action.module)}", action.remark)
        case ModuleSwap():
            return f"module swap {shell_word(action.instead_of)} {shell_word(action.module)}"
        case ModuleUnload():
            return f"module unload {shell_word(action.module)}"
        case ChangeDirectory():
            return _remarked(f"cd {place(action.directory)}", action.remark)
        case LaunchProgram():
            return _words(action.words)
        case SiteLines():
            return "\n".join(action.lines)
        case RunCommand():
            words = _words(action.words, asked)
            return words if action.into is None else f"{words}{_written_into(shell_word(action.into), action.shared)}"
        case AskFor():
            return "\n".join(EVIDENCE[action.evidence].lines)
        case EditCode():
            return action.c
        case EditPython():
            return action.code
        case SetHint():
            return _through(action).c


def _words(words: Sequence[str | Place], asked: frozenset[FillIn] = frozenset()) -> str:
    return " ".join(shlex.quote(word) if isinstance(word, str) else place(word, asked) for word in words)


def around(actions: Sequence[Action], position: int) -> tuple[str, str]:
    """What stands before and after the line of the action at `position` among those of one piece of advice."""
    between = _BETWEEN[_kind(actions)]
    lines = [line(action, filled_in_before(actions, at)) for at, action in enumerate(actions)]
    before = "".join(f"{text}{between}" for text in lines[:position])
    after = "".join(f"{between}{text}" for text in lines[position + 1 :])
    return before, after


_NAMES_VARIABLES = re.compile(r"(?:[^$]|\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}))*+")
"""A value or pattern of the job's own script that the shell fills in, and of which it runs nothing."""
AROUND_HINTS = f'export {HINT_VARIABLE}="', '"'
"""What stands before and after the hints."""


@frozen
class Option:
    """One thing that is set, an option of `lfs setstripe` or a hint, and as it stands in the line. `kept` where the
    advice leaves it as it is, and what others ask for may stand in its place. Those of one `of`, a pattern of files,
    stand together behind it, with colons between."""

    name: str
    text: str
    kept: bool = False
    of: str = ""


def in_line(options: Iterable[Option], between: str) -> str:
    """The options as the line has them: `*:cb_nodes=8:romio_cb_write=enable`, a pattern once, as ALCF's slides on Cray
    MPI-IO state the variable (`<file pattern>:key=value:...`)."""
    together: dict[str, list[str]] = {}
    for one in options:
        together.setdefault(one.of or one.name, [one.of] if one.of else []).append(one.text)
    return between.join(":".join(parts) for parts in together.values())


def file_hints(action: SetHint) -> tuple[Option, ...]:
    """The hints of the environment, as they stand within the double quotes, those that the job keeps first. A pattern
    that does not print is every file."""
    pattern = "*" if _breaks_out(action.file_pattern) else action.file_pattern
    asked = {(pattern, h.key): h.value for h in action.hints}
    everywhere = {h.key for h in action.hints} if pattern == "*" else set()
    beside = {
        (h.file_pattern, h.key): h.value
        for h in action.beside
        if h.key not in everywhere and not _breaks_out(f"{h.file_pattern}{h.key}{h.value}")
    }
    kept = (_file_hint(*names, value, kept=True, of_job=True) for names, value in beside.items() if names not in asked)
    patterns = {h.file_pattern for h in action.beside}
    return (*kept, *(_file_hint(*names, value, of_job=names[0] in patterns) for names, value in asked.items()))


def _file_hint(pattern: str, key: str, value: str, *, kept: bool = False, of_job: bool) -> Option:
    """Variables of the shell stay such in a value that is kept, and in a pattern of the job."""
    if not key:
        return Option(pattern, _quoted(pattern, _names_variables(pattern)), kept)
    text = _quoted(f"{key}={as_library_reads(value)}", kept and _names_variables(value))
    return Option(f"{pattern}:{key}", text, kept, _quoted(pattern, of_job and _names_variables(pattern)))


def _names_variables(text: str) -> bool:
    return _NAMES_VARIABLES.fullmatch(text) is not None


def _written_into(file: str, shared: bool) -> str:
    """What follows a command whose output goes into a file. One that another job, as of an array, may read at any
    moment is there whole or not at all."""
    return f" > {file}.$$ && mv {file}.$$ {file}" if shared else f" > {file}"


ROMIO_HINTS = "ROMIO_HINTS"
"""The variable that names the text: OLCF's guide to Summit, ROMIO MPI-IO Hints, and UnifyFS', MPI-I/O."""
AROUND_ROMIO_HINTS = (
    "printf '%s\\n' ",
    f'{_written_into("romio-hints", shared=True)}\nexport {ROMIO_HINTS}="$PWD/romio-hints"',
)
BETWEEN_ROMIO_HINTS = " "


def romio_hint(one: MpiioHint) -> str:
    """A line of the text, as a word of a shell."""
    return argument(f"{one.key} {one.value}")


def hint(one: MpiioHint) -> str:
    """A hint within double quotes."""
    return _quoted(f"{one.key}={one.value}")


def around_stripe_options(action: SetStripe, asked: frozenset[FillIn]) -> tuple[str, str]:
    """What stands before and after the options; `asked` is what was filled in before."""
    where, again = action.directory, asked | ({action.directory} if isinstance(action.directory, FillIn) else set())
    if action.new:
        return f"mkdir {place(where, asked)} && lfs setstripe ", f" {place(where, again)}"
    return "lfs setstripe ", f" {place(where, asked)}"


def stripe_options(action: SetStripe) -> tuple[Option, ...]:
    """The options of `lfs setstripe`, by their letters and as typed, in the order in which people write them."""
    given = (
        ("-c", str(action.count), "count" in action.kept),
        ("-S", size_option(action.size_bytes), "size" in action.kept),
        ("-i", None if action.first_ost is None else str(action.first_ost), False),
        ("-p", None if action.pool is None else shell_word(action.pool), False),
    )
    return tuple(Option(flag, f"{flag} {value}", kept) for flag, value, kept in given if value is not None)


def size_option(size_bytes: int) -> str:
    """A number of bytes as `lfs setstripe -S` takes it: "1M", "64K"."""
    for unit, letter in ((2**20, "M"), (2**10, "K")):
        if size_bytes and size_bytes % unit == 0:
            return f"{size_bytes // unit}{letter}"
    return str(size_bytes)


def place(where: Place, asked: frozenset[FillIn] = frozenset()) -> str:
    """A file or directory as one word of a shell; `asked` is what was filled in before it."""
    match where:
        case FillIn():
            return f'"{where.again if where in asked else where.value}"'
        case Matching():
            return where.pattern if _PATTERN.fullmatch(where.pattern) else shell_word(where.pattern)
        case Named():
            return shell_word(where.path)
        case Operand():
            return f"{where.name}={place(where.value, asked)}"


def shell_word(text: str) -> str:
    r"""A name from a log as one word of a POSIX shell on one line. Names with characters that do not print become
    $'…' with their bytes escaped (bash, ksh, zsh), so that a pasted line can neither break nor hide anything."""
    return argument(f"./{text}" if text.startswith("-") else text)


def argument(text: str) -> str:
    """A word of the job's own command line as one word of a shell: what begins with `-` is an option there."""
    return f"$'{_ansi_c(text)}'" if _breaks_out(text) else shlex.quote(text)


def _value(value: str, expands: bool) -> str:
    """The value of a variable, in double quotes where it needs any, as job scripts have it."""
    if _PLAIN_VALUE.fullmatch(value):
        return value
    if _breaks_out(value):
        return f"$'{_ansi_c(value)}'"
    return f'"{_quoted(value, expands)}"'


def _quoted(value: str, expands: bool = False) -> str:
    """What stands for `value` between double quotes."""
    special = r'[\\"`]' if expands else r'[\\"`$]'
    return re.sub(special, lambda found: f"\\{found[0]}", value)


def _breaks_out(text: str) -> bool:
    return not text.isprintable() and any(unicodedata.category(c) in UNPRINTABLE for c in text)


def _remarked(text: str, remark: str | None) -> str:
    return text if remark is None else f"{text}   # {remark}"


def _through(action: SetHint) -> EditCode:
    """The hints in an info object, which the library takes when it opens the file."""
    given = action.hints
    opening = (_OPEN_READ if action.only_read else _OPEN)[action.through or "MPI-IO"]
    c = ("MPI_Info_create(&info);", *(f'MPI_Info_set(info, "{h.key}", "{h.value}");' for h in given), opening.c)
    fortran = (
        "call MPI_Info_create(info, ierror)",
        *(f"call MPI_Info_set(info, '{h.key}', '{h.value}', ierror)" for h in given),
        opening.fortran,
    )
    return EditCode("\n".join(c), "\n".join(fortran), mpi=True)


def _ansi_c(text: str) -> str:
    return "".join(_character(c) for c in text)


def _character(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if unicodedata.category(character) in UNPRINTABLE:
        return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogatepass"))
    return character
