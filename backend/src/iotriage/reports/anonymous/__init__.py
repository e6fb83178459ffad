"""A case document without the names of people, places and jobs, for those who are to see what is wrong and not whose
it is. `anonymised(document, key)` is all that others need."""

from iotriage.reports.anonymous.document import anonymised

__all__ = ["anonymised"]
