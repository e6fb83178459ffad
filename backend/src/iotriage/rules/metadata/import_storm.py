"""The ranks wait for modules and shared libraries that all of them open.

## What it does
Takes the files that the run only read and whose names are those of modules of Python, Julia, R or Perl, of packages, or
of shared libraries. Of files that only end as a module does, and lie in no environment, it takes those that half of the
ranks or more use: code is data too, of which each rank reads its own. It holds when they take a good part of the I/O
time, and are no handful: one process may wait long for its modules too.

## Why it matters
Python's `import` looks for each module in every folder of its path, opens it and reads a few kilobytes; other languages
do as much. One process makes thousands of such calls; with thousands of ranks that start together, they are millions,
and one metadata server answers them. The job's own data has nothing to do with it, and no setting of its output changes
it.

## What to do
Put the environment into one file: a container image, or a squashfs image that the nodes mount. The nodes then find the
modules in an image of their own cache, and the file system has one file to open. Or copy the environment to the memory
or the disk of each node before the program starts, and start it from there. Where it lies in an image or on the node
already, make one file of the image, or import less.

## Limits
Starting is paid once a run, however long it is: the finding is medium at most. Darshan leaves out `/usr`, `/lib` and
other folders of the system, and files that are mapped and not read show their opens alone. Files are told by their
names: where those are obfuscated, nothing is found. Modules that a program writes as it starts are not counted. What is
said of accesses elsewhere is about the job's data: modules are left to this rule.
"""

from __future__ import annotations

from iotriage.metrics.tables.mounts import CVMFS, IN_AN_IMAGE, IN_ONE_FILE, OF_ONE_NODE, in_folder_of_one_node
from iotriage.rules.advice.samples import in_python
from iotriage.rules.core import (
    Advice,
    Citation,
    Context,
    Impact,
    Rule,
    Threshold,
    Words,
    advice,
    in_program,
    ours,
    withheld,
)
from iotriage.rules.core.action import FillIn, Named, RunCommand
from iotriage.rules.core.claim import Claim, SecondsOf
from iotriage.rules.core.condition import Compare, Present, all_of, clear_where_whole
from iotriage.rules.core.saving import fewer_calls_saving
from iotriage.rules.core.slider import linear, logarithmic
from iotriage.rules.core.words import formatted, number, paragraph, plural, printable, sentence, share

TIME = Threshold(
    id="import-storm.time",
    title="Share of the I/O time spent on modules and libraries",
    default=0.10,
    unit="share",
    stated_by=ours(
        "imports", "What takes a tenth of the I/O time is named, as of other files; no document gives a number."
    ),
    slider=linear(0.05),
)
OPENS = Threshold(
    id="import-storm.opens",
    title="Opens of modules and libraries, of all ranks",
    default=100.0,
    unit="calls",
    stated_by=ours("imports", "A handful that took long waited for something; no document gives a number."),
    slider=logarithmic(10.0, 1e8),
)

IMAGES = Citation("cscs-guides", "Many small files vs. HPC File Systems")
ON_THE_NODE = Citation("tacc-io", "Use Each Compute Node's /tmp Storage Space")


def says(context: Context) -> Words:
    return Words(
        f"To start the program, {_who(context)} {_modules(context)}.",
        paragraph(
            sentence(
                "{} of the I/O time went into {}, opened {} in all.",
                formatted(context.number("file.imported_time_fraction"), share),
                _modules(context),
                formatted(context.number("file.imported_opens"), lambda n: plural(n, "time")),
            ),
            sentence("Most of them lie in {}.", _environment(context)),
        ),
    )


def _modules(context: Context) -> str:
    count = context.number("file.imported")
    many = "modules and shared libraries"
    return many if count is None else plural(count, "module or shared library", many)


def _who(context: Context) -> str:
    mean, beyond = context.number("file.imported_time") or 0.0, context.number("file.imported_time_beyond") or 0.0
    ranks, of = _ranks_beside(context), context.number("file.importing_ranks")
    if ranks == 1:
        return "the process opens"
    if of == 1 or beyond > MOSTLY_ONE * mean * (ranks or 1.0):
        return "one rank opens"
    if of is None or ranks is None or of >= ranks:
        return "every rank opens"
    return f"{number(of)} of {plural(ranks, 'rank')} open"


def _ranks_beside(context: Context) -> float | None:
    """Those that ran with the ones that open them: another step of the job may have more."""
    beside = context.number("file.importing_ranks_of")
    return context.number("job.nprocs") if beside is None else beside


MOSTLY_ONE = 0.5
"""Of what all ranks spend in these files, from which it is one rank's, whoever else looks into some."""


def _environment(context: Context) -> str | None:
    environment = context.word("file.environment")
    return None if environment is None else printable(environment)


def advise(context: Context) -> tuple[Advice, ...]:
    environment, mount = context.word("file.environment"), context.word("file.environment_mount")
    if mount in IN_AN_IMAGE:
        return _in_one_file(mount or "")
    if mount == CVMFS:
        return _FETCHED
    if mount in OF_ONE_NODE:
        return _fewer(context, mount or "")
    if mount is None and environment is not None and in_folder_of_one_node(f"{environment}/"):
        return _fewer(context, printable(environment))
    unnamed = FillIn("ENVIRONMENT", "the folder of the environment")
    folder = unnamed if environment is None else Named(environment)
    return (
        advice(
            "Put the environment into one image, a container or squashfs, and start the program from it; with squashfs "
            "each node mounts the image where the environment was.",
            # It adds to an image that is there: the second time each folder would be in it twice, by another name.
            RunCommand(("mksquashfs", folder, "environment.squashfs", "-noappend")),
            citation=IMAGES,
        ),
        advice(
            "Or pack it once, and unpack it on the memory or disk of each node before the program starts from there.",
            RunCommand(("tar", "-cf", "environment.tar", "-C", folder, ".")),
            citation=ON_THE_NODE,
        ),
    )


def _in_one_file(mount: str) -> tuple[Advice, ...]:
    held = withheld("an image of the environment", f"it lies in one already ({mount})", IMAGES)
    if mount in IN_ONE_FILE:
        return (
            advice(
                "The environment lies in one file, an image that the nodes mount. Where that file is on a file system "
                "that all nodes share, copy it to the memory or disk of each node before the program starts, and mount "
                "the copy.",
                citation=ON_THE_NODE,
            ),
            held,
        )
    return (
        advice(
            "See where the image of the container lies. If it is a folder (a sandbox), make one file of it; if it is a "
            "file, copy it to the memory or disk of each node before the program starts.",
            RunCommand(("apptainer", "build", "environment.sif", FillIn("SANDBOX", "the folder of the image"))),
            citation=IMAGES,
        ),
        held,
    )


_FETCHED = (
    advice(
        "CVMFS fetches a file when a node first opens it, and keeps it there: start the program twice in one job. If "
        "the second start is sooner, start it once on each node first, or let one job do the work of several. If not, "
        "ask your centre where the nodes keep what they have fetched, and whether that is large enough.",
        citation=ON_THE_NODE,
    ),
    withheld("an image of the environment", "CVMFS brings it to the nodes file by file already", IMAGES),
)


IMPORT_TIMES = RunCommand(("python3", "-X", "importtime", FillIn("SCRIPT", "the script of the program")))
"""Other languages have nothing like it."""


def _fewer(context: Context, where: str) -> tuple[Advice, ...]:
    text = "See which modules take the time, and load only what the program needs."
    return (
        advice(text, IMPORT_TIMES, citation=ON_THE_NODE)
        if in_python(context)
        else in_program(text, citation=ON_THE_NODE),
        withheld(
            "an image, or a copy on each node", f"the environment lies on the node already ({where})", ON_THE_NODE
        ),
    )


def impact(context: Context) -> Impact | None:
    """None where the files are fetched: nobody knows how many were there already."""
    if context.word("file.environment_mount") == CVMFS:
        return None
    opens, ranks = context.number("file.imported_opens"), context.number("file.importing_ranks")
    ranks = _ranks_beside(context) if ranks is None else ranks
    return fewer_calls_saving(opens, ranks, "each rank opened one image instead of every module")


rule = Rule(
    id="import-storm",
    title="Modules and libraries read by every rank",
    clear_title="Starting the program takes little of the I/O time",
    scope="job",
    severity="medium",
    priority=7,
    requires=all_of(Present("file.imported_opens"), Present("file.imported_time_fraction")),
    condition=clear_where_whole(
        all_of(
            Compare("file.imported_time_fraction", ">=", TIME.id),
            Compare("file.imported_opens", ">=", OPENS.id),
        )
    ),
    thresholds=(TIME, OPENS),
    citations=(IMAGES, ON_THE_NODE),
    says=says,
    advise=advise,
    impact=impact,
    confidence="inferred",
    explains=("too-many-files-per-directory",),
    claims=(
        Claim(("metadata",), SecondsOf("file.imported_metadata_time")),
        Claim(("reads",), SecondsOf("file.imported_read_time")),
        Claim(("streams",), SecondsOf("file.imported_stream_time")),
        Claim(("imbalance",), SecondsOf("file.imported_time_beyond")),
    ),
)
