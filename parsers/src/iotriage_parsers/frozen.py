"""What evidence, metrics and documents are made of: small values of which one diagnosis makes thousands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T]) -> type[T]:
    """As `@dataclass(frozen=True, slots=True)`, but that mypy alone forbids to assign a field: Python's own frozen
    classes set each field by a call, and take five times as long to make."""
    if cls.__doc__ is None:
        # dataclass would write the signature here, which takes as long as all else; pydantic shows neither.
        cls.__doc__ = f"{cls.__name__}(...)"
    return dataclass(slots=True, unsafe_hash=True)(cls)
