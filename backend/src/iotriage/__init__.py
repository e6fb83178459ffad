"""IOtriage: what is wrong with a parallel job's I/O, which document says so, and what to type to fix it."""

__version__ = "0.1.0"
