"""What the charts of a case are drawn from, small enough to stand in its document.

Entry point: `case_charts.build_charts`.
"""
