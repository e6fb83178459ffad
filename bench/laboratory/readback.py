"""The written log as pydarshan reads it: every counter as it was given, before IOtriage sees the log."""

from __future__ import annotations

from pathlib import Path

import darshan
import numpy as np
from darshan.backend import cffi_backend

from .counters import Records

Reading = dict[tuple[str, str, int], dict[str, float]]
"""Counters by module, path and rank."""

# Looked up once before any report: a report that is freed while cffi looks it up for the first time hangs for ever.
_ = cffi_backend.libdutil.darshan_log_close


def counters_of(path: Path, modules: tuple[str, ...] = ("POSIX", "MPI-IO", "STDIO")) -> Reading:
    with darshan.DarshanReport(str(path), read_all=False) as report:
        report.read_name_records()
        names = report.name_records
        reading: Reading = {}
        for module in modules:
            if module not in report.modules:
                continue
            report.mod_read_all_records(module)
            for record in report.records[module].to_dict():
                key = (module, names.get(record["id"], "?"), int(record["rank"]))
                both = {**record["counters"], **record["fcounters"]}
                reading[key] = {name: float(value) for name, value in both.items()}
    return reading


def differences(records: list[Records], paths: list[str], reading: Reading) -> list[str]:
    """What pydarshan says otherwise than the laboratory counted; nothing where the log is whole."""
    said: list[str] = []
    for part in records:
        keys = [
            (part.module, paths[file], rank) for file, rank in zip(part.file.tolist(), part.rank.tolist(), strict=True)
        ]
        said += [f"{key}: no record" for key in keys if key not in reading]
        rows = [row for row, key in enumerate(keys) if key in reading]
        # A column at once: one call for each number of 12,000 records takes far longer than the rest of the job.
        for name, column in (*part.ints.items(), *part.floats.items()):
            written, read = column[rows].astype(float), np.array([reading[keys[row]][name] for row in rows])
            for other in np.flatnonzero(~np.isclose(read, written, rtol=1e-12, atol=0)):
                said.append(f"{keys[rows[other]]} {name}: {written[other]} written, {read[other]} read")
    count = sum(len(part) for part in records)
    return said if len(reading) == count else [*said, f"{len(reading)} records read, {count} written"]
