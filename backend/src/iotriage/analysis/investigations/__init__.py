"""What would tell where unexplained time goes."""
