"""What the documents of a site lead one to expect of a job: rates, metadata times, and what lies between their points.
Entry point: `expectation.expectations`."""
