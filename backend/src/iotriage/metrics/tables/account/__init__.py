"""Where the I/O seconds of the ranks go. Entry points: `cells.Cells`, `time_account.time_account`."""
