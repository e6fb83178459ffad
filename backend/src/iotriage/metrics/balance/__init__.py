"""Metrics `balance.*`: how evenly the ranks share bytes and time."""
