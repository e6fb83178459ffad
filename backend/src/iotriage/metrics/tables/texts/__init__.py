"""What texts have: what MPICH prints at a close, what a profile counts, what a program complains of."""
