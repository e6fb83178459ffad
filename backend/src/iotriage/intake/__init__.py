"""From a stored source to a case's document: reading in a disposable process, diagnosing, and the samples."""
