"""For every test of the workspace: property tests have no deadline, since a slow machine is not a defect."""

from hypothesis import settings

settings.register_profile("workspace", deadline=None)
settings.load_profile("workspace")
