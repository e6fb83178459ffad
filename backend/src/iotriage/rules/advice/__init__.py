"""What rules advise alike: collective calls, hints, striping, buffers, lines of code."""
