"""Processes of cases that do what the name of a source says when they are to diagnose it: for tests of what stands
between them and the service."""

from __future__ import annotations

import os
import signal

from iotriage.intake import case_child
from iotriage.intake.case_evidence import CaseEvidence
from iotriage.intake.case_queries import Diagnose, FilesPage, Query, Ranks
from iotriage.intake.child import FIRST_DESCRIPTOR, Work
from iotriage.intake.frames import HEAD, Kind


class HostileEvidence(CaseEvidence):
    def answer(self, query: Query) -> bytes:
        if isinstance(query, Diagnose):
            for source in self._sources:
                _obey(source.name)
        return super().answer(query)


class HostileViews(CaseEvidence):
    def answer(self, query: Query) -> bytes:
        if isinstance(query, FilesPage):
            os.kill(os.getpid(), signal.SIGKILL)
        if isinstance(query, Ranks):
            _obey("hang")
        return super().answer(query)


def _obey(order: str) -> None:
    if order == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if order == "real-time signal":
        signal.setitimer(signal.ITIMER_REAL, 0)
        os.kill(os.getpid(), 35)
    if order == "hang":
        while True:
            pass
    if order == "sleep":
        signal.pause()
    if order == "slow":
        begun = os.times()
        while os.times().user + os.times().system - begun.user - begun.system < 1.6:
            pass
    if order == "allocate":
        bytearray(8 * 2**30)
    if order == "raise":
        raise ZeroDivisionError("what diagnosing should never do")
    if order == "flood":
        os.write(FIRST_DESCRIPTOR, HEAD.pack(Kind.ANSWER, 0, 2**40))
        signal.pause()
    if order == "no frame":
        os.write(FIRST_DESCRIPTOR, b"\xff" * HEAD.size)
        signal.pause()
    if order == "no document":
        os.write(FIRST_DESCRIPTOR, HEAD.pack(Kind.ANSWER, 0, 2) + b"{}")
        signal.pause()


def answering() -> Work:
    case_child.CaseEvidence = HostileEvidence  # type: ignore[misc]
    return case_child.answering()


def answering_views() -> Work:
    case_child.CaseEvidence = HostileViews  # type: ignore[misc]
    return case_child.answering()


def sleeping() -> Work:
    return lambda _: signal.pause()  # type: ignore[return-value]
