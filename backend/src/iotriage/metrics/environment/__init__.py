"""Metrics `environment.*`: variables of the job's environment."""
