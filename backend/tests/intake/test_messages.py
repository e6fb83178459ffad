"""Orders to readers and answers to queries, as they cross."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotriage.boundary.decode_error import DecodeError
from iotriage.boundary.results import decode_result, encode_result
from iotriage.intake.excerpt import Excerpt, ExcerptLine
from iotriage.intake.reading import LinesQuery, ReadingLimits
from iotriage.intake.reading_child import LINES, ORDERS, ReadingOrder
from iotriage_parsers.evidence import Evidence, Failure


@pytest.mark.parametrize(
    "order", [ReadingOrder(None, ReadingLimits()), ReadingOrder(LinesQuery(1, 400, 3), ReadingLimits(cpu_seconds=0.5))]
)
def test_an_order_comes_back_as_it_was(order: ReadingOrder) -> None:
    assert ORDERS.decode(ORDERS.encode(order)) == order


@pytest.mark.parametrize(
    "answer",
    [None, Failure("empty", "a", "b"), Excerpt((), False, 0), Excerpt((ExcerptLine(7, "text", True),), True)],
)
def test_an_answer_to_a_query_comes_back_as_it_was(answer: Excerpt | Failure | None) -> None:
    assert LINES.decode(LINES.encode(answer)) == answer


def test_one_kind_of_message_is_not_taken_for_another() -> None:
    with pytest.raises(DecodeError):
        LINES.decode(encode_result(Evidence("text", ())))
    with pytest.raises(DecodeError):
        decode_result(LINES.encode(Excerpt((), False, 0)))


@given(st.binary(max_size=200))
def test_other_bytes_are_refused(message: bytes) -> None:
    with pytest.raises(DecodeError):
        ORDERS.decode(len(message).to_bytes(8, "little") + bytes(8) + message + bytes(-len(message) % 8))
