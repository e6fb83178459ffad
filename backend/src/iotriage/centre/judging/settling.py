"""Decides triggered findings of many logs at once: which explains which, seconds, severity and order.

In NumPy and not in SQL: seconds are given out one finding after the other, each from what those before it left, which
a query can only say by recursion. Here the first findings of all logs are one step, then the second ones, and so on:
as many steps as the log with most findings has, over the few findings that are triggered. What is decided is that of
`iotriage.analysis.decision.order`, `explained` and `allotment`, to the bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from iotriage.centre.judging.conditions import CLEAR, FAILED, TRIGGERED, UNKNOWN
from iotriage.centre.judging.rules import JudgedRule
from iotriage.metrics.tables.account.cells import CELLS, Cell
from iotriage.rules.core.claim import Claim, claimed_by_both
from iotriage.rules.core.fixed_numbers import (
    LITTLE_OF_IO,
    LITTLE_OF_RUN,
    LOW_OF_RUN,
    MOST_OF_THE_SECONDS,
    NOTHING_LEFT,
    OWN,
    RUNS_DIFFER,
)
from iotriage.rules.core.rule import SEVERITIES
from iotriage_parsers.evidence.darshan import Bools, Float64s, Int64s
from iotriage_parsers.frozen import frozen_identity

HIGH, MEDIUM, LOW, INFO = range(4)
NONE: Final = -1
"""No group, no cause."""
IMBALANCE: Final = CELLS.index("imbalance")
_RANKS: Final = {CLEAR: 6, FAILED: 5, UNKNOWN: 4, TRIGGERED: 2}


@frozen_identity
class Scopes:
    """Logs, each with an index from 0, and groups of files. `cells` are seconds by log or group and cell; NaN in the
    first where there is no account. `significant` is NaN where that is not known; `whole` where no second is missing;
    `from_darshan` where the seconds are Darshan's, `every_second` where they are of a source that has all of reads and
    writes; `shortest` are the seconds from which a finding ranks by them; `runtime` those of the run, NaN where it is
    not known."""

    significant: Float64s
    small_share: Bools
    whole: Bools
    from_darshan: Bools
    every_second: Bools
    shortest: Float64s
    runtime: Float64s
    cells: Float64s
    group_cells: Float64s

    @classmethod
    def of(cls, logs: Mapping[str, Float64s], group_cells: Float64s) -> Scopes:
        """From the columns of the logs, of which yes is 1."""
        return cls(
            logs["significant"],
            logs["small_share"] == 1,
            logs["whole"] == 1,
            logs["from_darshan"] == 1,
            logs["every_second"] == 1,
            logs["shortest"],
            logs["runtime"],
            cells_of(logs),
            group_cells,
        )


def cells_of(columns: Mapping[str, Float64s]) -> Float64s:
    """The seconds of each cell beside one another, in the order of `CELLS`."""
    return np.stack([columns[cell] for cell in CELLS], axis=1)


@frozen_identity
class Judged:
    """Findings, one an index, of which all that are triggered have to be there. `log` and `group` are indexes into
    `Scopes` (`group` is NONE of the job), `rule` one into the rules, `place` orders the groups of a log by their ids.
    `parts` are what its claims ask for, by claim, NaN where a claim does not count. `most` and `least` are the shares
    that a cure could save, `stays` the seconds that it could not: NaN where nothing bounds a saving."""

    log: Int64s
    group: Int64s
    rule: Int64s
    place: Int64s
    verdict: Int64s
    parts: Float64s
    most: Float64s
    least: Float64s
    stays: Float64s


@frozen_identity
class Settled:
    """Of each finding the rule that explains it (an index, or NONE), its severity (an index into `SEVERITIES`), the
    seconds that it takes, NaN where it claims none, what a cure could save at least and at most, and its position among
    the findings of its log."""

    explained_by: Int64s
    severity: Int64s
    takes: Float64s
    at_least: Float64s
    could_save: Float64s
    position: Int64s


def settled(findings: Judged, scopes: Scopes, rules: Sequence[JudgedRule]) -> Settled:
    """`rules` are in the order in which causes are named."""
    causes = _explained_by(findings, scopes, rules)
    takes, reaches = _seconds(findings, scopes, rules, causes)
    at_least, could_save = _savings(findings, scopes, takes, reaches)
    base = _severity(findings, scopes, rules, causes)
    together = _of_causes(findings, len(rules), causes, takes)
    severity = _without_seconds(findings, scopes, rules, (takes, reaches, together), base)
    position = _positions(findings, scopes, rules, causes, takes, severity, could_save)
    return Settled(causes, severity, takes, at_least, could_save, position)


def _rule_column(rules: Sequence[JudgedRule], name: str) -> NDArray[np.generic]:
    return np.array([getattr(rule, name) for rule in rules])


def _explained_by(findings: Judged, scopes: Scopes, rules: Sequence[JudgedRule]) -> Int64s:
    """Of each triggered finding the first triggered cause: on the same files, or where one of the two is about the
    job and the other's files have most of its seconds. Of a symptom of the job these are those that it claims, and all
    groups in which the cause stands have them together; a cause that claims a part must claim most of the group's."""
    holds = findings.verdict == TRIGGERED
    of_group = holds & (findings.group != NONE)
    of_job = holds & ~of_group
    about_job = np.zeros((len(scopes.significant), len(rules)), dtype=bool)
    about_job[findings.log[of_job], findings.rule[of_job]] = True
    there = np.zeros((len(scopes.group_cells), len(rules)), dtype=bool)
    there[findings.group[of_group], findings.rule[of_group]] = True
    log_of = np.zeros(len(scopes.group_cells), dtype=np.int64)
    log_of[findings.group[of_group]] = findings.log[of_group]
    place_of = np.zeros(len(scopes.group_cells), dtype=np.int64)
    place_of[findings.group[of_group]] = findings.place[of_group]
    found = np.full(len(findings.log), NONE, dtype=np.int64)
    for of, symptom in enumerate(rules):
        of_scope, where_there = (of_job, about_job) if symptom.scope == "job" else (of_group, there)
        where = np.flatnonzero(of_scope & (findings.rule == of))
        if not len(where):
            continue
        logs, groups = findings.log[where], findings.group[where]
        by_itself = np.zeros(len(where), dtype=bool)
        for i, claim in enumerate(symptom.claims):
            by_itself |= claim.by_itself & ~np.isnan(findings.parts[where, i])
        for by, cause in enumerate(rules):
            if cause is symptom or symptom.id not in cause.explains:
                continue
            if cause.scope == symptom.scope:
                held = where_there[logs if symptom.scope == "job" else groups, by] & ~by_itself
            else:
                both = claimed_by_both(cause.claims, symptom.claims)
                claimed = _claimed(by, findings, holds, scopes, rules)
                if symptom.scope == "job":
                    stands = np.flatnonzero(there[:, by])
                    stands = stands[np.argsort(place_of[stands], kind="stable")]
                    of_symptom = _claimed(of, findings, holds, scopes, rules)
                    held = _have_most(both, stands, claimed[stands], of_symptom, scopes, log_of)[logs]
                else:
                    held = about_job[logs, by] & _has_most(both, claimed[log_of], scopes, log_of)[groups]
            found[where] = np.where((found[where] == NONE) & held, by, found[where])
    return found


def _claimed(by: int, findings: Judged, holds: Bools, scopes: Scopes, rules: Sequence[JudgedRule]) -> Float64s:
    """(logs or groups, cells): what the triggered finding of the rule `by` claims, NaN where it claims nothing."""
    of_job = rules[by].scope == "job"
    own = scopes.cells if of_job else scopes.group_cells
    claimed = np.full(own.shape, np.nan)
    of = np.flatnonzero(holds & (findings.rule == by))
    where = findings.log[of] if of_job else findings.group[of]
    for i, claim in enumerate(rules[by].claims):
        counts = ~np.isnan(findings.parts[of, i])
        at, part = where[counts], findings.parts[of[counts], i]
        for cell in map(CELLS.index, claim.cells):
            before = np.nan_to_num(claimed[at, cell])
            more = _claims_more(claim, part * own[at, cell], before)
            # Where there is no account it claims the cell all the same.
            least: Float64s = np.minimum(before + more, own[at, cell])
            claimed[at, cell] = np.nan_to_num(least)
    return claimed


def _have_most(
    shared: frozenset[Cell],
    stands: Int64s,
    claimed: Float64s,
    of_symptom: Float64s,
    scopes: Scopes,
    log_of: Int64s,
) -> Bools:
    """(logs,) whether the groups in which the cause `stands` (in the order of their ids) have together most of their
    job's seconds of the cells that both rules claim (`shared`), of those of which the cause claims something there
    (`claimed`, of each of these groups by cell), or nothing says otherwise; each cell counts by what the symptom claims
    of it (`of_symptom`, by log and cell), if it claims any."""
    logs, own = log_of[stands], scopes.group_cells[stands]
    by_both, here = np.array([cell in shared for cell in CELLS]), ~np.isnan(claimed)
    counted = by_both & (here | ~here.any(axis=1, keepdims=True))
    there, known = np.zeros(len(scopes.cells), dtype=bool), ~np.isnan(scopes.cells[:, 0])
    there[logs] = True
    np.logical_and.at(known, logs, ~np.isnan(own[:, 0]))
    of_groups, of_both = np.zeros(scopes.cells.shape), np.zeros(scopes.cells.shape, dtype=bool)
    np.add.at(of_groups, logs, np.where(counted, own, 0.0))
    np.logical_or.at(of_both, logs, counted)
    of_groups = np.minimum(of_groups, scopes.cells)
    inside, whole, of_claims, all_claims = (np.zeros(len(scopes.cells)) for _ in range(4))
    for cell in range(len(CELLS)):
        of_job = scopes.cells[:, cell]
        inside += np.where(of_both[:, cell], of_groups[:, cell], 0.0)
        whole += np.where(of_both[:, cell], of_job, 0.0)
        seconds = np.where(of_both[:, cell], np.nan_to_num(of_symptom[:, cell]), 0.0)
        of_claims += np.where(seconds > 0, seconds * of_groups[:, cell] / np.where(seconds > 0, of_job, 1.0), 0.0)
        all_claims += seconds
    inside, whole = np.where(all_claims > 0, of_claims, inside), np.where(all_claims > 0, all_claims, whole)
    nothing = by_both.any() & ~of_both.any(axis=1)
    return np.asarray(there & (~known | (~(inside < MOST_OF_THE_SECONDS * whole) & ~nothing)))


def _has_most(shared: frozenset[Cell], claimed: Float64s, scopes: Scopes, log_of: Int64s) -> Bools:
    """(groups,) whether each has most of its job's seconds of the cells that both rules claim (`shared`), of those of
    which the cause of the job claims something (`claimed`, of the job of each group by cell), or nothing says
    otherwise; and the cause claims most of the group's even if it claims all those of other files."""
    by_both, here = np.array([cell in shared for cell in CELLS]), ~np.isnan(claimed)
    counted = by_both & (here | ~here.any(axis=1, keepdims=True))
    inside, whole, of_both = np.zeros(len(log_of)), np.zeros(len(log_of)), np.zeros(len(log_of))
    for cell in range(len(CELLS)):
        own, of_job = scopes.group_cells[:, cell], scopes.cells[log_of, cell]
        inside += np.where(counted[:, cell], own, 0.0)
        whole += np.where(counted[:, cell], of_job, 0.0)
        of_both += np.where(counted[:, cell], np.maximum(0.0, claimed[:, cell] + own - of_job), 0.0)
    known = ~np.isnan(scopes.group_cells[:, 0]) & ~np.isnan(scopes.cells[log_of, 0])
    nothing = by_both.any() & ~counted.any(axis=1) & known
    have_most = ~(inside < MOST_OF_THE_SECONDS * whole) & ~nothing
    return np.asarray(have_most & (~here.any(axis=1) | ~(of_both < MOST_OF_THE_SECONDS * inside)))


def _seconds(
    findings: Judged, scopes: Scopes, rules: Sequence[JudgedRule], causes: Int64s
) -> tuple[Float64s, Float64s]:
    """What each takes, given to causes before symptoms and to what is nearer to the root first; and what its cure
    reaches."""
    claiming = np.array([bool(rule.claims) for rule in rules], dtype=bool)
    own = scopes.cells[findings.log]
    of_group = findings.group != NONE
    own[of_group] = scopes.group_cells[findings.group[of_group]]
    known = ~np.isnan(scopes.cells[findings.log, 0]) & ~np.isnan(own[:, 0])
    counted = np.flatnonzero((findings.verdict == TRIGGERED) & claiming[findings.rule] & known)
    order = counted[
        np.lexsort((findings.place[counted], findings.rule[counted], causes[counted] != NONE, findings.log[counted]))
    ]
    takes, reaches = np.full(len(findings.log), np.nan), np.full(len(findings.log), np.nan)
    takes[order] = 0.0
    left, group_left = scopes.cells.copy(), scopes.group_cells.copy()
    asked, by_cell, beside = np.zeros(own.shape), np.zeros(own.shape), _causes_beside(findings, order, causes)
    with_apart = np.array([any(claim.apart for claim in rule.claims) for rule in rules], dtype=bool)
    first = order[with_apart[findings.rule[order]] & (causes[order] == NONE)]
    for apart, turn in ((True, first), (False, order)):
        for now in _steps(_nth(findings.log[turn]), findings.rule[turn]):
            found = turn[now]
            rule = rules[int(findings.rule[found[0]])]
            alone = causes[found] == NONE
            parts = np.stack([np.where((alone & claim.apart) == apart, 1.0, 0.0) for claim in rule.claims], axis=1)
            parts *= np.nan_to_num(findings.parts[found, : len(rule.claims)])
            room = np.where(beside[found] == NONE, np.inf, takes[beside[found]] - takes[found])
            same = np.where(beside[found, None] == NONE, 0.0, by_cell[beside[found]])
            sums = (left, group_left, asked, by_cell)
            takes[found] += _allot(findings, rule, found, parts, own, sums, room, same)
    reaches[order] = asked[order].sum(axis=1)
    waited = left[findings.log, IMBALANCE]
    waited[of_group] = np.minimum(group_left[findings.group[of_group], IMBALANCE], waited[of_group])
    return takes, reaches + waited


def _steps(nth: Int64s, rule: Int64s) -> Iterator[Int64s]:
    """Indexes of the first findings of all logs, then of the second ones, …: those of one rule together."""
    order = np.lexsort((rule, nth))
    starts = np.flatnonzero((np.diff(nth[order]) != 0) | (np.diff(rule[order]) != 0)) + 1
    yield from (step for step in np.split(order, starts) if len(step))


def _nth(logs: Int64s) -> Int64s:
    """How many before it are of the same log; `logs` are in order."""
    first = np.flatnonzero(np.r_[True, logs[1:] != logs[:-1]]) if len(logs) else np.zeros(0, dtype=np.int64)
    return np.arange(len(logs)) - np.repeat(first, np.diff(np.r_[first, len(logs)]))


def _allot(
    findings: Judged,
    rule: JudgedRule,
    now: Int64s,
    parts: Float64s,
    own: Float64s,
    sums: tuple[Float64s, Float64s, Float64s, Float64s],
    room: Float64s,
    same: Float64s,
) -> Float64s:
    """Takes the seconds of findings of one rule, no two of one log, from what is left of the logs and of the groups,
    the first two of `sums`, and no more than `room`; what they ask for, of each cell once, is added to the third, what
    they take to the fourth. `parts` (findings, claims); `same` are the seconds that the cause of each has of each cell,
    which the findings claim too."""
    left, group_left, asked, by_cell = sums
    log, group = findings.log[now], findings.group[now]
    given = np.zeros(len(now))
    for i, claim in enumerate(rule.claims):
        for cell in map(CELLS.index, claim.cells):
            of_cell = _claims_more(claim, parts[:, i] * own[now, cell], asked[now, cell])
            of_cause = np.minimum(of_cell, same[:, cell])
            same[:, cell] -= of_cause
            seconds = np.minimum(np.minimum(of_cell - of_cause, left[log, cell]), np.maximum(0.0, room - given))
            if rule.scope == "group":
                seconds = np.minimum(seconds, group_left[group, cell])
                group_left[group, cell] -= seconds
            left[log, cell] -= seconds
            by_cell[now, cell] += seconds
            given += seconds
            asked[now, cell] = np.minimum(asked[now, cell] + of_cell, own[now, cell])
    return given


def _claims_more(claim: Claim, seconds: Float64s, before: Float64s) -> Float64s:
    """What a claim asks for of a cell beside what its finding asked for `before`."""
    return np.maximum(0.0, seconds - before) if claim.up_to else seconds


def _causes_beside(findings: Judged, counted: Int64s, causes: Int64s) -> Int64s:
    """Of each finding the one among `counted` that explains it on the same files, or of the job as it is; or NONE."""
    every = int(findings.rule.max(initial=0)) + 1
    groups = int(findings.group.max(initial=NONE)) + 1
    scope = np.where(findings.group == NONE, groups + findings.log, findings.group)
    keys = scope[counted] * every + findings.rule[counted]
    by_key = np.argsort(keys)
    found = np.full(len(findings.log), NONE, dtype=np.int64)
    if not len(counted):
        return found
    wanted = scope * every + causes
    place = by_key[np.minimum(np.searchsorted(keys, wanted, sorter=by_key), len(counted) - 1)]
    there = (causes != NONE) & (causes < every) & (keys[place] == wanted)
    found[there] = counted[place[there]]
    return found


def _savings(findings: Judged, scopes: Scopes, takes: Float64s, reaches: Float64s) -> tuple[Float64s, Float64s]:
    share = np.minimum(1.0, findings.most)
    reached, of_io = reaches * share, _total(scopes)
    outside = np.maximum(0.0, scopes.runtime - of_io)
    most = np.fmin(np.minimum(reached / RUNS_DIFFER, of_io[findings.log]), reached + outside[findings.log])
    surely = RUNS_DIFFER * takes
    least = np.minimum(surely * share, surely * findings.least - findings.stays)
    stated = (least > 0) & scopes.whole[findings.log] & (takes >= OWN * reaches)
    return np.where(stated, least, np.nan), np.where(stated, most, np.nan)


def _severity(findings: Judged, scopes: Scopes, rules: Sequence[JudgedRule], causes: Int64s) -> Int64s:
    base = np.array([SEVERITIES.index(rule.severity) for rule in rules], dtype=np.int64)[findings.rule]
    weighed = _rule_column(rules, "weighed").astype(bool)[findings.rule]
    significant = scopes.significant[findings.log]
    a_step_less = np.where(base < LOW, base + 1, base)
    counts = np.where(significant == 1, base, np.maximum(base, MEDIUM))
    capped = np.where(significant == 0, INFO, np.where(scopes.small_share[findings.log], a_step_less, counts))
    alone = (findings.verdict == TRIGGERED) & (causes == NONE)
    return np.where(alone, np.where(weighed, capped, base), INFO)


def _without_seconds(
    findings: Judged,
    scopes: Scopes,
    rules: Sequence[JudgedRule],
    seconds: tuple[Float64s, Float64s, Float64s],
    severity: Int64s,
) -> Int64s:
    """Few of seconds that are all known makes a note of a fault; where some are not, in Darshan's account that others
    took all it reaches. Few of the run's make it a low one. Where a source has every read and write and no opens, a
    finding is held against the run alone. `seconds` are those that each takes, those that it reaches, and those that
    its rule takes in all groups of files."""
    (takes, reaches, together), total = seconds, _total(scopes)
    unknown = np.isnan(scopes.runtime)
    shortest_run = np.where(unknown, total, scopes.runtime)
    of_run, low_of_run = LITTLE_OF_RUN * shortest_run, LOW_OF_RUN * shortest_run
    little = np.minimum(LITTLE_OF_IO * total, of_run)
    worth_a_fault = np.where(scopes.from_darshan, np.fmax(NOTHING_LEFT * total, little), of_run)
    worth_more_than_low = np.where(unknown, np.maximum(low_of_run, scopes.shortest), low_of_run)
    weighed = _rule_column(rules, "weighed").astype(bool)[findings.rule]
    nothing_left = NOTHING_LEFT * total[findings.log]
    has_nothing = scopes.from_darshan[findings.log] & (takes < nothing_left)
    others_took_it = has_nothing & (reaches >= nothing_left)
    known = (scopes.whole[findings.log] | others_took_it) & scopes.every_second[findings.log] & ~np.isnan(takes)
    fault = known & weighed & (severity < INFO)
    low = np.where(together < worth_more_than_low[findings.log], LOW, severity)
    few = (together < worth_a_fault[findings.log]) | has_nothing
    graded = np.where(few, INFO, np.maximum(low, severity))
    return np.where(fault, graded, severity)


def _total(scopes: Scopes) -> Float64s:
    """Seconds of each log, added up in the order of the cells."""
    total = np.zeros(len(scopes.cells))
    for cell in range(len(CELLS)):
        total = total + scopes.cells[:, cell]
    return total


def _positions(
    findings: Judged,
    scopes: Scopes,
    rules: Sequence[JudgedRule],
    causes: Int64s,
    takes: Float64s,
    severity: Int64s,
    could_save: Float64s,
) -> Int64s:
    holds = findings.verdict == TRIGGERED
    weighed, leads = _rule_column(rules, "weighed").astype(bool), _rule_column(rules, "leads").astype(bool)
    base = np.array([SEVERITIES.index(rule.severity) for rule in rules], dtype=np.int64)
    rank = np.select(
        [
            holds & (severity == HIGH) & ~weighed[findings.rule],
            holds & leads[findings.rule],
            holds & (causes != NONE),
        ],
        [0, 1, 3],
        default=np.array([0, *(_RANKS[verdict] for verdict in (CLEAR, UNKNOWN, TRIGGERED, FAILED))])[findings.verdict],
    )
    of_cause = np.where(holds & (causes == NONE), _of_causes(findings, len(rules), causes, takes), takes)
    keys = (
        findings.place,
        findings.rule,
        np.where(np.isnan(could_save), np.inf, -could_save),
        severity,
        _ranked(takes, findings, scopes),
        _ranked(of_cause, findings, scopes),
        holds & (base[findings.rule] == INFO),
        rank,
        findings.log,
    )
    order = np.lexsort(keys)
    position = np.empty(len(order), dtype=np.int64)
    position[order] = _nth(findings.log[order])
    return position


def _of_causes(findings: Judged, rules: int, causes: Int64s, takes: Float64s) -> Float64s:
    """What the rule of each finding takes in all groups of its log together where no other explains it."""
    counts = (findings.verdict == TRIGGERED) & (causes == NONE) & ~np.isnan(takes)
    _, place = np.unique(findings.log * rules + findings.rule, return_inverse=True)
    found = np.zeros(int(place.max(initial=-1)) + 1)
    np.add.at(found, place[counts], takes[counts])
    known = np.zeros(len(found), dtype=bool)
    known[place[counts]] = True
    return np.where(known, found, np.nan)[place]


def _ranked(seconds: Float64s, findings: Judged, scopes: Scopes) -> Float64s:
    """The most first; too few rank nothing."""
    return np.where(np.isnan(seconds) | (seconds < scopes.shortest[findings.log]), 0.0, -seconds)
