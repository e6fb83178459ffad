"""What docs/deploy.md has a backup hold is what the data folder keeps."""

from __future__ import annotations

import re
from pathlib import Path

from ..conftest import BALANCED
from ..real_server import RealServer

DEPLOYING = Path(__file__).parents[4] / "docs" / "deploy.md"
OF_A_PROCESS = re.compile(r".*(\.lock|-wal|-shm)")


def test_a_backup_has_all_that_the_data_folder_keeps(server: RealServer) -> None:
    """Whoever copies what the text names, while the server runs, leaves nothing behind."""
    server.give(BALANCED)
    kept = {entry.name for entry in server.data.iterdir() if not OF_A_PROCESS.fullmatch(entry.name)}
    assert {"iotriage.sqlite3", "sources", "sites"} <= kept
    section = DEPLOYING.read_text("utf-8").partition("\n## Backup\n")[2].partition("\n## ")[0]
    # In its code alone: a sentence that has the word does not say that the folder is copied.
    named = {word for code in re.findall("`([^`]+)`", section) for word in code.split()}
    assert kept - named == set()
