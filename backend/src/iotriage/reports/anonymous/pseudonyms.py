"""Other names for names: the same one each time under one key, and nobody without the key can tell which it was."""

from __future__ import annotations

import hashlib
import hmac
import re
from typing import Final

RUN: Final = re.compile(r"[^\W\d_]+|\d+")
_EXTENSION: Final = re.compile(r"\.([A-Za-z][A-Za-z0-9]{0,9})(?![\w.])")
_CONSONANTS: Final = "bdfgklmnprstvz"
_VOWELS: Final = "aeiou"
_SYLLABLES, _OF_WHOLE = 4, 5
"""Of a whole name more: of the people and jobs of a centre's month no two are to have the same."""

_ENDINGS: Final = (
    "adios bin bp bz2 c cdf cfg chk ckpt conf cpp csv dat data db darshan err exe f f90 gz gpfs grb grib "
    "grib2 h h5 hdf hdf5 in inp ini ipynb json log mat mpi nc nc4 netcdf npy npz o out parquet pdf pfs "
    "plt png py raw restart rst sh silo slurm so stderr stdout tar tfrecord tgz tmp toml txt vtk vtp vtu "
    "x xml xyz xz yaml yml zarr zip zst"
)
EXTENSIONS: Final = frozenset(_ENDINGS.split())
"""Endings that say what a file is; any other could be somebody's name."""


def is_file_name(name: str) -> bool:
    """Whether it looks like one: by its ending, or as the name of a group of files has it (`out.####`)."""
    ending = _EXTENSION.search(name)
    return "#" in name or (ending is not None and ending.group(1).lower() in EXTENSIONS and ending.start() > 0)


class Pseudonyms:
    """`of` gives a name's parts others: words to words, digits to as many digits; what joins them and an extension
    stay, so that names that belong together still look so."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._known: dict[str, str] = {}

    def of(self, name: str) -> str:
        ending = _EXTENSION.search(name)
        if ending is None or ending.group(1).lower() not in EXTENSIONS:
            return RUN.sub(self._run, name)
        return RUN.sub(self._run, name[: ending.start()]) + name[ending.start() :]

    def whole(self, name: str) -> str:
        """One word for the whole name, by which nobody sees how long it is, or which others begin alike."""
        return self._word(name, _OF_WHOLE)

    def digest(self, name: str) -> str:
        """For a hexadecimal SHA-256, another one."""
        return self._hash(name).hex()

    def _run(self, found: re.Match[str]) -> str:
        run = found.group()
        if run not in self._known:
            self._known[run] = self._digits(run) if run.isdecimal() else self._word(run)
        return self._known[run]

    def _word(self, word: str, syllables: int = _SYLLABLES) -> str:
        number = int.from_bytes(self._hash(word), "big")
        letters = []
        for _ in range(syllables):
            number, consonant = divmod(number, len(_CONSONANTS))
            number, vowel = divmod(number, len(_VOWELS))
            letters.append(_CONSONANTS[consonant] + _VOWELS[vowel])
        return "".join(letters)

    def _digits(self, digits: str) -> str:
        number = int.from_bytes(self._hash(digits), "big")
        return str(number % 10 ** len(digits)).zfill(len(digits))

    def _hash(self, text: str) -> bytes:
        return hmac.digest(self._key, text.encode("utf-8", "surrogatepass"), hashlib.sha256)
