"""What was read of a centre's logs, as Parquet by year, month and day.

A day's folder holds immutable files and a manifest for each shard that wrote there; only what a manifest names counts,
so that whatever is cut off at any moment leaves a warehouse that is whole, and files that nobody knows.
"""
