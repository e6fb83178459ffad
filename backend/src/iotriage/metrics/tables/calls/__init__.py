"""Quantities derived from counters of calls: sizes, kinds, single calls, repeated calls."""
