"""What several metrics read: records, sums and statements worked out once for a selection."""
