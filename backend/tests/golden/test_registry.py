"""What holds for every reader and every rule without anybody listing them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import get_args

import pytest
from samples import SAMPLE_LOGS, cases

from iotriage import metrics, rules
from iotriage.analysis.decision.evidence_headlines import BENCHMARK_ALONE
from iotriage.rules import all_rules
from iotriage.sites import all_sites
from iotriage_parsers import readers
from iotriage_parsers.detect import block_readers, read, whole_file_readers
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.evidence.benchmark_rates import RatesTool
from iotriage_parsers.reader import Reader
from iotriage_parsers.text.blocks import BlockReader


@cache
def verdicts() -> dict[str, dict[str, set[str]]]:
    """For every rule and verdict, the samples on which it says so, as the committed files have it."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for case in cases():
        said = json.loads(case.golden_file("findings.json").read_text(encoding="utf-8"))
        for finding in said["triggered"]:
            found[finding["rule"]]["triggered"].add(str(case))
        for verdict in ("clear", "error"):
            for named in said[verdict]:
                found[named.split(" ")[0]][verdict].add(str(case))
    return found


def found_by(reader: Reader | BlockReader, sources: Iterable[Path]) -> bool:
    """Whether the reader found something of its own; a text is named after the most telling of its readers only."""
    for path in sources:
        with path.open("rb") as source:
            found = read(source)
        if isinstance(found, Evidence) and found.parts:
            own = found.reader == reader.id if isinstance(reader, Reader) else reader.describe(found.parts)
            if own:
                return True
    return False


@pytest.mark.parametrize("reader", [*whole_file_readers(), *block_readers()], ids=lambda reader: reader.id)
def test_every_reader_has_a_sample_of_its_own(reader: Reader | BlockReader) -> None:
    assert found_by(reader, (source for case in cases() if case.format == reader.id for source in case.sources))


@pytest.mark.parametrize("tool", get_args(RatesTool))
def test_a_result_of_a_benchmark_is_called_one(tool: str) -> None:
    """Whoever gave it would else be told that it holds nothing, and asked for the log of a job."""
    said = [
        case.golden_file("findings.json").read_text(encoding="utf-8") for case in cases() if case.format == tool.lower()
    ]
    assert said
    assert {json.loads(text)["headline"]["sentence"] for text in said} == {BENCHMARK_ALONE}


OF_OWN_MEASUREMENTS = {"slow-opens"}
"""No shipped profile has rates of file operations; tests/sites holds these over profiles that a centre made itself."""
SHOWN = [r for r in all_rules().values() if r.scope != "run-set" and r.id not in OF_OWN_MEASUREMENTS]


def test_no_shipped_profile_has_rates_of_file_operations() -> None:
    assert not [site.id for site in all_sites().values() if site.operation_rates]


@pytest.mark.parametrize("rule", SHOWN, ids=lambda rule: rule.id)
def test_every_rule_fires_on_some_sample_and_stays_clear_on_another(rule) -> None:
    assert verdicts()[rule.id]["triggered"], f"no sample on which {rule.id} fires"
    assert verdicts()[rule.id]["clear"] - verdicts()[rule.id]["triggered"], f"no sample on which {rule.id} stays clear"


def test_no_rule_fails_on_any_sample() -> None:
    assert not {rule: by["error"] for rule, by in verdicts().items() if by["error"]}


@pytest.mark.parametrize("package", [readers, metrics, rules], ids=lambda package: package.__name__)
def test_no_module_stands_where_discovery_does_not_look(package: ModuleType) -> None:
    """Without `__init__.py` a folder is not walked: its metrics or rules would be missing, and nobody told."""
    folders = {module.parent for root in package.__path__ for module in Path(root).rglob("*.py")}
    assert not [str(folder) for folder in folders if not (folder / "__init__.py").exists()]


def test_no_sample_is_left_out_for_want_of_its_origin() -> None:
    folders = {f for f in SAMPLE_LOGS.glob("*/*") if f.is_dir() and f.parent.name != "src"}
    assert not folders - {case.folder for case in cases()}
