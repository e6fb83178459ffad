"""Alembic revisions, shipped with the package and run at start."""
