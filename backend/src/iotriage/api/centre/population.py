"""A rule's threshold put to the logs of the server's warehouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import Annotated

from fastapi import Depends, Path, Query

from iotriage.api.centre.reports import readable
from iotriage.api.centre.warehouse import Warehouse
from iotriage.api.guard.policies import HELPDESK_READS
from iotriage.api.problems import ProblemError, not_found
from iotriage.api.routers import api_router
from iotriage.api.services import Here
from iotriage.centre.population import MovedThreshold, Population, SettledThreshold
from iotriage.helpdesk.job_outcomes import job_outcomes
from iotriage_parsers.frozen import frozen

router = api_router("/centre/population/{rule_id}/{threshold_id}", tag="centre")

RuleId = Annotated[str, Path(description="The rule's id.", max_length=128)]
ThresholdId = Annotated[str, Path(description="The id of one of its thresholds.", max_length=128)]
Number = Annotated[float, Query(allow_inf_nan=False)]


@frozen
class _ThresholdOverDays:
    """A threshold of a rule, and the days whose logs it is put to, in UTC."""

    rule_id: str
    threshold_id: str
    first: date
    last: date


async def _over_days(rule_id: RuleId, threshold_id: ThresholdId, first: date, last: date) -> _ThresholdOverDays:
    return _ThresholdOverDays(rule_id, threshold_id, first, last)


OverDays = Annotated[_ThresholdOverDays, Depends(_over_days)]


@router.get("", dependencies=[HELPDESK_READS])
def get_population(asked: OverDays, warehouse: Warehouse) -> Population:
    """How the figure that the threshold is compared with is distributed over the logs of these days (in UTC) that the
    rule would flag under some number."""
    from iotriage.centre.judging.population import population

    with _comparable(asked), readable():
        return population(warehouse, asked.rule_id, asked.threshold_id, asked.first, asked.last)


@router.get("/moved", dependencies=[HELPDESK_READS])
def get_moved(asked: OverDays, value: Number, warehouse: Warehouse, services: Here) -> MovedThreshold:
    """Which of these logs another number would flag, compared with the numbers in force; which jobs appear or drop out;
    and for how many of them the helpdesk has a result of the rule's advice."""
    from iotriage.centre.judging.population import moved

    with services.database.reading() as session:
        outcomes = job_outcomes(session, asked.rule_id)
    with _comparable(asked), readable():
        return moved(warehouse, asked.rule_id, asked.threshold_id, asked.first, asked.last, value, outcomes)


@router.get("/settled", dependencies=[HELPDESK_READS])
def get_settled(asked: OverDays, value: Number, warehouse: Warehouse) -> SettledThreshold:
    """How all findings of these logs change under another number: where the rule then answers differently,
    explanations, severities, seconds and order are decided again."""
    from iotriage.centre.judging.resettled import settled_under

    with _comparable(asked), readable():
        return settled_under(warehouse, asked.rule_id, asked.threshold_id, asked.first, asked.last, value)


@contextmanager
def _comparable(asked: _ThresholdOverDays) -> Iterator[None]:
    from iotriage.centre.judging.figures import NotComparedError

    try:
        yield
    except NotComparedError:
        raise not_found("threshold", f"{asked.threshold_id} of {asked.rule_id}") from None
    except ValueError as wrong:
        raise ProblemError(422, "out-of-range", "The threshold cannot have that number", str(wrong)) from None
