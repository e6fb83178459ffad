"""Unions of types that carry a `kind`, told apart by it: in the API's description, and when a document is read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotriage_parsers.frozen import frozen

if TYPE_CHECKING:
    from pydantic import GetCoreSchemaHandler
    from pydantic_core import CoreSchema


@frozen
class ByType:
    """Stands in `Annotated` as pydantic's own Discriminator would, which the command line has no need to import."""

    def __get_pydantic_core_schema__(self, source: type[object], handler: GetCoreSchemaHandler) -> CoreSchema:
        from pydantic import Discriminator

        return Discriminator("kind").__get_pydantic_core_schema__(source, handler)
