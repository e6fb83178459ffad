"""Where the I/O seconds of the ranks go. Entry points: `cells.Cells`, `of_selection.time_account`."""
