"""What the charts of a case are drawn from: small enough to stand in its document. Entry point: `of_case.charts`."""
