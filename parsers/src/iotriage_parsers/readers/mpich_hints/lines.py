"""Lines that show hints: four printers, five shapes."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from iotriage_parsers.evidence.mpiio_hints import HintsPrinter

CRAY_TITLE: Final = re.compile(r"PE[ \t]+(\d{1,9}):[ \t]+MPIIO hints for ")
IOR_TITLE: Final = re.compile(r"hints (passed to MPI_File_open\(\)|returned from opened file) \{\s*$")
ROMIO_ROW: Final = re.compile(r"key = ([A-Za-z][\w.]{0,63})[ \t]+value = ?(.*)")
INFO_ROW: Final = re.compile(
    r"(?:MPI File Info:[ \t]*)?(?:\[[ \t]*\d{1,6}\][ \t]*)?key =[ \t]*([A-Za-z][\w.]{0,63}),"
    r"(?:[ \t]*flag = (\d{1,6}),)?(?:[ \t]*valuelen = \d{1,9},?)?[ \t]*value = ?(.*)"
)
HINT_ROW: Final = re.compile(r"MPI hint:[ \t]*([A-Za-z][\w.]{0,63})[ \t]*=[ \t]?(.*)")
"""As the examples and tests of PnetCDF print what a file was opened with, and programs that began as one of them."""
_NOT_SET: Final = "undefined"
INFO_COUNT: Final = re.compile(r"\bnkeys = (\d{1,6})\s*$")

_ROW: Final = re.compile(r"([ \t]*)([A-Za-z][\w.]{0,63})([ \t]*)[ \t]=(?:[ \t](.*)|$)")
_PIECE: Final = re.compile(r"[ \t]+([a-z][a-z0-9_]{0,63})[ \t]*$")
_VALUE: Final = re.compile(r"-?\d{1,20}|\*:(?:\*|\d{1,9})|[A-Z][A-Z0-9]{1,15}:|(?:en|dis)abled")
"""A number, an element of `cb_config_list`, the name of a driver of ROMIO, or what `romio_synchronized_flush` is."""
_CLOSING_TAGS: Final = re.compile(r"(?:</[a-z]{1,10}>)+\s*$")
_KEY_COLUMNS: Final = 24

_FAMILIES: Final = ("cb_", "romio_", "cray_", "striping_", "ind_rd_", "ind_wr_", "direct_", "panfs_", "pvfs2_", "ibm_")
_NAMES: Final = frozenset(
    (
        "abort_on_rw_error",
        "access_style",
        "aggregator_placement_stride",
        "collective_buffering",
        "file_perm",
        "io_node_list",
        "no_indep_rw",
        "start_iodevice",
    )
)


WORDS: Final = ("automatic", "enable", "disable", "true", "false", "CRAY ADIO:")
"""What the values are that are no numbers."""


class Row(NamedTuple):
    """One hint as printed. `closes` is true where the list ends on this line."""

    key: str
    value: str
    closes: bool = False


def is_hint(key: str) -> bool:
    """Whether `key` is a hint of ROMIO, Cray MPICH or the MPI standard, or of one of their families."""
    return key in _NAMES or key.startswith(_FAMILIES)


def title_of(text: str) -> tuple[HintsPrinter, int] | None:
    """Whose list begins in `text`, and where."""
    if (match := CRAY_TITLE.search(text)) is not None:
        return "cray-mpich", match.start()
    if (match := IOR_TITLE.search(text)) is not None:
        return "ior", match.start()
    if (match := INFO_ROW.search(text)) is not None and is_hint(match.group(1)):
        return "application", match.start()
    if (match := HINT_ROW.search(text)) is not None and is_hint(match.group(1)):
        return "application", match.start()
    if (match := ROMIO_ROW.search(text)) is not None and is_hint(match.group(1)):
        return "romio", match.start()
    return None


def row_of(printer: HintsPrinter, text: str) -> Row | None:
    """The hint that `text` shows, in this printer's shape."""
    if printer == "romio":
        match = ROMIO_ROW.match(text.lstrip())
        return Row(match.group(1), match.group(2).strip()) if match else None
    if printer == "application":
        return _info_row(text)
    return _cray_row(text) if printer == "cray-mpich" else _ior_row(text)


def is_value(text: str) -> bool:
    """Whether `text` has nothing but what the value of a hint may be, as where a mail broke the row before it."""
    return text.strip() in WORDS or _VALUE.fullmatch(text.strip()) is not None


def is_piece(text: str) -> bool:
    """Whether `text` may be a row of Cray MPICH's that was cut off before its value."""
    match = _PIECE.match(text)
    word = match.group(1) if match else ""
    return bool(word) and (is_hint(word) or any(name.startswith(word) for name in (*_FAMILIES, *_NAMES)))


def _info_row(text: str) -> Row | None:
    match = INFO_ROW.search(text)
    if match is None:
        plain = HINT_ROW.search(text)
        value = "" if plain is None else plain.group(2).strip()
        return None if plain is None else Row(plain.group(1), "" if value == _NOT_SET else value)
    key, flag, value = match.groups()
    return Row(key, "" if flag == "0" else value.strip())


def _cray_row(text: str) -> Row | None:
    """Ten blanks, the key padded to 24 columns, ` = `, the value. Names that nobody knows need these columns, those
    that are known do not: a paste may have lost them."""
    match = _ROW.match(text)
    if match is None:
        return None
    blanks, key, padding, value = match.groups()
    in_columns = bool(blanks) and len(key) + len(padding) == max(len(key), _KEY_COLUMNS)
    if not is_hint(key) and not in_columns:
        return None
    value = value or ""
    tags = _CLOSING_TAGS.search(value)
    return Row(key, (value[: tags.start()] if tags else value).strip(), closes=tags is not None)


def _ior_row(text: str) -> Row | None:
    """Indented, but that a paste may have lost it."""
    match = _ROW.match(text)
    if match is None or not (match.group(1) or is_hint(match.group(2))):
        return None
    return Row(match.group(2), (match.group(4) or "").strip())
