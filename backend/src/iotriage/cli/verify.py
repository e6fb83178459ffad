"""`iotriage verify LOG…`: a second opinion on Darshan logs, by pydarshan."""

from __future__ import annotations

import argparse

from iotriage.cli import DONE, FINDINGS, NOTHING_READ, refuse
from iotriage.cli.output import columns, declare_output, write
from iotriage.cli.places import typed_path
from iotriage.verification.report import as_json, as_text
from iotriage.verification.second_reader import NoSecondOpinionError, NotInstalledError
from iotriage.verification.verify import NotALogError, Verification, verify


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("logs", metavar="LOG", nargs="+", type=typed_path, help="Darshan logs")
    command.add_argument("--format", choices=("text", "json"), default="text", help="what to print (default: text)")
    declare_output(command)
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    found: list[Verification] = []
    unread = False
    for log in chosen.logs:
        try:
            found.append(verify(log))
        except NotInstalledError as problem:
            return refuse("verify", str(problem))
        except (NoSecondOpinionError, NotALogError, OSError) as problem:
            unread = True
            refuse("verify", f"{log}: {problem.strerror if isinstance(problem, OSError) else problem}", NOTHING_READ)
    text = as_json(found) if chosen.format == "json" else as_text(found, columns(chosen.output))
    unwritten = write(text, chosen.output)
    if unwritten is not None:
        return refuse("verify", unwritten)
    if unread:
        return NOTHING_READ
    return FINDINGS if any(one.found.differing for one in found) else DONE
