"""`iotriage submit FILE…`: sends a job's sources from where they are to a server, and prints the case's address."""

from __future__ import annotations

import argparse
import os
import stat
import time
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

import platformdirs

from iotriage.cli import DONE, FAILED, NOTHING_READ, UNAVAILABLE, refuse
from iotriage.cli.places import is_file, typed_name, typed_path
from iotriage.cli.typed_values import typed_words
from iotriage.client import Case, Client, ClientError, NoAnswerError, is_loopback

TOKEN, SERVER = "IOTRIAGE_TOKEN", "IOTRIAGE_SERVER"
_PATIENCE_S, _WAIT_S = 10.0, 5.0


class NoTokenError(ValueError):
    """The token's file cannot be used; the message says why."""


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files", metavar="FILE", nargs="+", type=typed_name, help="logs, outputs and archives of one job: one case"
    )
    command.add_argument(
        "--ticket",
        metavar="N",
        type=typed_words,
        help="the ticket it is for, by reference or number: one that has a case of yours already; the helpdesk may "
        "name any, and a new one is opened",
    )
    role = command.add_mutually_exclusive_group()
    role.add_argument(
        "--before",
        dest="role",
        action="store_const",
        const="before",
        help="this run is from before the advice (default: from after it, where the ticket has one from before and the "
        "job began after the first answer)",
    )
    role.add_argument(
        "--after", dest="role", action="store_const", const="after", help="this run is from after the advice"
    )
    command.add_argument(
        "--alone",
        action="store_true",
        help="keep it a case of its own, even where the server has a case of the same job",
    )
    command.add_argument("--server", metavar="URL", type=typed_words, help=f"the server's address (default: {SERVER})")
    command.add_argument(
        "--token-file",
        metavar="FILE",
        type=typed_path,
        default=platformdirs.user_config_path("iotriage") / "token",
        help=f"a file of mode 0600 with your token, where {TOKEN} has none (default: iotriage/token in ~/.config, or "
        "where XDG_CONFIG_HOME says)",
    )
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    server: str | None = chosen.server or os.environ.get(SERVER)
    if server is None:
        return refuse("submit", f"name the server: --server URL, or {SERVER}")
    if chosen.ticket is not None and not chosen.ticket.strip():
        return refuse("submit", "--ticket: name the ticket, by its reference or number")
    if chosen.role is not None and chosen.ticket is None:
        return refuse("submit", f"--{chosen.role} says what a run is of a ticket: name it by --ticket")
    missing = [name for name in chosen.files if not is_file(Path(name))]
    if missing:
        return refuse("submit", f"{missing[0]}: no file; of a folder, give an archive or its files")
    try:
        token = os.environ.get(TOKEN) or token_in(chosen.token_file)
        _check_address(server, token)
        client = Client(server, token=token)
    except ValueError as wrong:
        return refuse("submit", str(wrong))
    try:
        if chosen.ticket is not None:
            _check_ticket(client, chosen.ticket)
        case = client.upload(chosen.files, alone=chosen.alone)
        print(f"{server.rstrip('/')}/cases/{case.id}")
        if case.already:
            print(f"the same was given before: {server.rstrip('/')}/cases/{case.already[0]} has it already")
        if chosen.ticket is not None:
            attached = client.give_to_ticket(case.id, chosen.ticket, chosen.role)
            opened = " (opened)" if attached.opened else ""
            unless = ", unless its job began before that" if attached.presumed else ""
            print(f"for ticket {attached.ticket}{opened}, {attached.role} what was advised{unless}")
        if not chosen.alone:
            _print_joined(client, case, server)
    except NoAnswerError as lost:
        return refuse("submit", str(lost), UNAVAILABLE)
    except ClientError as refused:
        if refused.status == HTTPStatus.UNAUTHORIZED and token is None:
            return refuse(
                "submit", f"{server} wants a token, and neither {TOKEN} nor {chosen.token_file} has one", NOTHING_READ
            )
        return refuse("submit", str(refused), FAILED if refused.status is None else NOTHING_READ)
    except OSError as unread:
        return refuse("submit", f"{unread.filename}: {unread.strerror}")
    return DONE


def _check_ticket(client: Client, ticket: str) -> None:
    """Who is refused has not sent anything, and is told so."""
    try:
        client.check_ticket(ticket)
    except ClientError as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        unsent = "Nothing was sent: without --ticket it becomes a case, which the helpdesk can give to the ticket."
        raise ClientError(f"{refused} {unsent}", refused.status) from None


def _print_joined(client: Client, case: Case, server: str) -> None:
    """Says that it has become part of another case, where that is known soon."""
    until = time.monotonic() + _PATIENCE_S
    found = case
    while found.status == "reading" and case.id not in found.joined and time.monotonic() < until:
        found = client.case(case.id, wait_s=_WAIT_S)
    because = found.joined.get(case.id)
    if because is not None:
        print(f"joined with {server.rstrip('/')}/cases/{found.id}: {because}")


def token_in(file: Path) -> str | None:
    """The token that the file holds; None where there is no file. Raises `NoTokenError` for one that others can
    read."""
    try:
        with file.open() as opened:
            mode = os.fstat(opened.fileno()).st_mode
            if mode & (stat.S_IRWXG | stat.S_IRWXO):
                raise NoTokenError(f"{file} holds a token and others can read it: chmod 600 {file}")
            return opened.read().strip() or None
    except FileNotFoundError:
        return None
    except OSError as unread:
        raise NoTokenError(f"{file}: {unread.strerror}") from None
    except UnicodeDecodeError:
        raise NoTokenError(f"{file} holds no token") from None


def _check_address(server: str, token: str | None) -> None:
    """A token is shown to a server whose name is proved, or on this machine."""
    if token is not None and urlsplit(server).scheme != "https" and not is_loopback(server):
        raise NoTokenError(f"{server}: a token is sent over https only")
