"""The generated pages of the rules."""

from __future__ import annotations

import re

from iotriage.rules import all_rules
from iotriage.rules.core.pages import index, page, write


def test_every_rule_has_a_page_and_stands_in_the_index(tmp_path):
    write(tmp_path / "rules")
    assert {p.name for p in (tmp_path / "rules").iterdir()} == {"index.md", *(f"{r}.md" for r in all_rules())}
    assert all(f"({r}.md)" in index() for r in all_rules())


def test_a_page_gives_every_threshold_with_its_source_and_every_metric():
    for rule in all_rules().values():
        text = page(rule)
        for threshold in rule.thresholds:
            assert f"| `{threshold.id}` |" in text
            assert threshold.stated_by.says.split("|")[0].strip() in text
        assert "## What to do" in text
        assert "## Sources" in text


def test_links_lead_to_pages_that_are_written():
    for rule in all_rules().values():
        linked = set(re.findall(r"\]\(([a-z-]+)\.md\)", page(rule)))
        assert linked <= set(all_rules())


def test_our_own_numbers_are_said_to_be_ours():
    assert "ours: no document states a number" in page(all_rules()["write-gaps"])
    assert "ARCHER Best Practice Guide" in page(all_rules()["ssf-understriped"])


def test_a_long_condition_is_folded_and_a_short_one_is_not():
    long, short = page(all_rules()["lock-contention"]), page(all_rules()["write-gaps"])
    assert "<details><summary>It applies where: 10 comparisons</summary>\n\n- all of\n" in long
    assert long.count("<details>") == long.count("\n\n</details>\n") == 2
    assert "<details>" not in short


def test_that_records_are_missing_is_no_way_in_which_a_rule_holds():
    assert "\n  - or else, where `evidence.records_missing` is absent, nobody knows\n" in page(all_rules()["serial-io"])
    assert not [rule.id for rule in all_rules().values() if "records_missing` is yes" in page(rule)]
