"""A real nginx in front, as docs/deploy.md has it: it says who asks, whatever its clients say."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).parents[3]
LONGEST_S = 120.0
get, put, post = (partial(ask, verify=False) for ask in (httpx2.get, httpx2.put, httpx2.post))
"""Nothing here is encrypted, and to load which authorities there are takes longer than to ask."""

_CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {documented}
    location /careless/ {{
      auth_basic "IOtriage";
      auth_basic_user_file {folder}/people;
      proxy_set_header X-Remote-User $remote_user;
      proxy_pass http://unix:{folder}/socket:/iotriage/;
      proxy_set_header Host $host;
    }}
  }}
  server {{
    listen unix:{folder}/people.socket;
    root {folder};
    location = /people {{
      auth_basic "IOtriage";
      auth_basic_user_file {folder}/people;
      add_header X-User $remote_user;
      add_header X-Groups hpc;
    }}
  }}
}}
"""
LIMIT = 2 * 2**20


def _documented(folder: Path) -> str:
    """The lines for nginx of docs/deploy.md, with the sockets of the test."""
    (lines,) = re.findall(r"```\n(client_max_body_size .+?)```", (ROOT / "docs" / "deploy.md").read_text(), re.DOTALL)
    for documented, here in (
        ("http://unix:/run/iotriage/socket", f"http://unix:{folder}/socket"),
        ("http://127.0.0.1:4180/auth", f"http://unix:{folder}/people.socket:/people"),
    ):
        assert documented in lines
        lines = lines.replace(documented, here)
    return str(lines)


def _nginx() -> str:
    found = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin:{ROOT}/.boot/nginx/usr/sbin")
    if found is None:
        pytest.skip("no nginx is installed: apt-get install nginx-light")
    return found


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an nginx that lets alice and bob in, each with their name as password."""
    nginx, folder = _nginx(), tmp_path_factory.mktemp("nginx")
    with closing(socket.create_server(("127.0.0.1", 0))) as free:
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    (folder / "people").write_text("alice:{PLAIN}alice\nbob:{PLAIN}bob\n")
    (folder / "nginx.conf").write_text(_CONFIGURATION.format(folder=folder, port=port, documented=_documented(folder)))
    settings = {
        "ACCESS": "proxy",
        "UNIX_SOCKET": str(folder / "socket"),
        "ROOT_PATH": "/iotriage",
        "PUBLIC_URL": f"{address}/iotriage",
        "DATA_DIR": str(folder / "data"),
        "SAMPLES_DIR": str(folder / "no samples"),
        "ADMINISTRATORS": "root",
        "UPLOAD_LIMIT_BYTES": f"{LIMIT}",
        "ALLOW_UNCONFINED": "1",
    }
    environment = {**os.environ, **{f"IOTRIAGE_{name}": value for name, value in settings.items()}}
    serve = [sys.executable, "-c", "from iotriage.cli import main; main()", "serve"]
    with _running(serve, environment), _running([nginx, "-c", str(folder / "nginx.conf"), "-p", str(folder)]):
        _until(lambda: get(f"{address}/iotriage/healthz", auth=("alice", "alice")).status_code == 200)
        assert stat.S_IMODE((folder / "socket").stat().st_mode) == 0o660
        yield address


@contextmanager
def _running(command: list[str], environment: dict[str, str] | None = None) -> Iterator[None]:
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            yield
        finally:
            process.terminate()


def _until(answers: Callable[[], bool]) -> None:
    deadline = time.monotonic() + LONGEST_S
    while True:
        try:
            if answers():
                return
        except httpx2.HTTPError:
            pass
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _ask(address: str, who: str, path: str, headers: list[tuple[str, str]] | None = None) -> httpx2.Response:
    return get(f"{address}/iotriage/{path}", auth=(who, who), headers=headers)


def test_what_a_client_says_of_itself_is_taken_off(proxied: str) -> None:
    assert get(f"{proxied}/iotriage/api/v1/me").status_code == 401
    claims = [
        [("X-Remote-User", "root")],
        [("x-remote-user", "root"), ("X-REMOTE-USER", "root")],
        [("X_Remote_User", "root"), ("X-Remote-Groups", "operators"), ("X-Remote-Name", "Root")],
        [("X-Remote-User", "root, alice"), ("X-Forwarded-For", "127.0.0.1")],
    ]
    for claimed in ([], *claims):
        me = _ask(proxied, "alice", "api/v1/me", claimed).json()
        assert (me["id"], me["name"], me["role"]) == ("alice", "alice", "user"), claimed


def test_a_proxy_that_passes_a_header_on_is_the_one_that_is_warned_of(proxied: str) -> None:
    """What it sets itself holds; its clients choose what it forgot."""
    asked = {"X-Remote-User": "root", "X-Remote-Name": "Root"}
    me = get(f"{proxied}/careless/api/v1/me", auth=("alice", "alice"), headers=asked).json()
    assert (me["id"], me["name"]) == ("alice", "Root")


@pytest.mark.parametrize("given", ["whole", "in pieces"])
def test_an_upload_is_as_large_as_the_server_takes_it(proxied: str, given: str) -> None:
    """What nginx would refuse by itself passes, also where another asks who somebody is; what the server refuses, it
    says."""
    for size, status in ((LIMIT, 201), (LIMIT + 1, 413)):
        data = given.encode() + b" " * (size - len(given))
        pieces = (data[at : at + 2**16] for at in range(0, size, 2**16))
        address = f"{proxied}/iotriage/api/v1/sources/{hashlib.sha256(data).hexdigest()}"
        answer = put(address, content=data if given == "whole" else pieces, auth=("alice", "alice"))
        assert answer.status_code == status
        assert status == 201 or f"{LIMIT:,} bytes" in answer.json()["detail"]


def test_people_behind_it_see_their_own(proxied: str) -> None:
    data = b"a log\n"
    sha256 = hashlib.sha256(data).hexdigest()
    api, alice = f"{proxied}/iotriage/api/v1", ("alice", "alice")
    assert put(f"{api}/sources/{sha256}", content=data, auth=alice).status_code == 201
    given = {"sources": [{"sha256": sha256, "name": "job.txt"}]}
    case = post(f"{api}/cases", json=given, auth=alice).json()["id"]
    assert [_ask(proxied, who, f"api/v1/cases/{case}").status_code for who in ("alice", "bob")] == [200, 404]
    link = post(f"{api}/cases/{case}/links", json={}, auth=alice).json()["url"]
    assert link.startswith(f"{proxied}/iotriage/shared/")
    with httpx2.Client(auth=("bob", "bob"), follow_redirects=True, verify=False) as browser:
        assert browser.get(link).status_code == 200
        assert browser.get(f"{api}/cases/{case}").status_code == 200
