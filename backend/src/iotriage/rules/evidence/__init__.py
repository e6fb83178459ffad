"""Rules about what the evidence can show, and whether I/O matters at all."""
