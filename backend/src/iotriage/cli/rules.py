"""`iotriage rules` lists the diagnoses, their thresholds, and who states them."""

from __future__ import annotations

import argparse
import json
import sys
from textwrap import fill

from iotriage.cli import DONE
from iotriage.cli.output import columns
from iotriage.rules import all_rules
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.rule import Rule
from iotriage.rules.core.words import exact_quantity


def declare(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("text", "json"), default="text", help="what to print (default: text)")
    command.set_defaults(run=run)


def run(chosen: argparse.Namespace) -> int:
    rules = list(all_rules().values())
    sys.stdout.write(_as_json(rules) if chosen.format == "json" else "\n".join(_as_text(r) for r in rules))
    return DONE


def _as_text(rule: Rule) -> str:
    lines = [fill(f"{rule.id}  ({rule.severity}) {rule.title}", columns(None), subsequent_indent="    ")]
    for t in rule.thresholds:
        ours = (
            "no document states a number: ours" if t.stated_by.document == "project" else _cited(t.stated_by.document)
        )
        words = f"{t.title}: {exact_quantity(t.default, t.unit)} [{ours}, {t.stated_by.section}]"
        lines.append(fill(words, columns(None), initial_indent="    ", subsequent_indent="        "))
    cited = "; ".join(f"{_cited(c.document)}, {c.section}" for c in rule.citations)
    lines.append(fill(f"see {cited}", columns(None), initial_indent="    ", subsequent_indent="        "))
    return "\n".join(lines) + "\n"


def _cited(document: str) -> str:
    return DOCUMENTS[document].title if document in DOCUMENTS else document


def _as_json(rules: list[Rule]) -> str:
    return (
        json.dumps(
            [
                {
                    "id": r.id,
                    "title": r.title,
                    "scope": r.scope,
                    "severity": r.severity,
                    "explains": r.explains,
                    "thresholds": [
                        {
                            "id": t.id,
                            "title": t.title,
                            "default": t.default,
                            "unit": t.unit,
                            "stated_by": {
                                "document": t.stated_by.document,
                                "section": t.stated_by.section,
                                "says": t.stated_by.says,
                            },
                        }
                        for t in r.thresholds
                    ],
                    "citations": [{"document": c.document, "section": c.section} for c in r.citations],
                }
                for r in rules
            ],
            indent=2,
            ensure_ascii=False,
        )
        + "\n"
    )
