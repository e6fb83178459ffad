"""Days judged from the warehouse, without a log being opened: conditions as SQL, then what is triggered settled."""
