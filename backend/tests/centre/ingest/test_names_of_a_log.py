"""One log under several names: what is said of it is what its best name says, whichever of them was read first."""

from __future__ import annotations

import gzip
import json
import shutil
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from centre_logs import Run, digest, put, rows, taken

from iotriage.centre.log_files import Shard
from iotriage.centre.report.log_details import document_of_log, log_details

RUN = Run(1)
PARTIAL, FINAL = f"{RUN.name}.darshan_partial", f"{RUN.name}_100.darshan"
SAID = "SELECT parse_filename(path), partial_log, size_bytes, runtime_s FROM logs"


@pytest.mark.parametrize("copied", [PARTIAL, FINAL])
def test_whichever_name_is_read_first_a_run_counts_once(tmp_path: Path, copied: str) -> None:
    """Also where somebody copied the log of the run, or what it had written before it ended."""
    contents = {PARTIAL: replace(RUN, writes=100).log(ended=False), FINAL: RUN.log()}
    contents["a-copy.darshan"] = contents[copied]
    said = []
    for at, order in enumerate(permutations(contents)):
        logs, warehouse = tmp_path / f"logs{at}", tmp_path / f"w{at}"
        for name in order:
            put(logs / "2026" / "11" / "20", name, contents[name])
            taken(logs, warehouse)
        said.append(rows(warehouse, SAID))
    assert said == [[(FINAL, False, len(contents[FINAL]), 100.0)]] * 6


def test_a_log_that_gets_its_last_name_is_partial_no_more(tmp_path: Path) -> None:
    """As Darshan renames it when the run has ended, and a centre packs it a week later: its row leads to it still."""
    folder, warehouse = tmp_path / "logs" / "2026" / "11" / "20", tmp_path / "w"
    running = put(folder, PARTIAL, RUN.log())
    taken(tmp_path / "logs", warehouse)
    assert [partial for _, partial, *_ in rows(warehouse, SAID)] == [True]
    ended = running.rename(folder / FINAL)
    taken(tmp_path / "logs", warehouse)
    ((day, log, partial),) = rows(warehouse, 'SELECT day, "row", partial_log FROM logs')
    found = log_details(warehouse, day, log)
    assert found is not None
    assert (partial, found.row.partial_log, found.gone, found.path) == (False, False, None, str(ended))
    packed = put(folder, f"{FINAL}.gz", gzip.compress(ended.read_bytes(), mtime=0))
    ended.unlink()
    taken(tmp_path / "logs", warehouse)
    found = log_details(warehouse, day, log)
    assert found is not None
    assert (found.gone, found.path, found.size_bytes) == (None, str(packed), packed.stat().st_size)
    packed.unlink()
    found = log_details(warehouse, day, log)
    assert found is not None
    assert (found.gone, found.path) == ("The log is not there any more.", str(ended))


def test_what_a_run_had_written_before_it_ended_is_no_step_beside_its_log(tmp_path: Path) -> None:
    folder, warehouse = tmp_path / "logs" / "2026" / "11" / "20", tmp_path / "w"
    put(folder, PARTIAL, replace(RUN, writes=100).log())
    put(folder, FINAL, RUN.log())
    taken(tmp_path / "logs", warehouse)
    ((day, log),) = rows(warehouse, 'SELECT day, "row" FROM logs')
    found = log_details(warehouse, day, log)
    assert found is not None
    assert found.steps == ()


def test_in_whichever_order_copies_come_the_warehouse_says_the_same(tmp_path: Path) -> None:
    """Down to the row's name, by which links lead to it, and to what the document calls its source."""
    copies = {FINAL: RUN.log(), "a-copy.darshan": RUN.log("bzip2"), "z.darshan.gz": gzip.compress(RUN.log("none"))}
    said = []
    for first in copies:
        logs, warehouse = tmp_path / "logs", tmp_path / first
        for names in ([first], copies):
            for name in names:
                put(logs / "2026" / "11" / "20", name, copies[name])
            taken(logs, warehouse)
        said.append(digest(warehouse))
        ((day, log, document),) = rows(warehouse, 'SELECT day, "row", document FROM documents')
        named = [(source["name"], source["size_bytes"]) for source in json.loads(str(document))["sources"]]
        assert named == [(FINAL, len(copies[FINAL]))]
        assert document_of_log(warehouse, day, log) == document
        shutil.rmtree(logs)
    assert said == [said[0]] * 3


def test_shards_that_each_read_a_copy_say_it_once(tmp_path: Path) -> None:
    """They ran at once, and neither saw what the other wrote."""
    folder = tmp_path / "logs" / "2026" / "11" / "20"
    for name in (FINAL, *(f"copy{number}.darshan" for number in range(8))):
        put(folder, name, RUN.log())
    once, both = tmp_path / "once", tmp_path / "both"
    taken(tmp_path / "logs", once)
    for index in range(2):
        alone = tmp_path / f"shard{index}"
        assert taken(tmp_path / "logs", alone, shard=Shard(index, 2)).read == 1
        shutil.copytree(alone, both, dirs_exist_ok=True)
    assert digest(both) == digest(once)
