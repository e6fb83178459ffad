"""For every test of the workspace: property tests ask for no speed, since a slow machine is not a defect."""

import gc
import sys
from importlib.util import find_spec

from budget import SEED, examples
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

# To look for cycles every 700 objects, as Python does, through all that was imported, is a tenth of the tests' time.
gc.set_threshold(100_000)


def pytest_collection_finish() -> None:
    """What is here now stays to the end: to go through all tests and modules at every full collection is another."""
    gc.freeze()


def pytest_unconfigure() -> None:
    """Nor is it gone through when Python ends, twice, with all that was made since; but DuckDB prints what is left
    then, and has to find what was frozen, too."""
    if "duckdb" in sys.modules:
        gc.unfreeze()
    else:
        gc.freeze()


if SEED is None:
    # Draws by the constants of all modules that happen to be imported differ by which tests run, and to parse the
    # modules takes three seconds in each process. No setting turns that off; pyproject.toml names the version whose
    # function this is, and a later one without it fails here.
    assert callable(providers._get_local_constants)
    providers._get_local_constants = lambda: providers._local_constants

# What is held against pydarshan, which is not there for every Python.
_AGAINST_PYDARSHAN = [
    "backend/tests/centre/judging/test_days_judged.py",
    "backend/tests/laboratory/test_against_reality.py",
    "backend/tests/laboratory/test_draws.py",
    "backend/tests/verification/test_agreement.py",
    "backend/tests/verification/test_real_logs.py",
    "backend/tests/verification/test_written_records.py",
]
collect_ignore = [] if find_spec("darshan") else _AGAINST_PYDARSHAN

_SLOW_IS_NO_DEFECT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("workspace", max_examples=examples(20), derandomize=SEED is None, **_SLOW_IS_NO_DEFECT)
settings.load_profile("workspace")
