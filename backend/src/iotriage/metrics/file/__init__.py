"""Metrics `file.*`: the files of the scope, most of them about the largest."""
