"""`iotriage serve`: the page and the API, on this machine."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import socket
import sys
from pathlib import Path
from textwrap import fill

import structlog
import uvicorn

from iotriage.api.app import create_app
from iotriage.api.guard.protocol import GuardedProtocol
from iotriage.cli import BAD_USE, DONE, FINDINGS
from iotriage.confinement.report import available
from iotriage.settings import Settings

log: structlog.stdlib.BoundLogger = structlog.get_logger()

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 8200

_REFUSED = """iotriage: other machines can reach {host}, and IOtriage asks nobody who they are: whoever reaches it
sees, changes and deletes every case. Put a proxy that authenticates in front and listen on 127.0.0.1, or say
--allow-remote (IOTRIAGE_ALLOW_REMOTE=1) if you mean it."""


_UNCONFINED = """iotriage: other machines can reach {host}, and this host lacks what keeps in a reader that a log took
over:
{missing}
Run it on a host that has it, or say --allow-unconfined (IOTRIAGE_ALLOW_UNCONFINED=1) if you trust whoever uploads."""


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("--host", default=DEFAULT_HOST, help=f"address to listen on (default: {DEFAULT_HOST})")
    command.add_argument("--port", type=int, default=DEFAULT_PORT, help=f"(default: {DEFAULT_PORT}; 0: any free one)")
    command.add_argument("--root-path", metavar="PATH", help="path under which a proxy shows the application")
    command.add_argument("--samples", metavar="FOLDER", type=Path, help="sample logs to show, with a showcase.toml")
    command.add_argument("--allow-remote", action="store_true", help="listen where other machines can reach it")
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
    given = {
        "root_path": chosen.root_path,
        "samples_dir": chosen.samples,
        "allow_remote": chosen.allow_remote or None,
        "allow_unconfined": chosen.allow_unconfined or None,
    }
    try:
        settings = Settings.model_validate({name: value for name, value in given.items() if value is not None})
        return serve(settings, chosen.host, chosen.port)
    except ValueError as problem:
        return _bad_use(f"iotriage: {problem}")


def serve(settings: Settings, host: str = DEFAULT_HOST, port: int = DEFAULT_PORT) -> int:
    """Serves until it is interrupted. Answers the exit status: bad use where the address is refused or taken.
    ValueError for settings with which it cannot start."""
    if not is_loopback(host) and not settings.allow_remote:
        return _bad_use(_REFUSED.format(host=host))
    confinement = available()
    if not is_loopback(host) and not confinement.holds_strangers and not settings.allow_unconfined:
        missing = "\n".join(f"- {layer.says}" for layer in confinement.missing)
        return _bad_use(_UNCONFINED.format(host=host, missing=missing))
    try:
        listening = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as problem:
        return _bad_use(f"iotriage: cannot listen on {host} port {port}: {problem.strerror}")
    with listening:
        configure_logging(as_json=not sys.stderr.isatty())
        if not confinement.holds_strangers:
            log.warning("readers are not held", missing=[layer.says for layer in confinement.missing])
        application = create_app(settings.model_copy(update={"allowed_hosts": (*settings.allowed_hosts, host)}))
        # Here, where what is wrong with the database or the folder can be said in a sentence.
        application.state.services.open()
        shown = f"[{host}]" if ":" in host else host
        print(f"IOtriage: http://{shown}:{listening.getsockname()[1]}{settings.root_path}/", flush=True)
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


def check() -> int:
    """Says what keeps in a reader that a log took over. Answers the exit status: findings where a layer is missing
    without which other machines are not to reach the server."""
    found = available()
    print(f"{found.kernel}, {found.architecture}")
    for layer in found.layers:
        mark = "in force" if layer.in_force else "MISSING"
        print(fill(layer.says, 100, initial_indent=f"{mark:<10}{layer.name:<12}", subsequent_indent=" " * 22))
    if found.holds_strangers:
        print(
            "Landlock and seccomp are in force: other machines may be let in, through a proxy that asks who they are."
        )
        return DONE
    print("Without Landlock and seccomp it listens on the loopback only, unless --allow-unconfined accepts that.")
    return FINDINGS


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def configure_logging(as_json: bool) -> None:
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


def _bad_use(message: str) -> int:
    print(message, file=sys.stderr)
    return BAD_USE
