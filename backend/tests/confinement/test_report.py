"""What is said of a host: by what was tried there, whatever this one has."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iotriage.confinement.isolation import Isolation
from iotriage.confinement.kernel import ON_LINUX
from iotriage.confinement.landlock import landlock_version
from iotriage.confinement.probe import Probed
from iotriage.confinement.report import Confinement, available, confinement_of
from iotriage.confinement.seccomp import seccomp_here

EVERYTHING = Probed(Isolation(None, None, None, 61_200), True, True, True, None)


def missing(found: Confinement) -> dict[str, str]:
    return {layer.name: layer.says for layer in found.missing}


def test_where_everything_is_there_nothing_is_missing() -> None:
    found = confinement_of(EVERYTHING, 6, seccomp=True)
    assert found.holds_strangers
    assert missing(found) == {}
    assert [layer.name for layer in found.layers] == [
        "limits",
        "landlock",
        "seccomp",
        "namespaces",
        "own-root",
        "own-user",
    ]


def test_without_landlock_strangers_are_not_held_and_it_is_said_what_that_means() -> None:
    found = confinement_of(replace(EVERYTHING, files_blocked=False), 0, seccomp=True)
    assert not found.holds_strangers
    assert list(missing(found)) == ["landlock"]
    assert "5.13" in missing(found)["landlock"]
    assert "could open every file" in missing(found)["landlock"]


def test_a_landlock_that_is_there_but_does_not_hold_is_not_in_force() -> None:
    assert not confinement_of(replace(EVERYTHING, files_blocked=False), 7, seccomp=True).holds_strangers


def test_sockets_that_fail_for_another_reason_are_not_taken_for_seccomp() -> None:
    assert list(missing(confinement_of(EVERYTHING, 6, seccomp=False))) == ["seccomp"]
    assert list(missing(confinement_of(replace(EVERYTHING, calls_blocked=False), 6, seccomp=True))) == ["seccomp"]


def test_without_namespaces_and_a_user_strangers_are_still_held() -> None:
    isolation = Isolation("Operation not permitted", "Operation not permitted", "the server was not started as root", 1)
    found = confinement_of(replace(EVERYTHING, isolation=isolation), 3, seccomp=True)
    assert found.holds_strangers
    assert set(missing(found)) == {"namespaces", "own-root", "own-user"}
    assert "Operation not permitted" in missing(found)["namespaces"]


def test_what_cannot_be_confined_is_said_first() -> None:
    refused = Probed(EVERYTHING.isolation, False, False, False, "Landlock: Argument list too long")
    found = confinement_of(refused, 6, seccomp=True)
    assert "Argument list too long" in missing(found)["limits"]
    assert not found.holds_strangers


@pytest.mark.skipif(not ON_LINUX, reason="what confines is Linux's")
def test_this_host_is_said_as_it_is() -> None:
    found = available()
    there = {layer.name: layer.in_force for layer in found.layers}
    assert there["limits"]
    assert there["landlock"] is (landlock_version() > 0)
    assert there["seccomp"] is seccomp_here()
    assert found.landlock_abi == landlock_version()
