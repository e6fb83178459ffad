"""A sentence about the rules that were evaluated and are clear."""

from __future__ import annotations

from iotriage.analysis.document import Findings, RuledOut


def clear_rules(findings: Findings) -> str | None:
    """The rules that are clear wherever they applied, each by what is fine there; None where there are none."""
    triggered = {f.rule for f in findings if f.verdict == "triggered"}
    clear = [f for f in findings if f.verdict == "clear" and f.rule not in triggered]
    fine = {f.rule: f.title if isinstance(f, RuledOut) else f.clear_title for f in clear}
    if not fine:
        return None
    first, *others = (fine[rule] for rule in sorted(fine))
    return "; ".join((first, *(within(title) for title in others))) + "."


def within(title: str) -> str:
    """A title within a sentence: names and abbreviations keep their capitals."""
    word = title.split(" ", 1)[0]
    return title if any(c.isupper() for c in word[1:]) or word.startswith(NAMES) else title[:1].lower() + title[1:]


NAMES = ("Lustre", "ARCHER", "Darshan")
