"""Decides which of the given sources are of one job: by job ids together with cluster and time, and by files that both
name."""

from iotriage.analysis.jobs.case_identity import CaseIdentity, case_identity_of
from iotriage.analysis.jobs.foreign_statistics import drop_foreign_statistics
from iotriage.analysis.jobs.grouping import GroupedSources, JobSources, group_by_job, listed_job
from iotriage.analysis.jobs.job_parts import select_job_parts
from iotriage.analysis.jobs.joinable import Joinable, NotJoinable
from iotriage.analysis.jobs.joining import are_incompatible, match_cases
from iotriage.analysis.jobs.later_launches import without_later_launches
from iotriage.analysis.jobs.other_accounting import OtherJobs, drop_other_accounting
from iotriage.analysis.jobs.source_identity import SourceIdentity, source_identity_of

__all__ = [
    "CaseIdentity",
    "GroupedSources",
    "JobSources",
    "Joinable",
    "NotJoinable",
    "OtherJobs",
    "SourceIdentity",
    "are_incompatible",
    "case_identity_of",
    "drop_foreign_statistics",
    "drop_other_accounting",
    "group_by_job",
    "listed_job",
    "match_cases",
    "select_job_parts",
    "source_identity_of",
    "without_later_launches",
]
