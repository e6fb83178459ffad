"""Views of the case document as text. Entry points: `plain_json.as_json`, `terminal.as_text`."""
