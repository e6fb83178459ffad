"""The logs of a whole centre: found, read in confined batches, kept as columns by day, and reported.

log_files ─▶ ingest ─▶ batches ─▶ batch_child (confined) ─▶ log_rows ─▶ warehouse ─▶ report
"""
