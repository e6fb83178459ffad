"""Several runs held against one another, and the run that would prove a finding.

Entry points: `comparison.compare` and `next_run.next_run_of`.
"""
