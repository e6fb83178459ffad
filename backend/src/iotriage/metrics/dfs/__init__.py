"""Metrics `dfs.*`: DAOS through its file system layer."""
