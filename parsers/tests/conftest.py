"""Puts this folder on the import path: pytest's importlib mode adds nothing to it."""

import sys
from pathlib import Path

if str(Path(__file__).parent) not in sys.path:
    sys.path.insert(0, str(Path(__file__).parent))
