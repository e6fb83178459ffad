"""What a diagnosis of each log by itself says: `python bench/load_expected.py FOLDER` prints a JSON object by name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import iotriage
from iotriage.reports.plain_json import as_json

PARTS = ("sentence", "findings", "metrics")


def said(document: dict[str, object]) -> list[object]:
    """What two documents of one log have to agree on: `PARTS`."""
    findings, headline, metrics = document["findings"], document["headline"], document["metrics"]
    assert isinstance(findings, list)
    assert isinstance(headline, dict)
    decided = [[f["rule"], f["verdict"], f["severity"], f["scope"]["label"]] for f in findings]
    return [headline["sentence"], decided, metrics]


def main() -> None:
    logs = sorted(Path(sys.argv[1]).iterdir())
    print(json.dumps({log.name: said(json.loads(as_json(iotriage.diagnose(log).document))) for log in logs}))


if __name__ == "__main__":
    main()
