"""What stands around the numbers of a reply: an installation's own sentences, in its people's language.

A template is a TOML file of a folder that `IOTRIAGE_REPLIES` names; its keys are the fields of `Template`, and those it
leaves out are as here. `$job` stands for the job's id or, where no source has one, for the name of the first, `$run`
for the same in English words, `$about` for its program and ranks in brackets, or for nothing where neither is known;
other words after a `$` are a mistake. To who has sent nothing yet, `$job` and `$run` are the template's `yours`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from string import Template as Places

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass

from iotriage.analysis.decision.evidence_headlines import benchmark_alone
from iotriage.analysis.document import CaseDocument
from iotriage.rules.core.words import formatted, plural, printable

LONGEST = 2000
"""Number of characters of one text at most."""


class BadTemplateError(ValueError):
    """A template that cannot be used; the message names the file, the key and the reason."""


@dataclass(frozen=True, config=ConfigDict(extra="forbid", str_max_length=LONGEST))
class Template:
    """`site` is the id of the site whose cases have it before all others; None for any. `inferred` (beside what was
    derived rather than counted), `threshold`, `source` and `ours` are the words beside each number, the others
    sentences of their own; `yours` is what they call a job of which nothing is known. What is empty is left out."""

    title: str
    site: str | None = None
    opening: str = "We looked at the I/O of $run$about."
    measured: str = "What the evidence shows:"
    inferred: str = "inferred"
    threshold: str = "threshold"
    source: str = "from"
    ours: str = "IOtriage's own"
    advice: str = "Before the next run:"
    read: str = "Read more:"
    closing: str = "Please send us the log of one rerun after this: it shows whether it helped."
    clear: str = "If it was faster before, please send us the log of a run that was: we will compare the two."
    helped: str = "Thank you for the rerun: the change helped."
    rerun: str = "What the log of the rerun shows:"
    no_help: str = "Thank you for the rerun: so far its I/O is no better."
    stayed: str = "What we found is still there: was the change in this run?"
    others: str = "The other runs that you sent:"
    asking: str = "To see what slows the I/O of $run, we need some more of what it can print or record."
    lines: str = "Please put this into the job script and run it once more:"
    unread: str = "We could not read what you sent:"
    first: str = "To see what slows the I/O of your job, we need what it can record and print of it."
    sending: str = "Then send us the log and the job's standard error."
    yours: str = "your job"


ENGLISH = "english"
_ADAPTER = TypeAdapter(Template)
_PLACES = ("job", "run", "about")


def templates_in(folder: Path | None) -> Mapping[str, Template]:
    """By id, the file's name: the program's own, and those of the folder, which may replace it. BadTemplateError for
    the first that cannot be used."""
    if folder is not None and not _is_folder(folder):
        raise BadTemplateError(f"{folder}: IOTRIAGE_REPLIES names no folder that can be looked into")
    found = {ENGLISH: Template("English")}
    for file in sorted(folder.glob("*.toml")) if folder is not None else ():
        found[file.stem] = _read(file)
    return found


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def chosen_template(templates: Mapping[str, Template], wanted: str | None, site: str | None) -> tuple[str, Template]:
    """The template with the wanted id; else the first for the site; else the first that is for no particular site, the
    program's own last. KeyError where there is none with the wanted id."""
    if wanted is not None:
        return wanted, templates[wanted]
    of_site = next((key for key, template in templates.items() if site is not None and template.site == site), None)
    key = of_site or next((k for k, t in templates.items() if t.site is None and k != ENGLISH), ENGLISH)
    return key, templates[key]


def filled(text: str, document: CaseDocument) -> str:
    """The text with the job's own names filled in. Names are made printable by whoever outputs the text, not here."""
    return Places(text).safe_substitute(_names(document))


def filled_with_source(text: str, name: str) -> str:
    """With the name of a source of which nothing else is known."""
    return Places(text).safe_substitute({"job": name, "run": f"the job behind {name}", "about": ""})


def filled_without_job(text: str, template: Template) -> str:
    """The text for a job of which nothing is known."""
    return Places(text).safe_substitute({"job": template.yours, "run": template.yours, "about": ""})


def _names(document: CaseDocument) -> dict[str, str]:
    job = document.job
    program = printable((job.executable or "").rsplit("/", 1)[-1])
    about = ", ".join(said for said in (program, formatted(job.nprocs, _ranks)) if said)
    name = printable(job.job_id or document.sources[0].name)
    what = "benchmark" if benchmark_alone(document.sources) else "job"
    run = f"job {name}" if job.job_id else f"the {what} behind {name}"
    return {"job": name, "run": run, "about": f" ({about})" if about else ""}


def _ranks(count: float) -> str:
    return plural(count, "rank")


def _read(file: Path) -> Template:
    try:
        template = _ADAPTER.validate_python(tomllib.loads(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadTemplateError(f"{file}: {problem}") from problem
    except ValidationError as wrong:
        first = wrong.errors()[0]
        raise BadTemplateError(f"{file}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from wrong
    for key, text in vars(template).items():
        unknown = [] if text is None else [n for n in Places(text).get_identifiers() if n not in _PLACES]
        if unknown:
            raise BadTemplateError(f"{file}: {key}: ${unknown[0]} stands for nothing; {_KNOWN}")
    return template


_KNOWN = "there are " + ", ".join(f"${name}" for name in _PLACES)
