"""`iotriage serve`: the page and the API, on this machine."""

from __future__ import annotations

import argparse
import errno
import ipaddress
import logging
import os
import socket
import sys
from pathlib import Path
from textwrap import fill

import structlog
import uvicorn
from pydantic import ValidationError

from iotriage.api.app import create_app
from iotriage.api.guard.protocol import GuardedProtocol
from iotriage.api.services import Services
from iotriage.cli import DONE, FINDINGS, refuse
from iotriage.cli.output import columns
from iotriage.cli.places import is_folder, typed_path
from iotriage.cli.server_address import DEFAULT_HOST, DEFAULT_PORT, one_time_address, port_to_listen_on
from iotriage.cli.unknown_settings import unknown_settings
from iotriage.confinement.report import available
from iotriage.helpdesk.templates import templates_in
from iotriage.intake.samples import SHOWCASE
from iotriage.rules.core.own_sites import check_own_sites
from iotriage.settings import Settings, settings_error
from iotriage.sites import OWN_SITES

log: structlog.stdlib.BoundLogger = structlog.get_logger()

_REFUSED = """others can reach {host}, and it is not said how people log in. Listen on 127.0.0.1, which is for
one person, or say IOTRIAGE_ACCESS=proxy (a proxy in front says who somebody is) or IOTRIAGE_ACCESS=oidc (OpenID
Connect); docs/deploy.md has both."""

_UNCONFINED = """others are let in, and this host lacks what keeps in a reader that a log took over:
{missing}
Run it on a host that has it, or say --allow-unconfined (IOTRIAGE_ALLOW_UNCONFINED=1) if you trust whoever uploads."""


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", default=DEFAULT_HOST, help=f"address to listen on (default: {DEFAULT_HOST})")
    command.add_argument(
        "--port", type=port_to_listen_on, default=DEFAULT_PORT, help=f"(default: {DEFAULT_PORT}; 0: any free one)"
    )
    command.add_argument("--root-path", metavar="PATH", help="path under which a proxy shows the application")
    command.add_argument(
        "--samples", metavar="FOLDER", type=typed_path, help="sample logs to show, with a showcase.toml"
    )
    command.add_argument(
        "--unix-socket", metavar="PATH", type=typed_path, help="listen on a socket that a proxy opens instead"
    )
    command.add_argument(
        "--open-loopback",
        action="store_true",
        help="ask for no one-time address: for a machine whose loopback nobody else reaches",
    )
    command.add_argument(
        "--allow-unconfined", action="store_true", help="do so on a host without Landlock or seccomp, too"
    )
    command.add_argument(
        "--check", action="store_true", help="say how readers are confined on this host, what is missing, and end"
    )
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    if chosen.check:
        return check()
    environment = {
        "root_path": chosen.root_path,
        "samples_dir": chosen.samples,
        "unix_socket": chosen.unix_socket,
        "open_loopback": chosen.open_loopback or None,
        "allow_unconfined": chosen.allow_unconfined or None,
    }
    for unknown in unknown_settings():
        sys.stderr.write(f"iotriage serve: {unknown}\n")
    try:
        settings = Settings.model_validate({name: value for name, value in environment.items() if value is not None})
        if chosen.samples is not None and not is_folder(chosen.samples):
            return refuse("serve", f"--samples {chosen.samples}: there is no such folder")
        name_profiles_folder(settings.data_dir)
        check_own_sites()
        # A mistake in one is said now, and not by the first reply.
        templates_in(settings.replies)
        return serve(settings, chosen.host, chosen.port)
    except ValidationError as wrong:
        return refuse("serve", settings_error(wrong))
    except ValueError as problem:
        return refuse("serve", f"{problem}")


def serve(settings: Settings, host: str = DEFAULT_HOST, port: int = DEFAULT_PORT) -> int:
    """Serves until it is interrupted. Answers the exit status: bad use where the address is refused or taken.
    ValueError for settings with which it cannot start."""
    if settings.access == "local" and (settings.unix_socket is not None or not is_loopback(host)):
        return refuse("serve", _REFUSED.format(host=settings.unix_socket or host))
    confinement = available()
    if settings.access != "local" and not confinement.holds_strangers and not settings.allow_unconfined:
        missing = "\n".join(f"- {layer.says}" for layer in confinement.missing)
        return refuse("serve", _UNCONFINED.format(missing=missing))
    try:
        listening = listen(settings.unix_socket, host, port)
    except OSError as problem:
        where = settings.unix_socket or f"{host} port {port}"
        return refuse("serve", f"cannot listen on {where}: {_why(problem, settings.unix_socket)}")
    with listening:
        configure_logging(as_json=not sys.stderr.isatty())
        if not confinement.holds_strangers:
            log.warning("readers are not held", missing=[layer.says for layer in confinement.missing])
        application = create_app(settings.model_copy(update={"allowed_hosts": (*settings.allowed_hosts, host)}))
        if settings.samples_dir is not None and settings.samples is None:
            log.warning("no samples: the folder names none", folder=str(settings.samples_dir), lacks=SHOWCASE)
        # Here, where what is wrong with the database or the folder can be said in a sentence.
        application.state.services.open()
        _say_where(settings, host, listening, application.state.services)
        config = uvicorn.Config(
            application,
            http=GuardedProtocol,
            # Whom a proxy asks for is the application's to decide, by IOTRIAGE_TRUSTED_PROXIES.
            proxy_headers=False,
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=5,
        )
        uvicorn.Server(config).run(sockets=[listening])
    return DONE


def _why(problem: OSError, unix_socket: Path | None) -> str:
    """What the system says alone: Python adds the address, which is said already."""
    if unix_socket is not None and (there := _what_is_there(problem, unix_socket)) is not None:
        return there
    if problem.errno == errno.EADDRINUSE:
        return "it is in use; --port names another one, and --port 0 takes any that is free"
    if problem.errno is not None and problem.errno > 0:
        return os.strerror(problem.errno)
    return problem.strerror or str(problem)


def _what_is_there(problem: OSError, path: Path) -> str | None:
    """What stands where the socket was to be; None where that is not why it cannot be had."""
    if problem.errno == errno.EADDRINUSE:
        return "another server answers there" if path.is_socket() else "a file is there that is no socket"
    if problem.errno in (errno.EACCES, errno.EPERM) and _is_anothers(path):
        return f"a socket of {_owner(path)} is there; where no server of theirs runs any more, have it removed"
    return None


def _is_anothers(path: Path) -> bool:
    try:
        return path.is_socket() and path.stat().st_uid != os.geteuid()
    except OSError:
        return False


def _owner(path: Path) -> str:
    try:
        return path.owner()
    except (KeyError, OSError):
        return "another user"


def name_profiles_folder(data_dir: Path) -> None:
    """Where nobody says where the installation's own profiles of sites are, they are kept in the data folder."""
    if os.environ.get(OWN_SITES):
        return
    folder = data_dir / "sites"
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError:
        # Whether the data folder can be used is said where it is taken.
        return
    os.environ[OWN_SITES] = str(folder)


def listen(path: Path | None, host: str, port: int) -> socket.socket:
    """A socket of this file, or on this address. OSError where it cannot be had."""
    if path is None:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        # Connections have it from here. Without it, the second part of an answer waits some 40 ms for the first to be
        # acknowledged: asyncio sets it only where a socket names its protocol, which this one does not.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return listening
    if path.is_socket():
        if _is_answered(path):
            raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))
        # Of a server that was killed.
        path.unlink()
    listening = socket.socket(socket.AF_UNIX)
    # For its user and group: whoever opens it is believed.
    before = os.umask(0o117)
    try:
        listening.bind(str(path))
    finally:
        os.umask(before)
    # At once, as that of an address does: another that starts sees by it that somebody is here.
    listening.listen()
    return listening


def _is_answered(path: Path) -> bool:
    """Whether a server is behind the socket, also one to which as many connect as may wait (connect(2): EAGAIN)."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.setblocking(False)
        try:
            asking.connect(str(path))
        except ConnectionRefusedError:
            return False
        except BlockingIOError:
            return True
    return True


def _say_where(settings: Settings, host: str, listening: socket.socket, services: Services) -> None:
    """Prints the address. On a loopback that others may reach too, it opens the server once."""
    shown = f"[{host}]" if ":" in host else host
    address = settings.public_url or (
        str(settings.unix_socket)
        if settings.unix_socket
        else f"http://{shown}:{listening.getsockname()[1]}{settings.root_path}/"
    )
    if settings.access == "local" and not settings.open_loopback:
        address = one_time_address(services.database, address)
    print(f"IOtriage: {address}", flush=True)


def check() -> int:
    """Says what keeps in a reader that a log took over. Answers the exit status: findings where a layer is missing
    without which other machines are not to reach the server."""
    found = available()
    print(f"{found.kernel}, {found.architecture}")
    for layer in found.layers:
        mark = "in force" if layer.in_force else "MISSING"
        print(fill(layer.says, columns(None), initial_indent=f"{mark:<10}{layer.name:<12}", subsequent_indent=" " * 22))
    if found.holds_strangers:
        print("Landlock and seccomp are in force: others may be let in, IOTRIAGE_ACCESS=proxy or oidc.")
        return DONE
    print("Without Landlock and seccomp nobody else is let in, unless --allow-unconfined accepts that.")
    return FINDINGS


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def configure_logging(*, as_json: bool) -> None:
    """One line an event on standard error, from us and from the libraries: JSON for machines, columns for a person."""
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    # Without local variables: they hold what logs say, and settings.
    tracebacks = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
    shown: list[structlog.types.Processor] = (
        [structlog.processors.ExceptionRenderer(tracebacks), structlog.processors.JSONRenderer()]
        if as_json
        else [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    remove = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[remove, *shown]))
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    logging.getLogger("alembic").setLevel(logging.WARNING)
