"""Records, sums and statements that several metrics read, worked out once for each selection."""
