"""What every rule is made of. A rule takes its declaration from here, and its conditions, words and actions from the
modules of these names."""

from iotriage.rules.core.advice import Advice, Citation, advice, in_program, withheld, withheld_last
from iotriage.rules.core.rule import Context, Impact, Rule, Severity, Statement, Threshold, Words, ours
from iotriage.rules.core.weight import (
    enough_to_share_out,
    share_of_either_time,
    share_of_job,
    share_of_job_or_reading,
    share_of_measured_time,
)

__all__ = [
    "Advice",
    "Citation",
    "Context",
    "Impact",
    "Rule",
    "Severity",
    "Statement",
    "Threshold",
    "Words",
    "advice",
    "enough_to_share_out",
    "in_program",
    "ours",
    "share_of_either_time",
    "share_of_job",
    "share_of_job_or_reading",
    "share_of_measured_time",
    "withheld",
    "withheld_last",
]
