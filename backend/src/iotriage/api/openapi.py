"""The API's description. `python -m iotriage.api.openapi > openapi.json` writes the copy that is committed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import TypeAlias

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from iotriage.api.problems import MEDIA_TYPE

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

_REFERENCE = "#/components/schemas/"
_NULL: dict[str, Json] = {"type": "null"}


def describe(app: FastAPI) -> dict[str, Json]:
    """FastAPI's description, made exact: answers always have every field, a union of types that carry a `kind` is
    told apart by it, and problems are problem+json."""
    schema: dict[str, Json] = get_openapi(
        title=app.title, version=app.version, description=app.description, routes=app.routes, tags=app.openapi_tags
    )
    schemas = _mapping(_mapping(schema["components"])["schemas"])
    given = _names_in_request_bodies(schema, schemas)
    for name, component in schemas.items():
        if name not in given:
            _require_every_property(_mapping(component))
    for union in list(_unions(schema)):
        _discriminate(union, schemas)
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


def _unions(schema: Json) -> Iterator[dict[str, Json]]:
    return (node for node in _nodes(schema) if isinstance(node.get("anyOf"), list))


def _discriminate(union: dict[str, Json], schemas: dict[str, Json]) -> None:
    """Turns `anyOf` into `oneOf` with a discriminator where all its members, null aside, have a constant `kind`."""
    members = union["anyOf"]
    assert isinstance(members, list)
    typed = [m for m in members if m != _NULL]
    kinds = {kind: reference for m in typed if (reference := _reference(m)) and (kind := _kind(reference, schemas))}
    if len(kinds) < 2 or len(kinds) != len(typed):
        return
    told_apart: dict[str, Json] = {
        "oneOf": typed,
        "discriminator": {"propertyName": "kind", "mapping": {k: _REFERENCE + r for k, r in kinds.items()}},
    }
    if len(typed) < len(members):
        union["anyOf"] = [told_apart, _NULL]
    else:
        del union["anyOf"]
        union.update(told_apart)


def _reference(member: Json) -> str | None:
    return next(_references(member), None) if isinstance(member, dict) and "$ref" in member else None


def _kind(name: str, schemas: dict[str, Json]) -> str | None:
    properties = _mapping(schemas[name]).get("properties")
    kind = properties.get("kind") if isinstance(properties, dict) else None
    constant = kind.get("const") if isinstance(kind, dict) else None
    return constant if isinstance(constant, str) else None


def _problems_as_problem_json(schema: dict[str, Json]) -> None:
    problem: dict[str, Json] = {"$ref": f"{_REFERENCE}ProblemDetails"}
    for node in _nodes(schema["paths"]):
        content = node.get("content")
        if isinstance(content, dict) and _mapping(content.get("application/json") or {}).get("schema") == problem:
            node["content"] = {MEDIA_TYPE: {"schema": problem}}


if __name__ == "__main__":
    from iotriage.api.app import create_app
    from iotriage.settings import Settings

    sys.stdout.write(as_text(create_app(Settings()).openapi()))
