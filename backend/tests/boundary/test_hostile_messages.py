"""Whatever comes instead of a message: a value of the right types, or RefusedError; in bounded memory."""

from __future__ import annotations

import pickle
import random
import tracemalloc
from copy import deepcopy
from pathlib import Path

import msgspec
import pytest
from budget import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from iotriage.boundary.codec import Bounds
from iotriage.boundary.decode_error import DecodeError
from iotriage.boundary.results import Result, decode_result, encode_result
from iotriage_parsers.detect import read_or_unpack
from iotriage_parsers.evidence import Archive, Evidence, Failure, Member

SAMPLES = Path(__file__).parents[3] / "sample-logs"


def _found(name: str) -> Result:
    with (SAMPLES / name).open("rb") as stream:
        return read_or_unpack(stream)


_LOG = _found("darshan_log/13-imbalanced-rank0/13-imbalanced-rank0.darshan")
_TRACE = _found("darshan_dxt_text/shared-collective/dxt.txt")
_TEXT = _found("mpich_stats/bad-collective-write-one-aggregator/plume-7204411.stderr.txt")
assert isinstance(_LOG, Evidence)
MESSAGES = [
    encode_result(found)
    for found in (_LOG, _TRACE, _TEXT, Failure("empty", "a", "b"), Archive("zip", (Member("a", "0", 1, _LOG),)))
]

Node = None | bool | int | float | str | bytes | list["Node"] | dict["Node", "Node"]

ODD: tuple[Node, ...] = (
    *(None, True, -1, 0, 2**40, 2**63, 2**64 - 1, -(2**63), 0.5, float("nan"), float("inf"), "", "x", b"\xff"),
    *([], {}, [[]], {1: 1}, "Evidence", "DarshanLog", ["segment", [2**40]], ["i8", [-1]], ["i8", [2**39, 2**39]]),
)


def framed(values: bytes, arrays: bytes) -> bytes:
    """A message as the codec lays it out, lengths true."""
    filling = bytes(-len(values) % 8)
    return len(values).to_bytes(8, "little") + len(arrays).to_bytes(8, "little") + values + filling + arrays


def parts_of(message: bytes) -> tuple[bytes, bytes]:
    values, arrays = (int.from_bytes(message[at : at + 8], "little") for at in (0, 8))
    return message[16 : 16 + values], message[len(message) - arrays :]


def settle(message: bytes) -> Result | None:
    """The value, which is of the right types since it can be encoded again; None where it was refused."""
    try:
        value = decode_result(message, Bounds(total_bytes=2**26))
    except DecodeError:
        return None
    assert isinstance(value, Evidence | Archive | Failure)
    assert encode_result(value)
    return value


@given(st.binary(max_size=400))
def test_any_bytes(message: bytes) -> None:
    assert settle(message) is None
    assert settle(framed(message, b"")) is None


@settings(max_examples=examples(50))
@given(st.sampled_from(MESSAGES), st.lists(st.tuples(st.integers(0), st.integers(0, 7)), min_size=1, max_size=4))
def test_flipped_bits(message: bytes, flips: list[tuple[int, int]]) -> None:
    changed = bytearray(message)
    for at, bit in flips:
        # Half of them near the beginning, where lengths and names stand.
        changed[at // 2 % (len(changed) if at % 2 else min(600, len(changed)))] ^= 1 << bit
    settle(bytes(changed))


@given(st.sampled_from(MESSAGES), st.integers(0), st.binary(max_size=9))
def test_cut_and_longer_messages_are_refused(message: bytes, at: int, more: bytes) -> None:
    assert settle(message[: at % len(message)]) is None
    assert not more or settle(message + more) is None


def _nodes(node: Node, into: list[list[Node]]) -> list[list[Node]]:
    if isinstance(node, list):
        into.append(node)
        for inner in node:
            _nodes(inner, into)
    return into


@settings(max_examples=examples(100))
@given(st.sampled_from(MESSAGES), st.integers(0, 2**32))
def test_other_structures_of_true_lengths(message: bytes, seed: int) -> None:
    draw = random.Random(seed)
    values, arrays = parts_of(message)
    tree: list[Node] = [msgspec.msgpack.decode(values, strict=True)]
    for _ in range(draw.choice((1, 1, 2, 5))):
        full = [held for held in _nodes(tree, []) if held]
        if not full:
            break
        within = draw.choice(full)
        at = draw.randrange(len(within))
        match draw.randrange(6):
            case 0:
                within[at] = deepcopy(draw.choice(ODD))
            case 1:
                within.insert(at, deepcopy(draw.choice(ODD)))
            case 2:
                del within[at]
            case 3:
                within[at] = within[draw.randrange(len(within))]
            case 4:
                within[at] = [within[at]]
            case _:
                within *= 2
    if tree:
        settle(framed(msgspec.msgpack.encode(tree[0]), arrays[: draw.choice((len(arrays), len(arrays) // 2, 0))]))


def _array(count: int) -> bytes:
    return b"\xdd" + count.to_bytes(4, "big")


def _str(text: str) -> bytes:
    return msgspec.msgpack.encode(text)


def _placements(text: bytes) -> bytes:
    head = b"\x92" + _str("Evidence") + b"\x93" + _str("r") + _array(1) + b"\x92" + _str("AggregatorPlacement")
    return head + b"\x96" + _str("f") + b"\x90" + text + b"\x93\x01\x01" + _str("lines") + b"\xc3" + b"\xa0" + b"\x90"


MANY = 2**18
EXPENSIVE = {
    "short texts": _placements(_array(MANY // 3) + b"\xa2ab" * (MANY // 3)),
    "nothing but nesting": _placements(b"\x91" * MANY),
    "nested maps": b"\x81" * MANY,
    "a list that says it is longer": _placements(b"\xdd\xff\xff\xff\xff" + b"\xa0" * MANY),
    "a text that says it is longer": _placements(b"\x91\xdb\xff\xff\xff\xff" + b"a" * MANY),
    "a map that says it is longer": b"\xdf\xff\xff\xff\xff" + b"\x01\x01" * MANY,
    "bytes": b"\xc6" + MANY.to_bytes(4, "big") + bytes(MANY),
    "an extension": b"\xc9" + MANY.to_bytes(4, "big") + b"\x01" + bytes(MANY),
    "many parts": b"\x92" + _str("Evidence") + b"\x93" + _str("r") + _array(MANY) + b"\xc0" * MANY,
    "empty members": b"\x92"
    + _str("Archive")
    + b"\x93"
    + _str("zip")
    + _array(MANY // 20)
    + (b"\x94\xa0\xa0\x00\x92" + _str("Evidence") + b"\x93\xa0\x90\x90") * (MANY // 20)
    + b"\xc0",
}


@pytest.mark.parametrize("values", EXPENSIVE.values(), ids=EXPENSIVE)
def test_memory_stays_in_proportion_to_the_message(values: bytes) -> None:
    message = framed(values, b"")
    tracemalloc.start()
    settled = decode_or_none(message)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert settled is None or isinstance(settled, Evidence | Archive)
    assert peak < 32 * len(message)


def decode_or_none(message: bytes) -> Result | None:
    try:
        return decode_result(message)
    except DecodeError:
        return None


def test_more_parts_than_allowed_are_refused_before_they_are_made() -> None:
    message = framed(EXPENSIVE["empty members"], b"")
    assert decode_result(message)
    with pytest.raises(DecodeError, match="too many parts"):
        decode_result(message, Bounds(parts=2_000))


class _Calls:
    def __reduce__(self) -> tuple[object, tuple[str]]:
        return pytest.fail, ("code of the message was run",)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_refused(protocol: int) -> None:
    pickled = pickle.dumps(_Calls(), protocol)
    assert settle(pickled) is None
    assert settle(framed(pickled, b"")) is None
    assert settle(framed(b"", pickled)) is None


def test_half_a_character_is_refused() -> None:
    values, arrays = parts_of(encode_result(Failure("empty", "abc", "")))
    assert settle(framed(values.replace(b"abc", b"abc"), arrays))
    assert settle(framed(values.replace(b"abc", b"\xed\xa0\x80"), arrays)) is None
    assert settle(framed(values.replace(b"abc", b"a\xffc"), arrays)) is None
