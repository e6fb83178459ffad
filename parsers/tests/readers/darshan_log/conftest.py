"""Puts the log writer and the corpus on the import path: pytest's importlib mode adds nothing to it."""

import sys
from pathlib import Path

HERE = Path(__file__).parent

for folder in (HERE, HERE.parents[1]):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
