"""For every test of the workspace: property tests ask for no speed, since a slow machine is not a defect."""

from hypothesis import HealthCheck, settings

settings.register_profile("workspace", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("workspace")
