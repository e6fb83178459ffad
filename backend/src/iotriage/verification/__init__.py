"""A second opinion on a Darshan log: pydarshan reads it too, in a process of its own, and every value is compared."""
