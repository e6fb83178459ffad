"""Which library made files of which it alone decides how many ranks write them."""

from __future__ import annotations

import numpy as np

from iotriage.metrics.core.metric import Absent, Outcome, Value
from iotriage.metrics.core.prefix import prefix_of
from iotriage.metrics.core.registry import metric
from iotriage.metrics.core.selection import Selection
from iotriage.metrics.tables.files.subfiles import BP


@metric(
    "file.subfiles_of",
    "Library that shared the bytes out among subfiles",
    "word",
    formula="ADIOS2 where the file with most bytes written is named as its subfiles are, *.bp/data.N (or "
    "*.bp4, *.bp5) or *.bp.dir/*.bp.N (inferred)",
    needs="a Darshan log with the names of the files",
    scopes=["job"],
)
def subfiles_of(s: Selection) -> Outcome:
    most: tuple[int, str] = (0, "")
    for rows in s.logs:
        for table in rows.highest:
            written = table.count(f"{prefix_of(table)}_BYTES_WRITTEN")
            at = int(np.argmax(written))
            most = max(most, (int(written[at]), rows.name_of(int(table.ids[at])) or ""))
    return Value("ADIOS2", "inferred") if BP.search(most[1]) else Absent("no file is named as such a library's")
