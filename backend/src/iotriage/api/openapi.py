"""The API's description. `python -m iotriage.api > openapi.json` writes the copy that is committed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from iotriage.api.problems import MEDIA_TYPE

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_REFERENCE = "#/components/schemas/"


def describe(app: FastAPI) -> dict[str, Json]:
    """FastAPI's description, made exact: answers always have every field, and problems are problem+json."""
    schema: dict[str, Json] = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, tags=app.openapi_tags
    )
    schemas = _mapping(_mapping(schema["components"])["schemas"])
    in_requests = _names_in_request_bodies(schema, schemas)
    for name, component in schemas.items():
        if name not in in_requests:
            _require_every_property(_mapping(component))
    _problems_as_problem_json(schema)
    return schema


def as_text(schema: dict[str, Json]) -> str:
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _mapping(node: Json) -> dict[str, Json]:
    assert isinstance(node, dict)
    return node


def _nodes(node: Json) -> Iterator[dict[str, Json]]:
    """Every object of the description, outermost first."""
    if isinstance(node, dict):
        yield node
        for inner in list(node.values()):
            yield from _nodes(inner)
    elif isinstance(node, list):
        for inner in node:
            yield from _nodes(inner)


def _references(node: Json) -> Iterator[str]:
    for inner in _nodes(node):
        reference = inner.get("$ref")
        if isinstance(reference, str) and reference.startswith(_REFERENCE):
            yield reference.removeprefix(_REFERENCE)


def _names_in_request_bodies(schema: dict[str, Json], schemas: dict[str, Json]) -> set[str]:
    """The names of the types that clients send; in them, a field with a default may stay away."""
    open_names = [n for node in _nodes(schema) if "requestBody" in node for n in _references(node["requestBody"])]
    found: set[str] = set()
    while open_names:
        name = open_names.pop()
        if name not in found:
            found.add(name)
            open_names += _references(schemas[name])
    return found


def _require_every_property(component: dict[str, Json]) -> None:
    properties = component.get("properties")
    if isinstance(properties, dict):
        component["required"] = list(properties)
        for described in properties.values():
            _mapping(described).pop("default", None)


def _problems_as_problem_json(schema: dict[str, Json]) -> None:
    problems: list[Json] = [{"$ref": f"{_REFERENCE}{name}"} for name in ("ProblemDetails", "TwoTexts")]
    for node in _nodes(schema["paths"]):
        content = node.get("content")
        schema_of = _mapping(content.get("application/json") or {}).get("schema") if isinstance(content, dict) else None
        if schema_of in problems:
            node["content"] = {MEDIA_TYPE: {"schema": schema_of}}
