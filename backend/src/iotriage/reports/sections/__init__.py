"""What a report has whatever its form: each section as data or as sentences, of the document alone."""
