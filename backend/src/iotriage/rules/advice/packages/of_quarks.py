"""Packages that compute quarks and gluons on a lattice."""

from __future__ import annotations

from iotriage.rules.advice.packages.package import BOTH, READ, package, setting
from iotriage.rules.core import Citation

_PARALLEL_IO = Citation("chroma-source", "inline_qio_write_obj: parallel_io, file_volfmt")

OF_QUARKS = (
    package(
        "MILC",
        r"(su3_rh?m[cd]|ks_imp_rh?m[cd]|ks_spectrum|ks_measure)(_\w+)?",
        setting(
            "save_parallel_scidac instead of save_serial_scidac, and so for propagators and sources, has all ranks "
            "write the file instead of one",
            "movers",
            cited=Citation("milc-source", "io_helpers: ask_ending_lattice"),
        ),
        setting(
            "reload_parallel instead of reload_serial has all ranks read the lattice instead of one",
            "movers",
            ways=READ,
            cited=Citation("milc-source", "io_helpers: ask_starting_lattice"),
        ),
        setting(
            "save_serial_scidac or save_parallel_scidac writes one file, save_partfile_scidac several and "
            "save_multifile_scidac one for each rank",
            "files",
            cited=Citation("milc-source", "io_helpers: ask_ending_lattice"),
        ),
        setting(
            "forget instead of a save command writes nothing of what no later run needs",
            "amount",
            cited=Citation("milc-source", "io_helpers: ask_ending_lattice"),
        ),
    ),
    package(
        "Chroma",
        r"chroma",
        setting(
            "<parallel_io>true</parallel_io> beside the name of a file in the XML input, of QIO_WRITE_NAMED_OBJECT in "
            "<File>, has all ranks write it instead of one",
            "movers",
            cited=_PARALLEL_IO,
        ),
        setting(
            "<parallel_io>true</parallel_io> beside the name of a file in the XML input, in <Cfg> or <File>, has all "
            "ranks read it instead of one",
            "movers",
            ways=READ,
            cited=_PARALLEL_IO,
        ),
        setting(
            "<file_volfmt>SINGLEFILE</file_volfmt> writes one file, MULTIFILE one for each rank",
            "files",
            ways=BOTH,
            cited=_PARALLEL_IO,
        ),
    ),
)
