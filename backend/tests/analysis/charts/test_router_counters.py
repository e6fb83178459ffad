"""The routers of AUTOPERF Cray XC stand in the counter tables like any other module."""

from __future__ import annotations

import io

from darshan_writer import Log, Raw, build
from library_records import OTHER, apxc

from iotriage.analysis.views.counter_cells import CounterQuery, counter_page, modules_of
from iotriage.analysis.views.counters import counters_of
from iotriage_parsers.detect import read
from iotriage_parsers.evidence import DarshanLog


def test_routers_are_listed_with_their_counters_and_without_a_unit_that_they_do_not_have():
    evidence = read(io.BytesIO(build(Log(modules=(Raw("APXC", 1, apxc((0, 1, 2, 3), (0, 1, 2, 4))),)))))
    (held,) = modules_of(evidence)
    assert (held.name, held.records, len(held.counters)) == ("APXC", 2, 396)
    page = counter_page(evidence, CounterQuery("APXC", words="STALL"), 0, 500)
    assert page.matched == 2 * (40 + 16)
    assert {cell.unit for cell in page.cells} == {None}
    assert {(cell.record, cell.rank) for cell in page.cells} == {(str(OTHER), -1)}


def test_flits_of_several_routers_add_up_and_their_places_do_not():
    evidence = read(io.BytesIO(build(Log(modules=(Raw("APXC", 1, apxc((0, 1, 2, 3), (0, 1, 2, 4))),)))))
    (log,) = evidence.of(DarshanLog)
    totals = {one.name: one.value for one in counters_of(log.apxc)}
    assert totals["APXC_AR_RTR_0_0_INQ_PRF_INCOMING_FLIT_VC0"] == 2
    assert [totals[f"APXC_{at}"] for at in ("GROUP", "CHASSIS", "BLADE", "NODE")] == [None] * 4
