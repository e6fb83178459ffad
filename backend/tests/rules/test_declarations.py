"""What must hold of every rule, without this file being edited when one is added."""

from __future__ import annotations

import ast
from dataclasses import fields, replace
from graphlib import TopologicalSorter
from math import log2
from pathlib import Path

import pytest

from iotriage import rules
from iotriage.metrics import all_metrics
from iotriage.metrics.core.averages import A_FEW_SMALLER, OF_AN_AVERAGE
from iotriage.metrics.file.home import OF_CELLS
from iotriage.rules import BadRuleError, all_rules, all_thresholds, check, docstring
from iotriage.rules.core import Citation, Context, Rule, Threshold, ours, share_of_job
from iotriage.rules.core.cell_names import CELL_NAMES
from iotriage.rules.core.claim import metrics_of_claim
from iotriage.rules.core.condition import ALWAYS, AllOf, Compare, IsOneOf, Present, leaves_of, metrics_of, thresholds_of
from iotriage.rules.core.documents import DOCUMENTS, PROJECT
from iotriage.rules.core.slider import linear
from iotriage.sites import all_sites
from iotriage.sites.mounts import kind_of, types_of

RULES = all_rules()
every_rule = pytest.mark.parametrize("rule", RULES.values(), ids=RULES)


def test_the_first_fifteen_are_there():
    assert len(RULES) >= 15
    assert list(RULES) == sorted(RULES)


@every_rule
def test_looks_only_at_metrics_that_exist(rule):
    used = {m for c in rule.conditions for m in metrics_of(c)}.union(*map(metrics_of_claim, rule.claims))
    assert used <= set(all_metrics())


@every_rule
def test_a_rule_about_the_job_looks_at_metrics_of_the_job(rule):
    if rule.scope in ("job", "run-set"):
        used = {m for c in rule.conditions for m in metrics_of(c)}.union(*map(metrics_of_claim, rule.claims))
        assert {m for m in used if rule.scope not in all_metrics()[m].scopes} == set()


@every_rule
def test_compares_each_metric_with_a_threshold_of_its_unit(rule):
    units = {t.id: t.unit for t in rule.thresholds}
    compared = [leaf for c in rule.conditions for leaf in leaves_of(c) if isinstance(leaf, Compare)]
    assert [c for c in compared if all_metrics()[c.metric].unit != units[c.threshold]] == []


@every_rule
def test_every_threshold_says_whose_it_is_and_what_they_say(rule):
    for threshold in rule.thresholds:
        source = threshold.stated_by
        assert source.document == PROJECT or source.document in DOCUMENTS
        assert source.section.strip()
        assert source.says.endswith(".")
        assert threshold.minimum < threshold.maximum
        assert threshold.scale == "linear" or threshold.minimum > 0


@every_rule
def test_a_threshold_between_0_and_1_is_of_a_share(rule):
    """It is what a threshold has whose range nobody stated."""
    for threshold in rule.thresholds:
        assert (threshold.minimum, threshold.maximum) != (0, 1) or threshold.unit in ("share", "ratio"), threshold.id


@every_rule
def test_a_threshold_stands_apart_from_the_ends_of_its_scale_or_on_one(rule):
    """A second on a line of an hour is drawn as nothing, and no slider can move it."""
    for threshold in rule.thresholds:
        at = (threshold.default - threshold.minimum) / (threshold.maximum - threshold.minimum)
        assert threshold.scale == "log" or at in (0, 1) or 0.02 <= at <= 0.98, threshold.id


@every_rule
def test_explains_known_rules_farther_from_the_root(rule):
    for other in rule.explains:
        assert other in RULES
        assert RULES[other].priority > rule.priority


def test_explaining_goes_round_in_no_circle():
    TopologicalSorter({r.id: r.explains for r in RULES.values()}).prepare()


@every_rule
def test_the_docstring_is_a_page(rule):
    page = docstring(rule.id)
    headings = [line for line in page.splitlines() if line.startswith("#")]
    assert headings == ["## What it does", "## Why it matters", "## What to do", "## Limits"]
    assert page.splitlines()[0].endswith(".")


def test_only_the_rules_about_the_case_are_not_weighed():
    about_the_case = {"io-not-the-bottleneck", "partial-evidence", "statistics-not-printed", "dvs-striping-warning"}
    about_the_case |= {"impossible-times", "calls-side-by-side", "benchmark-read-back"}
    beyond_speed = {"io-errors", "shared-lock-mode-unsafe", "iobuf-shared-file"}
    weighed_by_their_own_threshold = {r.id for r in RULES.values() if r.scope == "run-set"}
    unweighed = {r.id for r in RULES.values() if not r.weighed}
    assert unweighed == about_the_case | beyond_speed | weighed_by_their_own_threshold


def test_sites_cite_known_documents_and_set_known_thresholds_within_their_range():
    for site in all_sites().values():
        sources = [o.source for o in site.thresholds] + [e.source for e in site.environment]
        sources += [f.source for f in site.file_systems if f.source is not None]
        assert {s.document for s in sources} <= {*DOCUMENTS, PROJECT}, site.id
        for override in site.thresholds:
            threshold = all_thresholds()[override.threshold]
            assert threshold.minimum <= override.value <= threshold.maximum, (site.id, threshold.id)
            assert override.why.strip()


SOUND = RULES["write-gaps"]
OURS = ours("a test", "A number for the test.")


def undeclared(threshold_id):
    return Threshold(id=threshold_id, title="x", default=1, unit="1", stated_by=OURS, slider=linear(0, 2))


def test_a_sound_rule_passes():
    check(SOUND, "write_gaps")


@pytest.mark.parametrize(
    ("rule", "module", "reason"),
    [
        (SOUND, "gaps", "must be the file's name"),
        (replace(SOUND, thresholds=()), "write_gaps", "used but not declared"),
        (replace(SOUND, thresholds=SOUND.thresholds * 2), "write_gaps", "declared twice"),
        (
            replace(SOUND, thresholds=(*SOUND.thresholds, undeclared("write-gaps.x"))),
            "write_gaps",
            "declared but not used: write-gaps.x",
        ),
        (
            replace(SOUND, thresholds=(*SOUND.thresholds, undeclared("gaps.x"))),
            "write_gaps",
            "does not begin with the rule's: gaps.x",
        ),
        (
            replace(SOUND, thresholds=tuple(replace(t, default=99.0) for t in SOUND.thresholds)),
            "write_gaps",
            "outside their own range",
        ),
        (
            replace(SOUND, thresholds=tuple(replace(t, stated_by=replace(OURS, says=" ")) for t in SOUND.thresholds)),
            "write_gaps",
            "without a statement in words",
        ),
        (replace(SOUND, citations=(Citation("nobody", "1"),)), "write_gaps", "unknown documents: nobody"),
        (replace(SOUND, citations=()), "write_gaps", "no citation"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(rule, module, reason):
    with pytest.raises(BadRuleError, match=reason):
        check(rule, module)


@every_rule
def test_what_it_compares_with_is_what_it_declares(rule):
    used = {t for c in rule.conditions for t in thresholds_of(c)}
    assert used == {t.id for t in rule.thresholds}


def test_what_files_must_carry_is_added_to_what_the_rule_requires_itself():
    bare = {
        name: getattr(SOUND, name) for name in ("title", "clear_title", "scope", "severity", "priority", "citations")
    }
    bare |= {"id": "x", "condition": ALWAYS, "says": SOUND.says}
    weight = share_of_job("x")
    alone = Rule(**bare, carries=share_of_job)
    assert (alone.requires, alone.thresholds) == (AllOf((weight.condition,)), weight.thresholds)
    one = Rule(**bare, requires=Present("io.bytes"), carries=share_of_job)
    assert one.requires == AllOf((Present("io.bytes"), weight.condition))
    assert Rule(**bare, requires=AllOf((Present("io.bytes"),)), carries=share_of_job) == one
    renamed = replace(one, title="y")
    assert (renamed.requires, renamed.worth) == (one.requires, weight.condition)
    unweighed = Rule(**bare, requires=Present("io.bytes"))
    assert (unweighed.requires, unweighed.worth) == (Present("io.bytes"), ALWAYS)


def test_thresholds_and_rules_name_their_arguments():
    for declared in (Threshold, Rule):
        with pytest.raises(TypeError, match="positional"):
            declared("x")


def test_words_and_advice_are_given_no_thresholds():
    assert not any("threshold" in field.name for field in fields(Context))


@every_rule
def test_what_is_not_split_is_claimed_by_no_rule_and_what_is_not_about_the_io_claims_nothing(rule):
    assert not any("not_split" in claim.cells for claim in rule.claims)
    assert rule.weighed or rule.claims == ()


def ways_to_apply(condition):
    """The sets of metrics of which each is enough for the condition to hold."""
    if condition.kind == "any_of":
        return {way for part in condition.of for way in ways_to_apply(part)}
    if condition.kind == "all_of":
        found = {frozenset()}
        for part in condition.of:
            found = {one | other for one in found for other in ways_to_apply(part)}
        return found
    return {frozenset((condition.metric,))}


def answer_without_values(condition, there):
    """Of metrics that are `there` nobody knows what they are; all others are absent."""
    if condition.kind == "present":
        return condition.metric in there
    if condition.kind in ("compare", "is_one_of"):
        return None
    settles = condition.kind == "any_of"
    found = [answer_without_values(part, there) for part in condition.of]
    return settles if settles in found else None if None in found else not settles


@every_rule
def test_no_rule_is_clear_where_nothing_that_it_compares_is_there(rule):
    compared = {leaf.metric for leaf in leaves_of(rule.condition) if isinstance(leaf, Compare)}
    for there in ways_to_apply(rule.requires) if rule.id != "partial-evidence" else ():
        assert compared & there or answer_without_values(rule.condition, there) is not False, sorted(there)


def test_a_cell_of_the_account_has_one_name() -> None:
    """Metrics stand below the rules, which name the cells, and so say the names themselves."""
    assert OF_CELLS.items() <= CELL_NAMES.items()


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_a_file_system_is_meant_by_all_names_that_its_mounts_have(rule: Rule) -> None:
    """An mmfs is a gpfs, and an fhgfs a BeeGFS."""
    for leaf in (*leaves_of(rule.requires), *leaves_of(rule.condition)):
        if isinstance(leaf, IsOneOf) and leaf.metric.endswith("mount_type"):
            kinds = {kind for word in leaf.words if (kind := kind_of(word)) not in ("unknown", "local", "other")}
            assert set(types_of(*kinds)) <= set(leaf.words)


def test_a_threshold_of_an_average_says_why_it_is_not_the_round_size_that_it_speaks_of():
    averages = {
        t.id: t.stated_by.says
        for t in all_thresholds().values()
        if t.unit == "B" and is_power(t.default / A_FEW_SMALLER)
    }
    assert {"small-io.average-size", "stdio-heavy.buffer"} <= averages.keys()
    # What a document states is its number.
    assert all(all_thresholds()[id].stated_by.document == PROJECT for id in averages)
    of_blocks = [all_thresholds()["misaligned-io.write-over-block"].stated_by.says]
    assert all(says.endswith(OF_AN_AVERAGE) for says in [*averages.values(), *of_blocks])


def test_which_way_it_is_follows_the_thresholds_in_force() -> None:
    """What compares with a threshold's default forgets what a site has set: `Context.holds` does not."""
    folder = Path(rules.__file__).parent
    modules = [path for path in folder.glob("*/**/*.py") if path.relative_to(folder).parts[0] != "core"]
    by_default = {
        f"{path.relative_to(folder)}:{node.lineno}"
        for path in modules
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr == "default"
    }
    assert len(modules) > 80
    assert by_default == set()


def is_power(size: float) -> bool:
    return size > 0 and log2(size).is_integer()
