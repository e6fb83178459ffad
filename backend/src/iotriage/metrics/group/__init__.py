"""Metrics `group.*`: a group of files beside its job."""
