"""Who one is, log-ins, tokens and share links, over HTTP."""
