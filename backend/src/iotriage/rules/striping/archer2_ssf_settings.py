"""A shared file is written collectively on ARCHER2 without the two settings its guide asks for.

## What it does
For shared files with collective calls on ARCHER2, looks at the segment limit of libfabric (`FI_OFI_RXM_SAR_LIMIT`), the
lock mode and the multiplier of the aggregators.

## Why it matters
ARCHER2's guide reports that with the defaults parallel I/O from several nodes can be slow, and asks to set these in
every batch script that writes one shared file.

## What to do
Set them as below, and try the UCX variant of the MPI library with the whole program.

## Limits
The settings are in no log: it takes the job script, or a display of environment and hints.
"""

from __future__ import annotations

from iotriage.rules.advice.calls import site_environment
from iotriage.rules.core import Advice, Citation, Context, Rule, Statement, Threshold, Words, ours, share_of_job
from iotriage.rules.core.claim import WRITES_OF_FEW, Claim, ShareOf, waited_for_storage
from iotriage.rules.core.condition import AllOf, AnyOf, Compare, IsOneOf, when_present
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import paragraph, printable

LOCK_MODE = Threshold(
    id="archer2-ssf-settings.lock-mode",
    title="Lock mode recommended",
    default=2.0,
    unit="1",
    stated_by=Statement("archer2-io", "Environment variables", "cray_cb_write_lock_mode=2 for every shared file."),
    slider=linear(0.0, 2.0),
)
MULTIPLIER = Threshold(
    id="archer2-ssf-settings.multiplier",
    title="Aggregators for each stripe recommended",
    default=4.0,
    unit="1",
    stated_by=Statement("archer2-io", "Environment variables", "cray_cb_nodes_multiplier=4 for every shared file."),
    slider=linear(1.0, 16.0),
)
LIMIT = Threshold(
    id="archer2-ssf-settings.sar-limit",
    title="FI_OFI_RXM_SAR_LIMIT recommended",
    default=float(2**16),
    unit="B",
    stated_by=Statement("archer2-io", "Environment variables", "FI_OFI_RXM_SAR_LIMIT=64K for every shared file."),
    slider=logarithmic(1024.0, float(2**30)),
)
NODES = Threshold(
    id="archer2-ssf-settings.ranks",
    title="Ranks from which the job surely spans several nodes",
    default=129.0,
    unit="ranks",
    stated_by=ours("several nodes", "ARCHER2's guide speaks of several nodes; one holds 128 ranks."),
    slider=logarithmic(2.0, 1024.0),
)

SETTINGS = Citation("archer2-io", "Environment variables")

DEFAULTS = ("0", "null", "not set", "unset", "")


def says(context: Context) -> Words:
    mode, multiplier = context.number("hints.lock_mode"), context.number("hints.nodes_multiplier")
    limit = context.word("environment.sar_limit")
    return Words(
        "A shared file is written collectively without the settings that ARCHER2's guide asks for.",
        paragraph(
            None if mode is None else f"The write lock mode is {mode:.0f}.",
            None if multiplier is None else f"The multiplier of the aggregators is {multiplier:.0f}.",
            None if limit is None else f"FI_OFI_RXM_SAR_LIMIT is {printable(limit) or 'empty'}.",
        )
        or "The settings are not those of the guide.",
    )


def advise(context: Context) -> tuple[Advice, ...]:
    return site_environment(context)


rule = Rule(
    id="archer2-ssf-settings",
    title="ARCHER2's settings for shared files",
    clear_title="ARCHER2's settings for shared files are in use",
    scope="group",
    severity="medium",
    priority=25,
    carries=share_of_job,
    requires=AllOf(
        (
            IsOneOf("job.site", ("archer2",)),
            IsOneOf("io.pattern", ("shared-collective",)),
            Compare("job.nprocs", ">=", NODES.id),
        )
    ),
    condition=AnyOf(
        (
            Compare("hints.lock_mode", "!=", LOCK_MODE.id),
            Compare("hints.nodes_multiplier", "<", MULTIPLIER.id),
            IsOneOf("environment.sar_limit", DEFAULTS),
            when_present("environment.sar_limit_bytes", Compare("environment.sar_limit_bytes", "<", LIMIT.id)),
        )
    ),
    thresholds=(LOCK_MODE, MULTIPLIER, LIMIT, NODES),
    citations=(SETTINGS, Citation("archer2-io", "Single Shared File with collective writes (SSF)")),
    says=says,
    advise=advise,
    explains=("below-expectation",),
    claims=(
        Claim(("writes",)),
        *waited_for_storage(),
        # The limit of libfabric is about what the library sends, and not about ranks that come late.
        Claim(("exchange",), ShareOf("mpiio.unknown_phase_fraction"), IsOneOf("mpiio.waited_for", ("library",))),
        Claim(("imbalance",), WRITES_OF_FEW),
    ),
)
