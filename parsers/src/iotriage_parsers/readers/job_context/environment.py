"""The environment variables that a script sets, and mistakes in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import EnvironmentSetting, Problem
from iotriage_parsers.readers.job_context.launches.wrapping import SHELLS, of_shell
from iotriage_parsers.readers.job_context.shell import (
    VARIABLE_NAME,
    joined_commands,
    unquoted,
    without_outer_quotes,
)

ASSIGNMENT: Final = re.compile(r"([A-Za-z_]\w{0,80})=(.*)")
_BEFORE_COMMANDS: Final = frozenset(
    (
        "$", "time", "exec", "env", "then", "do", "else", "{", "nohup", "command", "!", "if", "elif", "while", "until",
        "eval",
    )
)  # fmt: skip
_TAKES_AWAY: Final = ("-u", "--unset")
_TYPOGRAPHIC_QUOTES: Final = re.compile("[\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb]")
EXPORTS: Final = frozenset(("export", "setenv", "unset", "unsetenv", "declare", "typeset"))
_HINTS: Final = "MPICH_MPIIO_HINTS"
_BETWEEN_ASSIGNMENTS: Final = re.compile(r",(?=[A-Za-z_]\w{0,80}=)")
"""A value may have commas of its own, as hints for several files."""
_OF_THE_SHELL: Final = re.compile(r"[A-Z][A-Z0-9_]{0,80}=|export$|-")
_KEPT: Final = re.compile(
    r"(?:MPICH_|ROMIO|MPIIO|DARSHAN|DXT_|FI_|HDF5_|H5_|IOBUF|PNETCDF_|NETCDF_|ADIOS|OMPI_MCA_|I_MPI_|PALS_|PMI_|CRAY_"
    r"|LUSTRE|UCX_|OMP_)\w*|LD_PRELOAD"
    # Where programs put temporary files, what they compiled and what they fetched.
    r"|TMPDIR|ESPRESSO_TMPDIR|GAUSS_SCRDIR|SCRATCH_DIR|DASK_TEMPORARY_DIRECTORY|RAY_TMPDIR|(?:HF|TORCH|KERAS|XDG_CACHE)_HOME"
    r"|(?:PIP|TRITON)_CACHE_DIR|(?:APPTAINER|SINGULARITY)_CACHEDIR|CONDA_PKGS_DIRS|TORCH_EXTENSIONS_DIR|MPLCONFIGDIR"
    r"|CUDA_CACHE_PATH|JULIA_DEPOT_PATH|MCR_CACHE_ROOT"
)

_OPENS: Final = frozenset(("if", "case", "for", "select", "while", "until", "(", "{"))
_CLOSES: Final = frozenset(("fi", "esac", "done", ")", "}"))
_BEFORE: Final = frozenset(("then", "else", "do", "!", "time"))
_FUNCTION: Final = re.compile(r"(?:function [\w-]{1,80}(?: ?\( ?\))?|[\w-]{1,80} ?\( ?\)) ?\{(?: |$)")

SETTINGS: Final = (b"MPICH_MPIIO_", b"FI_OFI_", b"IOBUF_")
"""Prefixes of variables about I/O, with which a list of settings may begin."""


def is_kept(name: str) -> bool:
    """Whether the variable concerns I/O or an I/O library. The others are not stored."""
    return _KEPT.fullmatch(name) is not None


def settings_of(given: Iterable[tuple[str, str]], line: int) -> Iterator[EnvironmentSetting]:
    return (EnvironmentSetting(name, value, line) for name, value in given)


def settings_at_launch(given: Iterable[EnvironmentSetting]) -> Iterator[EnvironmentSetting]:
    """The variables that a launch sets for its programs, in addition to what the script exports."""
    return (replace(setting, at_launch=True) for setting in given)


def setting_of(name: str, value: str, line: int) -> EnvironmentSetting:
    return EnvironmentSetting(name, without_outer_quotes(value), line)


def assigned_in(
    words: Sequence[str], line: int, held: Callable[[str], str | None] = lambda _: None
) -> Iterator[EnvironmentSetting]:
    """The assignments among the words behind `export`, and what variables hold that it only names. Behind an unquoted
    hint string, what no shell variable is called is the rest of that string, which a blank cut off."""
    at = 0
    while at < len(words):
        assigned = None if words[at].startswith("-") else ASSIGNMENT.fullmatch(words[at])
        at += 1
        if (whole := _quoted_whole(words[at - 1])) is not None:
            yield EnvironmentSetting(whole.group(1), whole.group(2), line)
            continue
        if assigned is None:
            value = held(words[at - 1]) if VARIABLE_NAME.fullmatch(words[at - 1]) else None
            if value is not None:
                yield setting_of(words[at - 1], value, line)
            continue
        setting = setting_of(assigned.group(1), assigned.group(2), line)
        if setting.name == _HINTS and words[at - 1][len(_HINTS) + 1 :][:1] not in ('"', "'"):
            end = next((n for n in range(at, len(words)) if _OF_THE_SHELL.match(words[n])), len(words))
            setting = replace(setting, cut_off=" ".join(words[at:end]) or None)
            at = end
        yield setting


def _quoted_whole(word: str) -> re.Match[str] | None:
    """An assignment that stands in quotes with its name, as bash traces one whose value has a sign of the shell:
    `+ export 'MPICH_MPIIO_HINTS=*:cb_nodes=8'`."""
    return ASSIGNMENT.fullmatch(without_outer_quotes(word)) if word[:1] in ("'", '"') else None


def _lacks_a_pattern(value: str) -> bool:
    """Hints are "PATTERN:key=value:key=value,PATTERN:…". Markdown takes `*` for emphasis and drops it."""
    value = _TYPOGRAPHIC_QUOTES.sub("", value).strip("\"' ")
    return any(group.startswith(":") or "=" in group.partition(":")[0] for group in value.split(",") if group)


def notes_of(setting: EnvironmentSetting) -> Iterator[Problem]:
    value, where = setting.value or "", f"line {setting.line}: {setting.name}"
    if _TYPOGRAPHIC_QUOTES.search(value):
        takes = "the shell takes them for part of the value"
        if value.startswith('"'):
            takes = "the shell reads on to the next plain quote, on a later line"
        yield Problem("note", f"{where} has typographic quotes: {takes}; kept as it stands", line=setting.line)
    if setting.cut_off is not None:
        message = f"{where} ends at a blank: {setting.cut_off!r} is not part of it for the shell"
        yield Problem("note", message, line=setting.line)
    if setting.name == _HINTS and _lacks_a_pattern(value):
        message = (
            f"{where} has hints without a file pattern before the colon; likely a * was lost on the way here; "
            "kept as it stands"
        )
        yield Problem("note", message, line=setting.line)
    if setting.name == "IOBUF_PARAMS" and value:
        message = f"{where} switches IOBUF on: its output is not read, and calls that it buffers look different"
        yield Problem("note", message, line=setting.line)


def stands_before(word: str, following: str) -> bool:
    """Whether it is an assignment, or a word of the shell with a command behind it: `time` and `env` too, but with
    options they are the programs of that name."""
    if word in ("time", "env"):
        return not following.startswith("-")
    return word in _BEFORE_COMMANDS or ASSIGNMENT.fullmatch(word) is not None


def settings_of_wrappers(words: Sequence[str], line: int) -> Iterator[EnvironmentSetting]:
    """What `env`, `mpirun_rsh`, a container or a shell among these words sets, or takes away, for the command behind
    them: `/usr/bin/env -u NAME A=1 srun`, `apptainer exec --env A=1,B=2 image`, `bash -c "export A=1; ./a"`.
    https://www.gnu.org/software/coreutils/manual/html_node/env-invocation.html,
    https://apptainer.org/docs/user/main/environment_and_metadata.html"""
    sets_words, sets_options = False, False
    for at, (word, before) in enumerate(zip(words, ("", *words), strict=False)):
        given = unquoted(word)
        name = given.rpartition("/")[2]
        if sets_words and (before in _TAKES_AWAY or given.startswith("--unset=")):
            yield EnvironmentSetting(given.removeprefix("--unset="), None, line)
            continue
        of_option = sets_options and (before == "--env" or given.startswith("--env="))
        listed = _BETWEEN_ASSIGNMENTS.split(given.removeprefix("--env=")) if of_option else [given]
        assigned = [found for one in listed if (found := ASSIGNMENT.fullmatch(one)) is not None]
        if assigned and (sets_words or of_option):
            yield from (EnvironmentSetting(found.group(1), unquoted(found.group(2)), line) for found in assigned)
        elif name in ("env", "mpirun_rsh"):
            sets_words = True
        elif name in ("apptainer", "singularity"):
            sets_options = True
        elif name in SHELLS and (text := of_shell(words[at:])) is not None:
            exports = OwnExports()
            exports.note(text, line)
            yield from exports.found
        elif not given.startswith("-") and not before.startswith("-"):
            sets_words = False


def _deeper(words: Sequence[str]) -> int:
    """By how much this command changes the number of open blocks, functions and shells."""
    first = next((word for word in words if word not in _BEFORE), "")
    opens = first in _OPENS or _FUNCTION.match(" ".join(words[:4])) is not None
    return opens - (first in _CLOSES)


class OwnExports:
    """What a shell, line by line, exports on no condition to what it hands on to."""

    def __init__(self) -> None:
        self.found: list[EnvironmentSetting] = []
        self._blocks = 0

    def note(self, text: str, line: int) -> None:
        for sign, words in joined_commands(text):
            self._blocks = max(0, self._blocks + _deeper(words))
            if words[0] == "export" and not self._blocks and sign not in ("&&", "||", "|"):
                self.found += assigned_in(words[1:], line)
