"""Metrics `io.*`: bytes and bandwidth at the highest layer of each file."""
