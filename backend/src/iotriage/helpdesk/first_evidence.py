"""What is written to who complained of a job and sent nothing of it: which lines make a log."""

from __future__ import annotations

from iotriage.analysis.decision.evidence_headlines import lines_to_add
from iotriage.helpdesk.templates import Template, filled_without_job
from iotriage.reports.blocks import Block, Command, Paragraph
from iotriage.sites.site import Site


def first_evidence_blocks(template: Template, site: Site | None) -> tuple[Block, ...]:
    """Fitted to the site, where one is known: its module of Darshan, and whether its MPI library prints statistics."""
    log, statistics = lines_to_add(site, None)
    opening, lines, sending = (
        [Paragraph(said)] if (said := filled_without_job(text, template)) else []
        for text in (template.first, template.lines, template.sending)
    )
    return (*opening, *lines, Command((*log, *statistics)), *sending)
