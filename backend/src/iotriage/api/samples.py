"""The samples that come with the program, as cases to open."""

from __future__ import annotations

from iotriage.api.guard.policies import READS_OWN
from iotriage.api.routers import api_router
from iotriage.api.services import ReadSession
from iotriage.api.views import SampleView
from iotriage.store.cases import sample_cases
from iotriage_parsers.detect import title_of

router = api_router("/samples", tag="samples", dependencies=[READS_OWN])


@router.get("")
def list_samples(session: ReadSession) -> list[SampleView]:
    """The samples, in the order in which they are best read; `id` is that of a case."""
    return [
        SampleView(
            case.id,
            case.title,
            case.status,
            case.headline,
            case.severity,
            case.nprocs,
            tuple(dict.fromkeys(title_of(s.reader) for s in case.sources if s.reader)),
        )
        for case in sample_cases(session)
    ]
