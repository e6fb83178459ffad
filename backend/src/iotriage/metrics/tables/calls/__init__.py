"""What is derived from counters of calls: sizes, kinds, single ones, repeated ones."""
