"""The HTTP door: one router a resource, and no logic of its own."""
