"""Diagnoses of many small logs in one warm process: `python bench/diagnoses.py LOG…` prints one line of JSON.

It uses what has not changed since the first release, so that it measures an earlier commit too: `PYTHONPATH` names the
packages.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.util
import json
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from iotriage.analysis.document import CaseDocument
from iotriage.analysis.engine import diagnose
from iotriage_parsers import detect
from iotriage_parsers.reader import Limits

if TYPE_CHECKING:
    from iotriage.analysis.inputs import ReadSource
    from iotriage_parsers.detect import read_or_unpack
else:
    # Modules, classes and functions had other names in earlier commits.
    read_or_unpack = getattr(detect, "read_or_unpack", None) or detect.read_given
    inputs = "inputs" if importlib.util.find_spec("iotriage.analysis.inputs") else "given"
    module = importlib.import_module(f"iotriage.analysis.{inputs}")
    ReadSource = getattr(module, "ReadSource", None) or module.GivenSource
# A server's processes look for garbage as their commit has them do.
if importlib.util.find_spec("iotriage.intake.garbage"):
    as_the_server_collects = importlib.import_module("iotriage.intake.garbage").collect_rarely
elif importlib.util.find_spec("iotriage.intake.collecting"):
    as_the_server_collects = importlib.import_module("iotriage.intake.collecting").collect_seldom
else:
    as_the_server_collects = gc.freeze
# Documents were stored as they are in earlier commits.
STORES_PACKED = importlib.util.find_spec("iotriage.store.packed_text") is not None

WARM = 10


def main() -> None:
    """CPU milliseconds of a diagnosis, reading left out; bytes of the document as JSON and as it is stored, and
    milliseconds to load it."""
    given = [[_source(Path(name))] for name in sys.argv[1:]]
    for one in given[:WARM]:
        diagnose(one)
    as_the_server_collects()
    form = TypeAdapter(CaseDocument)
    diagnosing, sizes, stored_sizes, loading = [], [], [], []
    for one in given:
        begin = time.process_time()
        document = diagnose(one)
        diagnosing.append(time.process_time() - begin)
        written = form.dump_json(document)
        begin = time.process_time()
        form.validate_json(written)
        loading.append(time.process_time() - begin)
        sizes.append(len(written))
        stored_sizes.append(_stored_bytes(written))
    print(
        json.dumps(
            {
                "logs": len(given),
                "diagnosing_median_ms": statistics.median(diagnosing) * 1000,
                "diagnosing_mean_ms": statistics.mean(diagnosing) * 1000,
                "document_median_bytes": statistics.median(sizes),
                "stored_median_bytes": statistics.median(stored_sizes),
                "loading_median_ms": statistics.median(loading) * 1000,
            }
        )
    )


def _stored_bytes(document: bytes) -> int:
    if not STORES_PACKED:
        return len(document)
    from iotriage.store.packed_text import packed

    return len(packed(document.decode()))


def _source(path: Path) -> ReadSource:
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
        size = stream.tell()
        stream.seek(0)
        return ReadSource(path.name, digest, size, read_or_unpack(stream, Limits()))


if __name__ == "__main__":
    main()
