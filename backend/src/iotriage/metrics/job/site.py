"""Where the job ran."""

from __future__ import annotations

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection


@metric("job.site", "Site", "word", formula="the id of the site's profile", needs="any source", scopes=["job"])
def site(s: Selection) -> Outcome:
    return Absent("no site's profile is in use") if s.site is None else Value(s.site)
