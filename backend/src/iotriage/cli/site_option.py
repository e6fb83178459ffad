"""--site and `IOTRIAGE_SITE`: by whose profile a command judges."""

from __future__ import annotations

import argparse
import os

from iotriage.sites import all_sites
from iotriage_parsers.frozen import frozen

DEFAULT_SITE = "IOTRIAGE_SITE"


@frozen
class SiteOption:
    """`chosen` holds whatever the evidence says, `default` where it names no site."""

    chosen: str | None
    default: str | None


def declare_site(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--site",
        metavar="ID",
        help="site profile to judge by (default: the one that the evidence names, else that of IOTRIAGE_SITE)",
    )


def site_option(chosen: str | None) -> SiteOption:
    """What --site and the environment say. ValueError for a site that is not known."""
    default = os.environ.get(DEFAULT_SITE) or None
    for site, of in ((chosen, ""), (default, f"{DEFAULT_SITE}: ")):
        if site is not None and site not in all_sites():
            raise ValueError(f"{of}unknown site {site!r}; known: {', '.join(all_sites())}")
    return SiteOption(chosen, default)
