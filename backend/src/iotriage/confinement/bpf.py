"""Programs of classic BPF, as seccomp runs them on each system call: a number and six arguments in, a verdict out.

https://docs.kernel.org/userspace-api/seccomp_filter.html, struct seccomp_data in linux/seccomp.h. Instructions are
written in the order in which they run; every jump goes forward over the few instructions of one call's block, so
that no distance comes near the 255 that the format has room for.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass

ALLOW = 0x7FFF_0000
KILL_PROCESS = 0x8000_0000
_REFUSE_WITH = 0x0005_0000

_LOAD_WORD = 0x20
_JUMP_EQUAL, _JUMP_GREATER_EQUAL, _JUMP_ANY_BIT = 0x15, 0x35, 0x45
_AND = 0x54
_RETURN = 0x06

_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16
_LOW, _HIGH = (0, 4) if sys.byteorder == "little" else (4, 0)


@dataclass(frozen=True, slots=True)
class Instruction:
    """struct sock_filter: what to do, how many to skip where a comparison holds and where not, and its operand."""

    code: int
    if_true: int
    if_false: int
    operand: int


Block = tuple[Instruction, ...]


def refuse(error: int) -> int:
    """The verdict that the call does nothing and answers this errno."""
    return _REFUSE_WITH | error


def answer(verdict: int) -> Block:
    return (Instruction(_RETURN, 0, 0, verdict),)


def unless_architecture(architecture: int, verdict: int) -> Block:
    return (_load(_ARCHITECTURE_AT), Instruction(_JUMP_EQUAL, 1, 0, architecture), *answer(verdict))


def load_number() -> Block:
    """What the comparisons of `for_number` and `from_number` look at; a block that tests arguments ends the program."""
    return (_load(_NUMBER_AT),)


def from_number(number: int, verdict: int) -> Block:
    """The verdict for this system call and all above it."""
    return (Instruction(_JUMP_GREATER_EQUAL, 0, 1, number), *answer(verdict))


def for_number(number: int, then: Block) -> Block:
    """What to do on this system call; `then` ends with a verdict."""
    return (Instruction(_JUMP_EQUAL, 0, len(then), number), *then)


def low_half_is_one_of(argument: int, values: Sequence[int], otherwise: int) -> Block:
    """Goes on where the lower 32 bits of the argument are one of these: the kernel looks at no more of an int."""
    last = len(values) - 1
    tests = (Instruction(_JUMP_EQUAL, last - i + 1, 0, value) for i, value in enumerate(values))
    return (_load_argument(argument, _LOW), *tests, *answer(otherwise))


def low_half_has_none_of(argument: int, bits: int, otherwise: int) -> Block:
    """Goes on where none of these bits is set."""
    return (_load_argument(argument, _LOW), Instruction(_JUMP_ANY_BIT, 0, 1, bits), *answer(otherwise))


def low_half_lacks_some(argument: int, bits: int, otherwise: int) -> Block:
    """Goes on where at least one of these bits is not set."""
    anded = Instruction(_AND, 0, 0, bits)
    return (_load_argument(argument, _LOW), anded, Instruction(_JUMP_EQUAL, 0, 1, bits), *answer(otherwise))


def is_null(argument: int, otherwise: int) -> Block:
    """Goes on where all 64 bits of the argument are 0."""
    zero = (Instruction(_JUMP_EQUAL, 1, 0, 0), *answer(otherwise))
    return (_load_argument(argument, _LOW), *zero, _load_argument(argument, _HIGH), *zero)


def encoded(program: Block) -> bytes:
    """An array of struct sock_filter."""
    return b"".join(struct.pack("=HBBI", i.code, i.if_true, i.if_false, i.operand) for i in program)


def _load(offset: int) -> Instruction:
    return Instruction(_LOAD_WORD, 0, 0, offset)


def _load_argument(argument: int, half: int) -> Instruction:
    return _load(_ARGUMENTS_AT + 8 * argument + half)
