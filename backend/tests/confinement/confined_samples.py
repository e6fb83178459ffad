"""Reads and diagnoses samples in a confined process, and writes whether that came out as it is committed:
`confined_samples.py SEARCH… -- NAME…`."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path


def main(arguments: list[str]) -> None:
    split = arguments.index("--")
    sys.path.extend(arguments[:split])
    from sample_documents import current_golden_files
    from samples import SAMPLE_LOGS, Case, cases

    from iotriage.confinement import Limits, confine, isolate_server
    from iotriage.confinement.scratch import make_scratch

    wanted = [case for case in cases() if str(case) in arguments[split + 1 :]]
    isolate_server(Path(tempfile.gettempdir()), (SAMPLE_LOGS,))
    pid = os.fork()
    if pid != 0:
        os._exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
    confine(Limits(1 << 31, 1_000, 1 << 30), make_scratch(), (SAMPLE_LOGS,))

    def end(case: Case) -> str:
        try:
            said = current_golden_files(case)
        except Exception as error:
            return repr(error)
        differing = [name for name, text in said.items() if text != case.golden_file(name).read_text(encoding="utf-8")]
        return "as committed" if not differing else f"{', '.join(differing)} differ"

    print(json.dumps({str(case): end(case) for case in wanted}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
