"""The logs of a whole centre, for its helpdesk: what `iotriage ingest` took into the server's warehouse."""
