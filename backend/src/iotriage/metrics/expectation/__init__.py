"""Metrics `expectation.*`: the job beside what the site's documents measured."""
