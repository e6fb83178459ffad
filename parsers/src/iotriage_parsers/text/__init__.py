"""The text stream under every reader of texts: lines in bounded memory, blocks found by anchors in one pass."""
