"""Metrics `daos.*`: what Darshan counts of DAOS below, or without, its file system layer."""
