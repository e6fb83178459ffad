"""No sentence denies a figure that stands beside it, whichever thresholds have triggered the finding.

A finding's words are written once, by the numbers in force; a reader's thresholds may trigger it where by those none of
its ways holds. The metrics of the thresholds' tables are drawn larger and smaller, and the thresholds anywhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from random import Random

import pytest
from budget import dice, tries
from declared import YES, context, metrics_of, thresholds_of_all
from test_thresholds import HOLDS, rule_of

from iotriage.analysis.decision.condition import answer, verdict
from iotriage.metrics.core.metric import MetricValue
from iotriage.rules import all_rules
from iotriage.rules.core.condition import thresholds_of

Figures = Mapping[str, MetricValue]
FACTORS = (0.01, 0.1, 0.3, 0.9, 1.0, 1.0, 1.0, 1.2, 4.0, 100.0)
DRAWS = 300


def above(metric: str, least: float = 0.0) -> Callable[[Figures], bool]:
    return lambda figures: float(figures.get(metric) or 0) > least


def any_above(*metrics: str, least: float = 0.0) -> Callable[[Figures], bool]:
    return lambda figures: any(above(metric, least)(figures) for metric in metrics)


def never(_: Figures) -> bool:
    return False


STATED = (
    ("redundant-reads", "The library reads the holes", above("mpiio.read_amplification")),
    ("redundant-reads", "Scratch files are rewritten", above("file.times_read_back")),
    ("redundant-reads", "The steps of the job read", above("posix.steps_times_read")),
    ("redundant-reads", "same bytes are read", above("posix.times_read")),
    ("small-io", " 0 small accesses", never),
    ("small-io", " 0 % of the ", never),
    ("small-io", "The library takes each call apart", above("mpiio.system_writes_per_call")),
    ("metadata-bound", "into opening and closing streams", above("stdio.metadata_io_fraction")),
    ("independent-shared", "not aligned", above("posix.misaligned_fraction")),
    ("hdf5-independent-metadata", "Every rank", above("hdf5.metadata_accesses")),
    ("hdf5-independent-metadata", "One rank", above("hdf5.one_rank_accesses")),
    ("serial-io", "a file that no other rank uses", above("balance.alone_time")),
    ("wrong-filesystem", "The job's data goes", above("file.home_fraction")),
    ("wrong-filesystem", "The job's I/O time goes", above("file.home_time_fraction")),
    (
        "metadata-bound",
        "longer than moving the data",
        any_above("posix.data_metadata_io_fraction", "stdio.metadata_io_fraction", least=0.499),
    ),
    ("small-io-on-dvs", "Small accesses go", any_above("posix.small_accesses", "stdio.calls")),
    ("small-io-on-dvs", "Opens and closes go", above("posix.metadata_time_fraction")),
    ("reopened-files", "is sent on its own", above("posix.write_fraction")),
    ("reopened-files", "opens and closes its files", any_above("posix.opens_by_a_rank", "stdio.opens_by_a_rank")),
    ("many-small-files", "Little is read of each", above("file.usual_size", 1024)),
    ("uneven-files", "ranks move far more", above("balance.heavy_bytes")),
    ("uneven-files", "One rank moves", above("balance.bytes")),
    ("fixed-ost-offset", "was chosen by hand", any_above("striping.fixed_first_osts", "file.first_ost_share")),
    ("fixed-ost-offset", "Nearly all data", above("file.first_osts_fraction")),
)


def scaled(value: MetricValue, factor: float) -> MetricValue:
    """A share stays one."""
    if isinstance(value, str):
        return value
    return min(1.0, value * factor) if 0 < value <= 1 else type(value)(value * factor)


def drawn(case: str, dealt: Random) -> str | None:
    """What the rule says of the case with other figures, where thresholds anywhere in their ranges trigger it; in front
    of it the figures themselves."""
    rule = all_rules()[rule_of(case)]
    figures = {"evidence.records_missing": "no"} | {m: scaled(v, dealt.choice(FACTORS)) for m, v in HOLDS[case].items()}
    thresholds = dict(thresholds_of_all())
    for one in thresholds_of(rule.requires) | thresholds_of(rule.condition):
        known = thresholds[one]
        value = dealt.choice((known.minimum, known.value, known.maximum, dealt.uniform(known.minimum, known.maximum)))
        thresholds[one] = replace(known, value=value)
    metrics = metrics_of(figures)
    if verdict(answer(rule.requires, metrics, thresholds), answer(rule.condition, metrics, thresholds)) != YES:
        return None
    words = rule.says(context(figures))
    said = f"{words.headline} {words.summary}"
    for of, phrase, holds in STATED:
        assert of != rule.id or phrase not in said or holds(figures), f"{figures}: {said}"
    return said


@pytest.mark.fuzz
@pytest.mark.parametrize("rule", sorted({rule for rule, _, _ in STATED}))
def test_no_sentence_denies_a_figure(rule: str) -> None:
    dealt = dice(rule)
    cases = [case for case in HOLDS if rule_of(case) == rule]
    said = [text for case in cases for _ in range(tries(DRAWS, 20 * DRAWS)) if (text := drawn(case, dealt))]
    assert len(said) > 20
    phrases = [phrase for of, phrase, holds in STATED if of == rule and holds is not never]
    assert [phrase for phrase in phrases if not any(phrase in text for text in said)] == []
