"""The filter of each architecture, run by a small machine here; and on the kernel, in `test_attempts`."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from iotriage.confinement.bpf import ALLOW, KILL_PROCESS, Block, refuse
from iotriage.confinement.calls import AARCH64, CALLS, NEWEST_KNOWN, X86_64, Calls
from iotriage.confinement.seccomp import filter_of, seccomp_here

PID = 4711
REFUSED, UNKNOWN = refuse(errno.EPERM), refuse(errno.ENOSYS)
_I386, _ARM = 0x4000_0003, 0x4000_0028
_HEADERS = {
    X86_64: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    AARCH64: Path("/usr/include/asm-generic/unistd.h"),
}


def verdict(program: Block, architecture: int, number: int, *arguments: int) -> int:
    """What the program answers: the machine of linux/filter.h, as far as it is used."""
    given = [*arguments, *(0,) * (6 - len(arguments))]
    data = b"".join(value.to_bytes(size, "little") for value, size in ((number, 4), (architecture, 4), (0, 8)))
    data += b"".join((value % (1 << 64)).to_bytes(8, "little") for value in given)
    at, word = 0, 0
    while True:
        step = program[at]
        at += 1
        match step.code:
            case 0x20:
                word = int.from_bytes(data[step.operand : step.operand + 4], "little")
            case 0x54:
                word &= step.operand
            case 0x06:
                return step.operand
            case _:
                holds = {
                    0x15: word == step.operand,
                    0x35: word >= step.operand,
                    0x45: bool(word & step.operand),
                }[step.code]
                at += step.if_true if holds else step.if_false


def asked(calls: Calls, name: str, *arguments: int, writes: bool = False) -> int:
    return verdict(filter_of(calls, PID, writes=writes), calls.audit, calls.numbers[name], *arguments)


@pytest.fixture(params=CALLS)
def calls(request: pytest.FixtureRequest) -> Calls:
    return CALLS[request.param]


def test_a_call_of_the_list_is_made_and_any_other_is_not(calls: Calls) -> None:
    program = filter_of(calls, PID, writes=True)
    listed = set(calls.numbers.values())
    assert asked(calls, "read") == asked(calls, "exit_group") == asked(calls, "munmap") == ALLOW
    others = set(range(NEWEST_KNOWN + 1)) - listed
    assert {verdict(program, calls.audit, number) for number in others} == {REFUSED}
    assert verdict(program, calls.audit, NEWEST_KNOWN + 1) == verdict(program, calls.audit, 4000) == UNKNOWN


@pytest.mark.parametrize("architecture", [_I386, _ARM, 0])
def test_the_calls_of_another_architecture_end_the_process(calls: Calls, architecture: int) -> None:
    program = filter_of(calls, PID, writes=True)
    assert {verdict(program, architecture, number) for number in range(500)} == {KILL_PROCESS}


def test_the_calls_of_x32_end_the_process() -> None:
    calls = CALLS[X86_64]
    program = filter_of(calls, PID, writes=True)
    assert {verdict(program, calls.audit, 0x4000_0000 | number) for number in range(600)} == {KILL_PROCESS}


def test_what_arguments_decide(calls: Calls) -> None:
    read, write, run = mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_EXEC
    assert asked(calls, "mmap", 0, 4096, read | write) == asked(calls, "mmap", 0, 4096, read | run) == ALLOW
    assert asked(calls, "mmap", 0, 4096, read | write | run) == REFUSED
    assert asked(calls, "mprotect", 0, 4096, read | write) == ALLOW
    assert asked(calls, "mprotect", 0, 4096, read | run) == REFUSED
    assert asked(calls, "kill", PID, 9) == asked(calls, "tgkill", PID, PID, 6) == ALLOW
    assert asked(calls, "kill", 1, 9) == asked(calls, "kill", -1, 9) == asked(calls, "tgkill", 1, 1, 9) == REFUSED
    assert asked(calls, "prlimit64", 0, 7) == ALLOW
    assert asked(calls, "prlimit64", PID, 7) == REFUSED
    assert asked(calls, "sendto", 3, 1, 1, 0, 0, 0) == ALLOW
    assert asked(calls, "sendto", 3, 1, 1, 0, 1, 16) == asked(calls, "sendto", 3, 1, 1, 0, 1 << 32, 16) == REFUSED
    assert asked(calls, "fcntl", 3, fcntl.F_DUPFD_CLOEXEC) == asked(calls, "fcntl", 3, fcntl.F_GETFL) == ALLOW
    assert asked(calls, "fcntl", 3, fcntl.F_SETOWN) == asked(calls, "fcntl", 3, fcntl.F_SETLK) == REFUSED
    assert asked(calls, "ioctl", 3, 0x5451) == ALLOW
    assert asked(calls, "ioctl", 3, 0x5412) == REFUSED


@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR, os.O_CREAT, os.O_TRUNC | os.O_RDONLY])
def test_who_has_no_folder_to_write_in_opens_nothing_for_writing(calls: Calls, flags: int) -> None:
    assert asked(calls, "openat", -100, 1, flags, writes=False) == REFUSED
    assert asked(calls, "openat", -100, 1, flags, writes=True) == ALLOW
    assert asked(calls, "openat", -100, 1, os.O_RDONLY | os.O_CLOEXEC, writes=False) == ALLOW
    assert asked(calls, "unlinkat", -100, 1, 0, writes=False) == REFUSED
    assert asked(calls, "unlinkat", -100, 1, 0, writes=True) == ALLOW


@pytest.mark.parametrize("architecture", CALLS)
def test_the_numbers_are_those_of_the_kernels_headers(architecture: str) -> None:
    header = _HEADERS[architecture]
    if not header.exists():
        pytest.skip(f"{header} is not here: the kernel's headers are not installed")
    found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    found = {"newfstatat" if name == "fstatat" else name: int(number) for name, number in found.items()}
    calls = CALLS[architecture]
    ours = {**calls.numbers, "seccomp": calls.seccomp, "pivot_root": calls.pivot_root}
    assert {name: found.get(name) for name in ours} == ours


@pytest.mark.skipif(not seccomp_here(), reason="the kernel has no seccomp filter")
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="x32 is an ABI of x86-64")
def test_the_kernel_ends_a_process_that_uses_another_abi() -> None:
    program = (
        "import ctypes; from iotriage.confinement.kernel import set_no_new_privs; "
        "from iotriage.confinement.seccomp import restrict_calls; "
        "set_no_new_privs(); restrict_calls(writes=False); print('confined', flush=True); "
        "ctypes.CDLL(None).syscall(0x40000000 | 39); print('still here', flush=True)"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, timeout=100)
    assert done.stdout == "confined\n"
    assert done.returncode == -signal.SIGSYS
