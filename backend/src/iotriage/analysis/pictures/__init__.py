"""What the pictures of a case are drawn from: small enough to stand in its document. Entry point: `charts.charts`."""
