"""Which of the sources given are of one job: told by job ids with cluster and time, and by what files both name."""

from iotriage.analysis.jobs.beside_logs import of_the_logs
from iotriage.analysis.jobs.gathering import Gathered, JobSources, jobs_of
from iotriage.analysis.jobs.identity import Identity, identity_of
from iotriage.analysis.jobs.joining import cannot_be_one, told_together
from iotriage.analysis.jobs.own_parts import of_one_job
from iotriage.analysis.jobs.said import CaseSaid, said_of
from iotriage.analysis.jobs.told import Apart, Together

__all__ = [
    "Apart",
    "CaseSaid",
    "Gathered",
    "Identity",
    "JobSources",
    "Together",
    "cannot_be_one",
    "identity_of",
    "jobs_of",
    "of_one_job",
    "of_the_logs",
    "said_of",
    "told_together",
]
