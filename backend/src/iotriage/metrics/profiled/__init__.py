"""Metrics `profiled.*`: what CrayPAT counts."""
