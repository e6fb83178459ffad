"""Metrics `benchmark.*`: what an I/O benchmark measured."""
