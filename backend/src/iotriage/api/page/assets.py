"""The built page's hashed files, which never change: each is read and compressed the first time it is asked for, and
answered from memory from then on. A case is drawn with some thirty of them."""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

_FOREVER = "public, max-age=31536000, immutable"


@dataclass(frozen=True)
class _Asset:
    plain: bytes
    gzipped: bytes | None
    media_type: str


class Assets:
    """The files of one folder, which has none below it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, _Asset] = {}

    async def answer(self, name: str, accepted_encodings: str) -> Response | None:
        """The file of this name, also where the page has been built again since; None where there never was one."""
        asset = self._known.get(name) or await run_in_threadpool(self._read, name)
        if asset is None:
            return None
        headers = {"cache-control": _FOREVER, "vary": "Accept-Encoding"}
        if asset.gzipped is None or "gzip" not in accepted_encodings:
            return Response(asset.plain, media_type=asset.media_type, headers=headers)
        return Response(asset.gzipped, media_type=asset.media_type, headers=headers | {"content-encoding": "gzip"})

    def _read(self, name: str) -> _Asset | None:
        # Names are compared, so that no path leads elsewhere.
        if not self._folder.is_dir() or name not in {file.name for file in self._folder.iterdir()}:
            return None
        plain = (self._folder / name).read_bytes()
        media_type = mimetypes.guess_type(name)[0] or "application/octet-stream"
        # Fonts are compressed already.
        gzipped = None if media_type.startswith("font/") else gzip.compress(plain)
        asset = self._known[name] = _Asset(plain, gzipped, media_type)
        return asset
