"""What an installation can be told stands in one table, and the container passes all of it on."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from iotriage.settings import Settings

ROOT = Path(__file__).parents[2]
NAMES = {f"IOTRIAGE_{name.upper()}" for name in Settings.model_fields}
ELSEWHERE = {"IOTRIAGE_SITES"}
"""Read where it is used, by the command line too."""
NOT_IN_A_CONTAINER = {"IOTRIAGE_DATA_DIR", "IOTRIAGE_SAMPLES_DIR", "IOTRIAGE_OPEN_LOOPBACK"}
"""The first two the image says; the third lets in everybody."""
UNITS = {"": 1, " s": 1, " MiB": 2**20, " GiB": 2**30}
SECRET = {"IOTRIAGE_OIDC_CLIENT_SECRET", "IOTRIAGE_SESSION_KEYS"}
"""A file each, where somebody needs them: a compose file cannot name one that may be missing."""


def test_every_setting_is_a_row_and_every_row_a_setting() -> None:
    named = [name for names, _ in _rows() for name in names]
    assert sorted(named) == sorted(NAMES | ELSEWHERE)


def test_a_number_in_the_table_is_the_default() -> None:
    said = {
        name: float(number) * UNITS[unit]
        for names, defaults in _rows()
        for name, default in zip(names, defaults.split(", "), strict=False)
        if (found := re.fullmatch(r"(\d+)( s| MiB| GiB)?", default)) is not None
        for number, unit in [found.groups(default="")]
    }
    assert {"IOTRIAGE_WORKERS", "IOTRIAGE_WARM_SECONDS", "IOTRIAGE_UPLOAD_LIMIT_BYTES"} <= said.keys()
    defaults = {f"IOTRIAGE_{name.upper()}": field.default for name, field in Settings.model_fields.items()}
    assert said == {name: float(defaults[name]) for name in said}


def test_the_container_is_told_every_setting() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
    app = compose["services"]["app"]
    told = {str(one).partition("=")[0] for one in app["environment"]} | {name.upper() for name in app["secrets"]}
    assert sorted(NAMES - told - SECRET - NOT_IN_A_CONTAINER) == []
    assert sorted(told - NAMES) == []


def test_a_secret_may_be_a_file(tmp_path: Path) -> None:
    (tmp_path / "iotriage_database_url").write_text("postgresql://iotriage:word@database/iotriage\n")
    (tmp_path / "iotriage_oidc_client_secret").write_text("a word")
    settings = Settings(_secrets_dir=tmp_path)
    assert settings.database == "postgresql://iotriage:word@database/iotriage"
    assert settings.oidc_client_secret == "a word"


def _rows() -> list[tuple[list[str], str]]:
    """The names of each row, and what holds where they are not set."""
    text = (ROOT / "docs" / "deploy.md").read_text("utf-8")
    table = text[text.index("## Settings") :]
    rows = [line.split("|") for line in table[: table.index("\n## ")].splitlines() if line.startswith("| `IOTRIAGE")]
    return [(_whole(re.findall(r"`([A-Z_-]+)`", cells[1])), cells[2].strip()) for cells in rows]


def _whole(names: list[str]) -> list[str]:
    """`IOTRIAGE_PROXY_USER_HEADER`, `-Name` …: all begin alike."""
    return [name for name in names if name.startswith("IOTRIAGE_")]
