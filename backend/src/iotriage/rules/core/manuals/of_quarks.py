"""Of packages that compute quarks and gluons on a lattice."""

from __future__ import annotations

from iotriage.rules.core.document import Document

OF_QUARKS = (
    Document(
        "chroma-source",
        "Chroma, source of its inline measurements",
        "Jefferson Lab (repository JeffersonLab/chroma)",
        "Chroma on any system",
        "2026-11-29",
        "https://github.com/JeffersonLab/chroma",
    ),
    Document(
        "milc-source",
        "MILC code, source of what its input may be",
        "MILC collaboration (repository milc-qcd/milc_qcd)",
        "MILC on any system",
        "2026-11-29",
        "https://github.com/milc-qcd/milc_qcd",
    ),
)
