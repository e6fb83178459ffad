"""Makes a case's document from its stored sources: reading them in disposable processes, diagnosing, and setting up the
samples."""
