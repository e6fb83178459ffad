"""The records of a log made ready for formulas: of several processes together, of traces, and where Darshan has what
they count elsewhere or twice."""
