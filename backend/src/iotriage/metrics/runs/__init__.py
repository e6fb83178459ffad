"""Metrics `runs.*`: several runs held side by side."""
