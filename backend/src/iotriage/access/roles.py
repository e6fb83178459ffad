"""Which role somebody has, by who they are and the groups that the log-in says they are in."""

from __future__ import annotations

from collections.abc import Collection

from iotriage.access.person import LOCAL, Role
from iotriage_parsers.frozen import frozen

_LARGEST_ID = 255


@frozen
class RoleRules:
    """`administrators` are ids of people; the others names of groups. With `user_groups`, who is in none of all these
    groups is not let in."""

    administrators: frozenset[str] = frozenset()
    admin_groups: frozenset[str] = frozenset()
    helpdesk_groups: frozenset[str] = frozenset()
    user_groups: frozenset[str] = frozenset()


def role_of(rules: RoleRules, person: str, groups: Collection[str]) -> Role | None:
    """The highest that applies; None for who is not let in."""
    own_groups = frozenset(groups)
    if not _may_be_an_id(person):
        return None
    if person in rules.administrators or own_groups & rules.admin_groups:
        return "admin"
    if own_groups & rules.helpdesk_groups:
        return "helpdesk"
    return "user" if not rules.user_groups or own_groups & rules.user_groups else None


def _may_be_an_id(person: str) -> bool:
    """Whether it can be stored and shown, and is not what the one person of a loopback is called: the cases that were
    made there are not for whoever has that name."""
    return 0 < len(person) <= _LARGEST_ID and person.isprintable() and person != LOCAL.id
