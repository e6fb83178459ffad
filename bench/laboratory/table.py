"""What an experiment's outcomes come to, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from .experiment import Outcome

AIMS = {"known": 0.95, "unknown": 0.90, "faultless": 0.98, "two": 0.90}


def table(title: str, outcomes: Sequence[Outcome]) -> str:
    return "\n".join(_lines(title, outcomes))


def _lines(title: str, outcomes: Sequence[Outcome]) -> Iterator[str]:
    yield f"\n{title}: {len(outcomes)} jobs"
    words = {
        "known": "known single faults that lead",
        "unknown": "unknown faults with nothing wrong named",
        "faultless": "faultless jobs without a finding above info",
        "two": "two faults, costs 1.5 times apart: the costlier leads",
    }
    for kind, words_of in words.items():
        of_kind = [outcome for outcome in outcomes if outcome.judged.kind == kind]
        decided = [outcome for outcome in of_kind if outcome.judged.leads is not None]
        if not decided:
            continue
        right, simple = sum(bool(o.judged.leads) for o in decided), sum(o.baseline_leads for o in decided)
        aim = f"aim {AIMS[kind]:.0%}   baseline {_share(simple, len(decided))}"
        yield f"  {words_of:56} {_share(right, len(decided))}   {aim}"
        if kind in ("known", "two"):
            both = sum(o.judged.named for o in of_kind)
            words_of, aim = ("  named at all", "") if kind == "known" else ("  both named", "   aim 85%")
            yield f"  {words_of:56} {_share(both, len(of_kind))}{aim}"
    yield from _savings(outcomes)
    differing = sum(bool(outcome.log_differs) for outcome in outcomes)
    yield f"  {'logs that pydarshan reads otherwise than written':56} {differing}"
    yield "  what leads, by fault:"
    for kind in words:
        families = sorted({o.judged.family for o in outcomes if o.judged.kind == kind}) if kind != "two" else []
        for family in families:
            of_family = [o.judged for o in outcomes if o.judged.family == family and o.judged.kind == kind]
            leads = Counter(("" if one.leads else "✗ ") + one.lead for one in of_family)
            yield f"    {family:24} {len(of_family):3}  " + ", ".join(f"{name} {n}" for name, n in leads.most_common())


def _savings(outcomes: Sequence[Outcome]) -> Iterator[str]:
    faulty = [o.judged for o in outcomes if o.judged.kind in ("known", "two")]
    faults = sum(one.faults for one in faulty)
    found = [saving for one in faulty for saving in one.savings]
    if faults:
        yield f"  {'faults with a saving stated':56} {_share(len(found), faults)}   aim 50%"
    if found:
        widths = [width for _, width in found]
        wide = (
            "no lower bound is stated" if median(widths) == float("inf") else f"median interval × {median(widths):.1f}"
        )
        inside = _share(sum(right for right, _ in found), len(found))
        yield f"  {'  the truth is inside':56} {inside}   aim 90%; {wide}"


def _share(part: int, whole: int) -> str:
    return f"{part:4} of {whole:4} {part / whole:6.1%}" if whole else "none"
