"""The diagnoses, a folder for each theme: every module below that exports `rule` is one. `all_rules` finds and checks
them.

To add one, write `<theme>/<id>.py`:

1. its docstring, which is its page: what it does, why it matters, what to do, limits;
2. its thresholds, each `Threshold(id="<id>.<name>", …, stated_by=…)`: a `Statement` of a document, or `ours(…)`;
3. `says(context)`, the words, and `advise(context)`, what to do as actions: both from the evidence alone;
4. `rule = Rule(…)`: what it `requires`, the weight that its files must have (`carries=share_of_job`), the `condition`,
   what it `explains`, and the seconds that it `claims`. What is left out is the usual.

`Rule`, `Threshold`, `advice` and their like come from `iotriage.rules.core`; conditions, actions and words from its
modules of these names. What rules advise alike is in `iotriage.rules.advice`."""

from __future__ import annotations

import importlib
import json
import pkgutil
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from iotriage.rules.core.condition import leaves_of, thresholds_of
from iotriage.rules.core.documents import DOCUMENTS, PROJECT
from iotriage.rules.core.rule import Rule, Threshold


class BadRuleError(ValueError):
    """A rule that contradicts its own declaration; the message names the rule and what is wrong."""


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by id, in the order of the ids. BadRuleError when one of them is not sound."""
    return {rule.id: rule for rule in sorted((rule for rule, _ in _load_rules()), key=lambda rule: rule.id)}


@cache
def _load_rules() -> tuple[tuple[Rule, str], ...]:
    """The rules, each with the docstring of its module."""
    found: dict[str, tuple[Rule, str]] = {}
    for name in sorted(m.name for m in pkgutil.walk_packages(__path__, f"{__name__}.") if not m.ispkg):
        module = importlib.import_module(name)
        rule = getattr(module, "rule", None)
        if isinstance(rule, Rule):
            check(rule, name.rpartition(".")[2])
            if rule.id in found:
                raise BadRuleError(f"{name}: there is another rule {rule.id}")
            found[rule.id] = (rule, module.__doc__ or "")
    return tuple(found.values())


@cache
def _themes() -> Mapping[str, str]:
    """The folder of each rule by the rule's id."""
    modules = (m.name.rsplit(".", 2) for m in pkgutil.walk_packages(__path__, f"{__name__}.") if not m.ispkg)
    return {module.replace("_", "-"): theme for _, theme, module in modules}


def theme_of(rule_id: str) -> str | None:
    """ "collective", "metadata", …: None for a rule that there is no more."""
    return _themes().get(rule_id)


@cache
def rules_of_run_sets() -> tuple[Rule, ...]:
    """The rules that decide on several cases held side by side."""
    return tuple(rule for rule in all_rules().values() if rule.scope == "run-set")


@cache
def all_thresholds() -> Mapping[str, Threshold]:
    """Every declared threshold by id."""
    return {t.id: t for rule in all_rules().values() for t in rule.thresholds}


@cache
def compared_metrics() -> tuple[str, ...]:
    """The ids of the metrics by which a finding about one case is decided, in their order."""
    found = (leaf.metric for r in all_rules().values() if r.scope != "run-set" for leaf in leaves_of(r.condition))
    return tuple(sorted(set(found)))


@cache
def docstring(rule_id: str) -> str:
    """The page of a rule: the docstring of its module. KeyError for an unknown rule."""
    return {rule.id: text for rule, text in _load_rules()}[rule_id]


def page_of(rule_id: str) -> str:
    """What a person reads of a rule: its docstring, and what it says of a sample where it speaks of one. KeyError for
    an unknown rule."""
    page = docstring(rule_id).rstrip()
    example = _examples().get(rule_id)
    return f"{page}\n\n## An example\n{example}\n" if example is not None else f"{page}\n"


@cache
def _examples() -> Mapping[str, str]:
    """By rule, in Markdown; `docs/generate.py` takes them from the findings of the samples."""
    found: dict[str, str] = json.loads((Path(__file__).parent / "examples.json").read_text("utf-8"))
    return found


def check(rule: Rule, module_name: str) -> None:
    """Holds what a rule says of itself against itself. BadRuleError names the first thing that is wrong."""
    if rule.id != module_name.replace("_", "-"):
        raise BadRuleError(f"{module_name}.py: the rule's id is {rule.id!r}; it must be the file's name")
    declared = [t.id for t in rule.thresholds]
    used = {t for c in rule.conditions for t in thresholds_of(c)}
    _refuse(rule, "thresholds declared twice", (t for t in set(declared) if declared.count(t) > 1))
    _refuse(rule, "thresholds whose id does not begin with the rule's", (t for t in declared if not _is_own(t, rule)))
    _refuse(rule, "thresholds used but not declared", used.difference(declared))
    _refuse(rule, "thresholds declared but not used", set(declared).difference(used))
    _refuse(rule, "thresholds outside their own range", (t.id for t in rule.thresholds if not _in_range(t)))
    _refuse(
        rule, "thresholds without a statement in words", (t.id for t in rule.thresholds if not t.stated_by.says.strip())
    )
    _refuse(rule, "unknown documents", _documents(rule).difference(DOCUMENTS, (PROJECT,)))
    if not rule.citations:
        raise BadRuleError(f"{rule.id}: no citation")


def _refuse(rule: Rule, what: str, names: Iterable[str]) -> None:
    wrong = sorted(names)
    if wrong:
        raise BadRuleError(f"{rule.id}: {what}: {', '.join(wrong)}")


def _is_own(threshold_id: str, rule: Rule) -> bool:
    return threshold_id.startswith(f"{rule.id}.")


def _in_range(threshold: Threshold) -> bool:
    return threshold.minimum <= threshold.default <= threshold.maximum


def _documents(rule: Rule) -> set[str]:
    return {one.document for one in rule.sections}
