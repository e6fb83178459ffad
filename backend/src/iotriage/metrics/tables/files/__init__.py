"""Facts about the files of a run that several metrics read: names, uses, pairs, the largest, and those that ranks
share."""
