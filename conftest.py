"""For every test of the workspace: property tests ask for no speed, since a slow machine is not a defect."""

import gc

from budget import SEED, examples
from hypothesis import HealthCheck, settings

# To look for cycles every 700 objects, as Python does, through all that was imported, is a tenth of the tests' time.
gc.set_threshold(100_000)

_SLOW_IS_NO_DEFECT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("workspace", max_examples=examples(20), derandomize=SEED is None, **_SLOW_IS_NO_DEFECT)
settings.load_profile("workspace")
