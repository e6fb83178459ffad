"""What holds for every reader and every rule without anybody listing them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from samples import cases

from iotriage.rules import all_rules
from iotriage_parsers.detect import block_readers, read, whole_file_readers
from iotriage_parsers.evidence import Evidence
from iotriage_parsers.reader import Reader
from iotriage_parsers.text.blocks import BlockReader


@cache
def verdicts() -> dict[str, dict[str, set[str]]]:
    """For every rule and verdict, the samples on which it says so, as the committed files have it."""
    found: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for case in cases():
        said = json.loads(case.said("findings.json").read_text(encoding="utf-8"))
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


@pytest.mark.parametrize("rule", [r for r in all_rules().values() if r.scope != "run-set"], ids=lambda rule: rule.id)
def test_every_rule_fires_on_some_sample_and_stays_clear_on_another(rule) -> None:
    assert verdicts()[rule.id]["triggered"], f"no sample on which {rule.id} fires"
    assert verdicts()[rule.id]["clear"] - verdicts()[rule.id]["triggered"], f"no sample on which {rule.id} stays clear"


def test_no_rule_fails_on_any_sample() -> None:
    assert not {rule: by["error"] for rule, by in verdicts().items() if by["error"]}
