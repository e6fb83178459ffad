"""Suggests what to look at next, or to try, where the seconds of the I/O are unexplained."""
