"""`iotriage access`: what lets people and programs into the server of this machine's data folder."""

from __future__ import annotations

import argparse
import getpass
import os
from datetime import timedelta
from typing import Final

from pydantic import ValidationError
from sqlalchemy.orm import Session

from iotriage.access.people import known_person, remember
from iotriage.access.person import LOCAL, Person
from iotriage.access.sessions import end_sessions
from iotriage.access.share_links import revoke_links_of
from iotriage.access.signing import SigningKeys
from iotriage.access.tokens import LONGEST, SCOPES, new_token, revoke_token, revoke_tokens, tokens_of
from iotriage.cli import DONE, Run, refuse
from iotriage.cli.server_address import DEFAULT_HOST, DEFAULT_PORT, one_time_address, port_of_server
from iotriage.cli.typed_values import number_of, typed_title, typed_words
from iotriage.settings import Settings, settings_error
from iotriage.store.audit import LONGEST_ABOUT, AuditContext, record
from iotriage.store.database import Database, UnusableDatabaseError
from iotriage.store.sources import utc_now

COMMAND_LINE: Final = "command line"


def declare(command: argparse.ArgumentParser) -> None:
    actions = command.add_subparsers(dest="action", metavar="ACTION", required=True)
    opened = actions.add_parser("open", help="print another one-time address that opens the server in a browser")
    opened.add_argument(
        "--port", type=port_of_server, default=DEFAULT_PORT, help=f"the server's (default: {DEFAULT_PORT})"
    )
    opened.set_defaults(run=_saying_why(run_open))
    token = actions.add_parser("token", help="make a token for a program, and print it")
    token.add_argument("name", metavar="NAME", type=typed_title, help="what it is for")
    token.add_argument("--scope", choices=SCOPES, default="submit", help="what it may (default: submit)")
    token.add_argument(
        "--days",
        type=number_of("days", LONGEST.days),
        default=90,
        help=f"until it ends, at most {LONGEST.days} (default: 90)",
    )
    token.add_argument(
        "--person",
        type=typed_words,
        default=LOCAL.id,
        help="whose it is, who has logged in before (default: local)",
    )
    token.set_defaults(run=_saying_why(run_token))
    actions.add_parser("tokens", help="list the tokens that were not revoked").set_defaults(run=_saying_why(run_tokens))
    revoke = actions.add_parser("revoke", help="revoke a token")
    revoke.add_argument(
        "id", metavar="ID", type=typed_words, help="the token's id, as `iotriage access tokens` lists it"
    )
    revoke.set_defaults(run=_saying_why(run_revoke))
    end = actions.add_parser("end", help="end a person's log-ins and revoke their tokens and share links")
    end.add_argument("person", metavar="PERSON", type=typed_words, help="their id")
    end.set_defaults(run=_saying_why(run_end))
    keys = actions.add_parser("renew-keys", help="make a new key that signs cookies; log-ins stay")
    keys.set_defaults(run=_saying_why(run_renew_keys))


def _saying_why(act: Run) -> Run:
    """The act, which says in a sentence what is wrong with the settings or the database."""

    def run(chosen: argparse.Namespace) -> int:
        try:
            return act(chosen)
        except ValidationError as wrong:
            return refuse("access", settings_error(wrong))
        except UnusableDatabaseError as problem:
            return refuse("access", f"{problem}")

    return run


def run_open(chosen: argparse.Namespace) -> int:
    settings = Settings()
    if settings.access != "local":
        return refuse("access", f"IOTRIAGE_ACCESS is {settings.access}: people log in, no address opens the server")
    print(one_time_address(_database(settings), f"http://{DEFAULT_HOST}:{chosen.port}{settings.root_path}/"))
    return DONE


def run_token(chosen: argparse.Namespace) -> int:
    now, lasts = utc_now(), timedelta(days=chosen.days)
    with _database(Settings()).writing() as session, session.begin():
        person: Person | None = LOCAL if chosen.person == LOCAL.id else known_person(session, chosen.person)
        if person is None:
            return refuse("access", f"nobody called {chosen.person!r} has logged in yet")
        remember(session, person, now, COMMAND_LINE)
        row, token = new_token(session, person, chosen.name, chosen.scope, now, lasts)
        _record(session, "token made", person.id, f"token {row.id} {chosen.name!r}, scope {chosen.scope}")
    print(token)
    return DONE


def run_tokens(_: argparse.Namespace) -> int:
    with _database(Settings()).reading() as session:
        for row in tokens_of(session, None):
            print(f"{row.id}  {row.scope:6}  until {row.ends_at:%Y-%m-%d}  {row.person}  {row.name!r}")
    return DONE


def run_revoke(chosen: argparse.Namespace) -> int:
    with _database(Settings()).writing() as session, session.begin():
        if not revoke_token(session, chosen.id, utc_now()):
            return refuse("access", f"there is no token {chosen.id!r}")
        _record(session, "token revoked", None, f"token {chosen.id}")
    return DONE


def run_end(chosen: argparse.Namespace) -> int:
    with _database(Settings()).writing() as session, session.begin():
        now = utc_now()
        sessions, tokens = end_sessions(session, chosen.person), revoke_tokens(session, chosen.person, now)
        links = revoke_links_of(session, chosen.person, now)
        if not any((sessions, tokens, links)) and known_person(session, chosen.person) is None:
            # A slip of the pen is not to pass for an access that was ended.
            return refuse("access", f"nobody called {chosen.person!r} has logged in yet")
        _record(session, "access ended", chosen.person, f"{sessions} log-ins, {tokens} tokens, {links} links")
    print(f"log-ins ended: {sessions}; tokens revoked: {tokens}; links revoked: {links}")
    return DONE


def run_renew_keys(_: argparse.Namespace) -> int:
    settings = Settings()
    if settings.session_keys:
        return refuse("access", "the keys are those of IOTRIAGE_SESSION_KEYS: add one at its end")
    SigningKeys(settings.data_dir / "cookie-keys", (), utc_now).renew()
    return DONE


def _record(session: Session, action: str, person: str | None, about: str) -> None:
    """Whoever may write to the server's database may do so, and is seen to."""
    line = f"person {person}, {about}" if person else about
    record(
        session,
        AuditContext(f"{_user_name()} on the server", COMMAND_LINE, action, about=line[:LONGEST_ABOUT]),
        utc_now(),
    )


def _user_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # In a container, a user may have no name.
        return f"uid {os.getuid()}"


def _database(settings: Settings) -> Database:
    """Raises `UnusableDatabaseError`."""
    database = Database(settings.database)
    database.migrate()
    return database
