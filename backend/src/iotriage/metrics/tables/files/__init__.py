"""What several metrics ask of the files of a run: their names, uses, pairs, the largest and those that ranks share."""
