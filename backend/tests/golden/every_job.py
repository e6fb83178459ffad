"""Every job that a document can be made of: the samples, and others' logs and crafted cases where they are given."""

from __future__ import annotations

import pytest
from budget import some
from samples import cases
from stats_text import extra

OTHERS = [
    path
    for name in ("logs", "cases")
    if (folder := extra(name)) is not None
    for path in sorted(folder.iterdir())
    if path.suffix in (".darshan", ".txt")
]
JOBS = some([*(c.sources for c in cases()), *((p,) for p in OTHERS)])
every_job = pytest.mark.parametrize("sources", JOBS, ids=lambda s: s[0].name[:48])
