"""Metrics `striping.*`: how the striping was set."""
