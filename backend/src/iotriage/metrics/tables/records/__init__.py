"""The records of a log as what they count took place, where Darshan has it elsewhere or twice."""
