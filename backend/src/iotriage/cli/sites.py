"""`iotriage sites`: the profiles that can be chosen with --site."""

from __future__ import annotations

import argparse
import sys

from iotriage.cli import DONE
from iotriage.sites import all_sites
from iotriage.sites.site import Site


def declare(command: argparse.ArgumentParser) -> None:
    command.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    sys.stdout.write("\n".join(_as_text(s) for s in all_sites().values()))
    return DONE


def _as_text(site: Site) -> str:
    lines = [f"{site.id}  {site.title} ({site.status}, checked {site.checked})"]
    for fs in site.file_systems:
        osts = f", {fs.osts} OSTs" if fs.osts is not None else ""
        lines.append(f"    {fs.title}: {fs.kind}{osts}")
    lines += [f"    {t.threshold} = {t.value:g}: {t.why}" for t in site.thresholds]
    return "\n".join(lines) + "\n"
