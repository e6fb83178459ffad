"""Metrics `evidence.*`: how whole the evidence is."""
