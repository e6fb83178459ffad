"""What every answer carries, and what is refused before any endpoint sees it. `app` says in which order."""
