"""What the views of a case ask for in windows: files, calls, ranks, lines and counters by the thousand."""
