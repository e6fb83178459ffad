"""Writes the API's description: `python -m iotriage.api > openapi.json`."""

from __future__ import annotations

import sys

from iotriage.api.app import create_app
from iotriage.api.openapi import as_text
from iotriage.settings import Settings

if __name__ == "__main__":
    sys.stdout.write(as_text(create_app(Settings()).openapi()))
