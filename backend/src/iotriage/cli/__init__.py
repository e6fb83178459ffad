"""The command line: one module a command, each with `declare(command)`, which states its arguments, and a line
in `COMMANDS`.

The modules are imported for the command that is called only, so that `diagnose` pays for no web stack.
"""

from __future__ import annotations

import argparse
import codecs
import errno
import gc
import importlib
import io
import os
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from typing import NoReturn, TextIO

from iotriage.release import __version__

DONE, FINDINGS, BAD_USE, NOTHING_READ, UNAVAILABLE, FAILED, INTERRUPTED = 0, 1, 2, 3, 69, 70, 130
"""Exit statuses: done; what --fail-on names, or values that differ; bad use; no source could be read; a server does not
answer, or not for now (EX_UNAVAILABLE of sysexits.h); the program itself failed (EX_SOFTWARE there), so that nobody
takes that for findings; ended from the keyboard, as shells count it."""

COMMANDS = {
    "diagnose": "say what is wrong with one job's I/O",
    "compare": "say what was changed between runs, and what became of it",
    "verify": "compare our reading of Darshan logs with pydarshan's, value by value",
    "submit": "send a job's logs to a server, and print the address of the case",
    "serve": "serve the page and the API on this machine",
    "access": "open the server in a browser; make, list and revoke tokens for programs",
    "ingest": "take the logs of a centre into a warehouse of tables",
    "warehouse": "write a centre's tables as JSON lines; drop what was kept long enough",
    "report": "say what a centre's jobs did in a day, a week or a month",
    "rules": "list the diagnoses and their thresholds, with who states them",
    "sites": "list the site profiles, or print one with its sources",
}

_FOR_PROGRAMS = ("json", "html", "csv", "warehouse")
"""Formats, and a command, whose answers programs read."""

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

OBJECTS_BETWEEN_COLLECTIONS = 500_000
"""A command keeps nearly all that it makes to its end: to look for the rest every 700 objects, as Python does, is a
tenth of its time. What is imported for a diagnosis has some 120,000 objects: to look through them once takes 25 ms."""

Run = Callable[[argparse.Namespace], int]


def refuse(command: str, message: str, status: int = BAD_USE) -> int:
    """Tells of a command why it does not do what was asked; the status that it ends with."""
    _complain(f"iotriage {command}: {message}\n")
    return status


def _complain(text: str) -> None:
    """Writes it to standard error, as far as that takes it. No name in it, as of a file that somebody sent, commands
    the terminal."""
    from iotriage_parsers.text.lines import printable

    with suppress(OSError):
        sys.stderr.write("\n".join(printable(line) for line in text.split("\n")))


class _CommandParser(argparse.ArgumentParser):
    """Refuses a word that it does not know by its own usage, where argparse has the program's say it."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        chosen, unknown = super().parse_known_args(args, namespace)
        if unknown:
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return chosen, unknown

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        if message:
            _complain(message)
        raise SystemExit(status)


def parser(declared: Collection[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser, with the arguments of the commands that are to be `declared`."""
    top = _CommandParser(
        prog="iotriage",
        description="What is wrong with a parallel job's I/O, which document says so, and what to type to fix it.",
        epilog="exit status: 0 done, 1 what --fail-on names, values that differ (verify) or confinement that is "
        "missing (serve --check), 2 bad use, 3 no source could be read, 69 a server does not answer, 70 the program "
        "itself failed, 130 ended from the keyboard",
    )
    top.add_argument("--version", action="version", version=f"iotriage {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser)
    for name, words in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        if name in declared:
            importlib.import_module(f"{__name__}.{name}").declare(command)
    return top


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs one command and exits with its status. Without `arguments` they are those of the process, which then may
    give up what the command does not need (`iotriage.cli.confined`)."""
    try:
        status = _status_of(arguments)
    except KeyboardInterrupt:
        status = INTERRUPTED
    if arguments is None and "duckdb" not in sys.modules:
        # Python looks for circles among all objects twice as it ends, a sixth of the time of a short command. DuckDB
        # prints each object of its own that is left.
        gc.freeze()
    sys.exit(status)


def _status_of(arguments: Sequence[str] | None) -> int:
    # NumPy's linear algebra starts a thread for every core when it is imported; nothing here needs them.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if arguments is None:
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    words = list(sys.argv[1:] if arguments is None else arguments)
    if arguments is None:
        _open_closed_streams()
    if not words:
        parser([]).print_help(sys.stderr)
        return BAD_USE
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        chosen = _chosen(words, owns_process=arguments is None)
        run: Run = chosen.run
        _fit_output(sys.stdout, chosen)
        refused = _own_sites_refused()
        if refused is not None:
            _complain(f"iotriage: {refused}\n")
            return BAD_USE
        status = run(chosen)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader of our output (`| head`) has gone; Python would complain when it flushes at exit.
        os.dup2(nowhere, sys.stdout.fileno())
        status = DONE
    except OSError as problem:
        if problem.errno not in _NO_ROOM:
            traceback.print_exc()
            status = FAILED
        else:
            _complain(f"iotriage: {problem.filename or 'the answer cannot be written'}: {problem.strerror}\n")
            os.dup2(nowhere, sys.stdout.fileno())
            status = BAD_USE
    except Exception as problem:
        damaged = _damaged_profile(problem)
        if damaged is None:
            traceback.print_exc()
        else:
            _complain(f"iotriage: {damaged}\n")
        status = FAILED
    finally:
        os.close(nowhere)
    return status


def _chosen(words: Sequence[str], *, owns_process: bool) -> argparse.Namespace:
    """What the words ask for. SystemExit where they are no use of ours, or ask for what the parser itself prints;
    OSError where that cannot be written."""
    named = next((a for a in words if a in COMMANDS), None)
    try:
        return parser([] if named is None else [named]).parse_args(words, argparse.Namespace(owns_process=owns_process))
    except SystemExit:
        sys.stdout.flush()
        raise


def _open_closed_streams() -> None:
    """A daemon may start us with standard streams closed: they are the null device then, and not whichever file is
    opened next."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


def _fit_output(stream: TextIO, chosen: argparse.Namespace) -> None:
    """Where the locale's characters are fewer than ours: what programs read is UTF-8 all the same, as the file of -o
    is, and what people read is spelt with those that their terminal has."""
    if not isinstance(stream, io.TextIOWrapper) or codecs.lookup(stream.encoding).name == "utf-8":
        return
    if chosen.command in _FOR_PROGRAMS or getattr(chosen, "format", None) in _FOR_PROGRAMS:
        stream.reconfigure(encoding="utf-8")
    else:
        from iotriage.cli.plain_spelling import SPELT_PLAINLY

        stream.reconfigure(errors=SPELT_PLAINLY)


def _damaged_profile(problem: Exception) -> str | None:
    """What is wrong with a site's profile that came with the program; None for another problem."""
    from iotriage.sites import BadSiteError

    return f"{problem}; the program is to be installed again" if isinstance(problem, BadSiteError) else None


def _own_sites_refused() -> str | None:
    """Why the installation's own site profiles cannot be used; None where they can, or where there are none."""
    if not os.environ.get("IOTRIAGE_SITES"):
        return None
    from iotriage.rules.core.own_sites import check_own_sites
    from iotriage.sites import BadSiteError

    try:
        check_own_sites()
    except BadSiteError as problem:
        return str(problem)
    return None
