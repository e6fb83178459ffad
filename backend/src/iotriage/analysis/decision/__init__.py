"""What is decided on a document: verdicts, causes, seconds, severities, the sentence on top. `moved_thresholds` decides
it again."""
