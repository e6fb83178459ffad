"""What of the confinement this host has, what it lacks, and what that means: for whoever runs a server."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from iotriage.confinement.isolation import Isolation
from iotriage.confinement.kernel import ON_LINUX
from iotriage.confinement.landlock import landlock_version
from iotriage.confinement.probe import Probed, nothing_blocked
from iotriage.confinement.seccomp import seccomp_here

LayerName = Literal["limits", "landlock", "seccomp", "namespaces", "own-root", "own-user"]

_SECONDS = 60.0
_PROBED: TypeAdapter[Probed] = TypeAdapter(Probed)
_COMMAND = (sys.executable, "-I", "-m", "iotriage.confinement.probe")


@dataclass(frozen=True, slots=True)
class Layer:
    """One thing that keeps in a reader that a log took over. `says` is what it keeps away; where it is not in force,
    why not, and what that means."""

    name: LayerName
    in_force: bool
    says: str


@dataclass(frozen=True, slots=True)
class Confinement:
    """What is in force here. `landlock_abi` is 0 where the kernel has no Landlock."""

    kernel: str
    architecture: str
    landlock_abi: int
    layers: tuple[Layer, ...]

    @property
    def holds_strangers(self) -> bool:
        """Whether the two layers are there without which other machines are not to reach a server."""
        return all(layer.in_force for layer in self.layers if layer.name in ("landlock", "seccomp"))

    @property
    def missing(self) -> tuple[Layer, ...]:
        return tuple(layer for layer in self.layers if not layer.in_force)


@cache
def available() -> Confinement:
    """What is in force on this host, tried once in a process of its own (a tenth of a second)."""
    return confinement_of(_probed(), landlock_version(), seccomp=ON_LINUX and seccomp_here())


def confinement_of(probed: Probed, landlock_abi: int, *, seccomp: bool) -> Confinement:
    """The sentences for what was found."""
    layers = (
        _limits(probed),
        _landlock(probed, landlock_abi),
        _seccomp(probed, there=seccomp),
        _namespaces(probed.isolation),
        _own_root(probed.isolation),
        _own_user(probed.isolation),
    )
    system, release, machine = platform.system(), platform.release(), platform.machine()
    return Confinement(f"{system} {release}", machine, landlock_abi, layers)


def _probed() -> Probed:
    with tempfile.TemporaryDirectory(prefix="iotriage-", ignore_cleanup_errors=True) as scratch:
        try:
            ended = subprocess.run(
                [*_COMMAND, scratch],
                env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                cwd="/",
                timeout=_SECONDS,
                check=True,
            )
            return _PROBED.validate_json(ended.stdout)
        except (subprocess.SubprocessError, ValidationError) as error:
            why = f"the trial of it failed ({type(error).__name__})"
            return nothing_blocked(Isolation(why, why, why, os.geteuid()), why)


def _limits(probed: Probed) -> Layer:
    if probed.refused is not None:
        return Layer(
            "limits", in_force=False, says=f"A reader could not be confined: {probed.refused}. No log can be read here."
        )
    if not probed.writes_scratch:
        says = "A reader cannot write temporary files here: compressed texts and archives will not be read."
        return Layer("limits", in_force=False, says=says)
    return Layer(
        "limits", in_force=True, says="A reader has so much memory, processor time, open files and output, and no more."
    )


def _landlock(probed: Probed, abi: int) -> Layer:
    if probed.files_blocked and abi > 0:
        also = (", opens no TCP connection" if abi >= 4 else "") + (", signals nobody" if abi >= 6 else "")
        says = f"Landlock ABI {abi}: a reader opens libraries only, runs no program{also}."
        return Layer("landlock", in_force=True, says=says)
    why = (
        "The kernel has no Landlock (Linux 5.13 or later, with landlock among the modules of its lsm= option)"
        if abi == 0
        else "Landlock could not be used"
    )
    means = "a reader that a log took over could open every file that its user can"
    return Layer("landlock", in_force=False, says=f"{why}: {means}, where it has no file system of its own.")


def _seccomp(probed: Probed, *, there: bool) -> Layer:
    if probed.calls_blocked and there:
        says = (
            "A reader has the system calls that reading needs: it opens no connection, starts no program, signals, "
            "traces and changes no other process, and changes neither rights nor times of a file."
        )
        return Layer("seccomp", in_force=True, says=says)
    means = "a reader that a log took over could connect to sockets, start processes, and try the whole kernel"
    return Layer("seccomp", in_force=False, says=f"The kernel has no seccomp filter for {platform.machine()}: {means}.")


def _namespaces(isolation: Isolation) -> Layer:
    if isolation.namespaces is None:
        says = "Readers have a network without interfaces, and see no process and no shared memory of others."
        return Layer("namespaces", in_force=True, says=says)
    return Layer(
        "namespaces",
        in_force=False,
        says=f"Readers have no namespaces of their own ({isolation.namespaces}): nothing but Landlock and seccomp "
        "keeps them from the network and from other processes. Root can make them, and others where the kernel "
        "lets them.",
    )


def _own_root(isolation: Isolation) -> Layer:
    if isolation.own_root is None:
        says = "Readers have a file system that holds libraries, read-only, and nothing else."
        return Layer("own-root", in_force=True, says=says)
    says = f"Readers have the file system of this host before them ({isolation.own_root}): only Landlock hides files."
    return Layer("own-root", in_force=False, says=says)


def _own_user(isolation: Isolation) -> Layer:
    if isolation.own_user is None:
        return Layer("own-user", in_force=True, says="Readers run as a user that owns nothing and that nobody else is.")
    says = f"Readers run as the server's user ({isolation.own_user}): only the other layers keep it from its files."
    return Layer("own-user", in_force=False, says=says)
