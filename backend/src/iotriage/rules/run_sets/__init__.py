"""Rules about several runs held side by side."""
