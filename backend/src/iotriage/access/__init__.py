"""Who asks, and what they may see and do: people, sessions, tokens, share links. Nothing here knows of HTTP."""
