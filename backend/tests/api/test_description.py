"""Whatever the description allows gets an answer that the description allows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from budget import SEED, examples
from hypothesis import HealthCheck, given, settings
from starlette.testclient import TestClient

from iotriage.api.app import create_app
from iotriage.settings import Settings

# Its import takes seconds, in every process that collects the tests.
if TYPE_CHECKING:
    import schemathesis
    from schemathesis.specs.openapi.schemas import OpenApiSchema

DESCRIPTION = Path(__file__).parents[3] / "openapi.json"
OPERATIONS = sorted(
    (path, method.upper())
    for path, operations in json.loads(DESCRIPTION.read_bytes())["paths"].items()
    for method in operations
)

DECIDED_BY_MORE = {
    ("/api/v1/cases", "POST"),
    ("/api/v1/cases/{case_id}", "PATCH"),
    ("/api/v1/cases/{case_id}/sources/{index}/lines", "GET"),
    ("/api/v1/keeping/site", "PUT"),
    ("/api/v1/keeping/{kind}/days", "PUT"),
    ("/api/v1/sites/{site_id}/profile", "PUT"),
    ("/api/v1/sites/{site_id}/thresholds/{threshold_id}", "PUT"),
    ("/api/v1/sources/{sha256}", "PUT"),
    ("/api/v1/tickets/{ticket_id}/outcome", "PATCH"),
}
"""What the form of a request cannot say: that a source is known, a site or rule exists, text is a site's profile,
bytes have their hash, the audit log is kept for 30 days."""


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenApiSchema]:
    import schemathesis

    folder = tmp_path_factory.mktemp("described")
    app = create_app(Settings(data_dir=folder, samples_dir=folder / "none", allowed_hosts=("*",), open_loopback=True))
    with TestClient(app):
        yield schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)


def test_the_description_kept_is_the_programs(described: OpenApiSchema) -> None:
    operations = [found.ok() for found in described.get_all_operations()]
    assert sorted((operation.path, operation.method.upper()) for operation in operations) == OPERATIONS


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_the_program_keeps_to_its_description(described: OpenApiSchema, path: str, method: str) -> None:
    from schemathesis.specs.openapi.checks import positive_data_acceptance

    excluded = [positive_data_acceptance] if (path, method) in DECIDED_BY_MORE else []

    @given(case=described[path][method].as_strategy())
    @settings(
        max_examples=examples(4),
        deadline=None,
        derandomize=SEED is None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    def holds(case: schemathesis.Case) -> None:
        case.call_and_validate(excluded_checks=excluded)

    holds()
