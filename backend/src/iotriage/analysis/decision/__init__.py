"""Everything that is decided from a document's facts: verdicts, causes, seconds, severities, the headline.
`moved_thresholds` decides it again under other thresholds."""
