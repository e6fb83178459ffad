"""`python read_many.py FOLDER LOG…` writes what pydarshan says of the logs as FOLDER/0.json, 1.json and so on.

Each is read in a forked child: a crash of the library costs one log, and its import is paid once.
"""

import json
import os
import signal
import sys
from pathlib import Path

from iotriage.verification.pydarshan_reader import read


def main(folder: Path, logs: list[str]) -> None:
    for index, log in enumerate(logs):
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            said = json.dumps(read(log), allow_nan=False)
            assert "pandas.core" not in sys.modules, "it takes as long to import as all else together"
            (folder / f"{index}.json").write_text(said, encoding="utf-8")
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
