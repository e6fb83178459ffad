"""What a document is that is cited."""

from __future__ import annotations

from iotriage_parsers.frozen import frozen


@frozen
class Document:
    """`systems` says which machines or software it speaks about; `url` is None where none was recorded. `read_on` is
    the day on which what is cited was read: a page changes. `of_library` is the MPI library whose manual it is: to the
    jobs of others it says nothing."""

    key: str
    title: str
    publisher: str
    systems: str
    read_on: str
    url: str | None = None
    of_library: str | None = None
