"""Fits advice to the job. It removes what the job already sets, and what its MPI library, its size or other settings
rule out; and where advice extends a variable, it keeps the values that the job has in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iotriage.analysis.already_set import hints_not_set_yet, not_set_yet
from iotriage.analysis.csh import in_csh
from iotriage.analysis.job_settings import JobSettings
from iotriage.metrics.core.missing_evidence import HINTS, IN_JOB_SCRIPT, SWITCHES
from iotriage.metrics.mpi.library import CRAY_MPICH
from iotriage.metrics.tables.settings import HINT_VARIABLE
from iotriage.rules.advice.files_of_one_rank import writes_lines
from iotriage.rules.advice.one_process import SIDE_BY_SIDE
from iotriage.rules.advice.one_rank import OF_PRINTS, PRINT_LESS, SEND_TO_A_FILE
from iotriage.rules.advice.open_files import keep_open
from iotriage.rules.advice.packages import (
    ALWAYS_HELPS,
    ASKS,
    FILES,
    MEMORY,
    PRINTS,
    changes_against,
    sets_their_number,
    settings_of,
)
from iotriage.rules.advice.packages.package import Change
from iotriage.rules.advice.python_snippets import IN_PYTHON, hints_in_python
from iotriage.rules.advice.scratch import are_temporaries, keep_scratch_in_memory, scratch_of_any_program
from iotriage.rules.advice.separate_processes import without_mpi
from iotriage.rules.advice.small_files import READ_FEWER, READ_FEWER_THERE, is_look_at_stripes
from iotriage.rules.advice.snippets import SLEEP, SYNC_ONCE
from iotriage.rules.advice.system_programs import replace_system_program
from iotriage.rules.advice.tools import print_to_files, tells_of_node_disk, use_tool_otherwise
from iotriage.rules.advice.tools.tool import Tool
from iotriage.rules.core.action import (
    Action,
    AskFor,
    ChangeDirectory,
    EditCode,
    Export,
    HintsFile,
    Library,
    ModuleLoad,
    ModuleSwap,
    SetHint,
    SetStripe,
    SiteLines,
    Unset,
)
from iotriage.rules.core.advice import Advice, Citation, advice, in_program, withheld
from iotriage.rules.core.commands import ROMIO_HINTS, as_code, line
from iotriage.rules.core.documents import DOCUMENTS
from iotriage.rules.core.rule import Context
from iotriage.rules.core.words import paragraph

FEWER_FILES = (READ_FEWER, READ_FEWER_THERE)
MPI_LIBRARIES: tuple[Library, ...] = ("MPI-IO", "PnetCDF")


def fit_advice(
    given: Sequence[Advice], own: JobSettings, context: Context | None = None, rule: str | None = None
) -> tuple[Advice, ...]:
    """The advice that makes sense for the job, each with what the job has not set yet. `context` is that of the
    finding, and `rule` the id of its rule."""
    fits = [_fitted(one, own) for one in given]
    fits = [*_see_whether_taken(given, fits, own), *fits]
    placed = (_placed(_cited(fit, own), own) for fit in fits if fit is not None)
    found = list(dict.fromkeys(_where_it_lasts(one, own) for one in placed))
    reads = _mostly_reads(context, own, rule)
    if own.tool is not None:
        return _without_its_code(found, own, own.tool, context, reads=reads)
    if own.package is None:
        return tuple(found)
    about, together = _about(found, context, rule, reads=reads), _is_together(context, rule)
    settings = settings_of(own.package, about, reads=reads, together=together, file=_file_of(context, rule))
    return _with_its_settings(found, settings, of_number=sets_their_number(own.package, about, reads=reads))


def _file_of(context: Context | None, rule: str | None) -> str | None:
    """The file that the finding is about: of one rank's I/O the longest of its own, be others larger."""
    if context is None:
        return None
    alone = context.word("balance.alone_file") if rule == "serial-io" else None
    return alone or context.file


def _is_together(context: Context | None, rule: str | None) -> bool:
    """Whether the finding is about data that ranks already write or read together. One rank alone never does, whatever
    else the job does."""
    if context is None or rule == "serial-io":
        return False
    return context.word("io.pattern") in TOGETHER and bool(context.number("mpiio.collective_fraction"))


TOGETHER = ("shared-collective", "subfiling")
"""Patterns of files that several ranks use together."""


def _with_its_settings(found: Sequence[Advice], settings: Advice | None, *, of_number: bool) -> tuple[Advice, ...]:
    """What the user of a package can set stands before the first advice that asks for other code, or to print less, or,
    where the package says how many files there are, for fewer, or to see how these are striped."""
    first = next((at for at, one in enumerate(found) if _gives_way(one, of_number=of_number)), None)
    if first is None or settings is None:
        return tuple(found)
    return (*found[:first], settings, *found[first:])


def _gives_way(one: Advice, *, of_number: bool) -> bool:
    about_number = one in FEWER_FILES or is_look_at_stripes(one)
    return one.kind == "code" or one.text == SEND_TO_A_FILE or (of_number and about_number)


def _about(found: Sequence[Advice], context: Context | None, rule: str | None, *, reads: bool) -> frozenset[Change]:
    """What settings of a package have to change to help."""
    if any(SLEEP in one.actions for one in found):
        return ASKS
    if any(one.text in OF_PRINTS_OF_ANY for one in found):
        return PRINTS
    if rule == "serial-io" and context is not None and writes_lines(context):
        # Whoever writes lines one by one is as slow.
        return ALWAYS_HELPS
    about = changes_against(rule, shared=context is None or context.word("io.pattern") in SHARED_BY_RANKS)
    if reads and context is not None and are_temporaries(context):
        # Fewer files are fewer to write and to read again.
        return frozenset() if keep_scratch_in_memory(context) in found else MEMORY | (about & FILES)
    return about


SHARED_BY_RANKS = ("shared-collective", "shared-independent")

OF_READS = frozenset(("redundant-reads", "stdio-reread"))
"""Rules about reading, also for jobs that write far more."""
OF_WRITES = frozenset(
    ("lock-contention", "read-modify-write", "shared-log", "sparse-layout", "sync-heavy", "write-gaps")
)
"""Rules about writing, also for jobs that read far more."""


MOSTLY = 0.5
"""Share of the time in streams."""


def _mostly_reads(context: Context | None, own: JobSettings, rule: str | None) -> bool:
    """Whether more is read than written: of what the finding is about, where its figures tell, else of all. Streams
    are found by their time: an index that is read at once is as large as the lines that take long to write. Metadata
    goes its own way, however the data beside it does."""
    if rule in OF_READS or rule in OF_WRITES:
        return rule in OF_READS
    of_metadata = None if context is None or rule != "hdf5-independent-metadata" else context.word("hdf5.metadata_way")
    if of_metadata is not None:
        return of_metadata == "reads"
    of_streams = None if context is None or rule != "stdio-heavy" else context.number("stdio.read_time_fraction")
    if of_streams is not None:
        return of_streams > MOSTLY
    read, written = (None if context is None else context.number(f"io.bytes_{way}") for way in ("read", "written"))
    return own.reads if read is None or written is None else read > written


def is_about(citation: Citation, own: JobSettings) -> bool:
    """Whether the document applies to the job: false for the manual of another MPI library."""
    document = DOCUMENTS.get(citation.document)
    return document is None or None in (document.of_library, own.library) or document.of_library == own.library


def _cited(one: Advice, own: JobSettings) -> Advice:
    return one if one.citation is None or is_about(one.citation, own) else replace(one, citation=None)


_BEFORE_IT_STARTS = (Export, Unset, SetHint, HintsFile, AskFor, ModuleLoad, ModuleSwap, ChangeDirectory, SiteLines)


def _placed(one: Advice, own: JobSettings) -> Advice:
    """Adds where the lines go; for a job script in another shell than bash, also how they are written there."""
    placed = _in_job_script(one)
    if not own.of_csh or placed.kind not in ("shell", "job-script") or not placed.text:
        return placed
    other = in_csh(placed.actions)
    if not other:
        return placed
    how = f" (in a script of csh, as the job's is, {' and '.join(other)})"
    if placed.kind == "shell":
        how = f" (in csh, as the job's script is, {' and '.join(other)})"
    where = "In the job script" if placed.kind == "job-script" else "At a prompt"
    where = where if placed.lead is None else placed.lead.removesuffix(":").removesuffix(how)
    return replace(placed, lead=f"{where}{how}:")


def _where_it_lasts(one: Advice, own: JobSettings) -> Advice:
    """Adds where to change a variable that the launcher or a wrapper sets to something else: their value is the one
    that reaches the program."""
    if one.withheld is not None or not own.at_launch:
        return one
    wanted = (pair for action in one.actions for pair in _variables_of(action))
    names = dict.fromkeys(name for name, value in wanted if own.environment.get(name) != value)
    where = [
        f"Line {own.at_launch[name]} of the job's script decides {name} where the program starts, whatever is exported "
        "before: change it there."
        for name in names
        if name in own.at_launch
    ]
    return replace(one, text=paragraph(one.text, *where)) if where else one


def _variables_of(action: Action) -> tuple[tuple[str, str | None], ...]:
    """The variables that its lines set, with their values; of hints the line has more than these."""
    match action:
        case Export():
            return ((action.name, action.value),)
        case Unset():
            return ((action.name, None),)
        case AskFor():
            return tuple(SWITCHES.get(action.evidence, {}).items())
        case SetHint():
            return () if action.through is not None else ((HINT_VARIABLE, None),)
        case _:
            return ()


def _in_job_script(one: Advice) -> Advice:
    """Adds that the lines go into the job script, where all of them belong there and nothing says so yet: a variable
    that is set by hand on a login node may not reach the job. A module that is linked into the program is left out,
    since it is loaded to build the program, too."""
    if one.kind != "job-script" or not one.text or one.lead is not None or "job script" in one.text:
        return one
    linked = any(isinstance(action, ModuleLoad) and action.linked for action in one.actions)
    settings = all(isinstance(action, _BEFORE_IT_STARTS) for action in one.actions) and not linked
    return replace(one, lead=IN_JOB_SCRIPT) if settings else one


def _without_its_code(
    found: Sequence[Advice], own: JobSettings, tool: Tool, context: Context | None, *, reads: bool
) -> tuple[Advice, ...]:
    """Replaces advice to change the code of a tool: at the place of the first advice that asks for another program, or
    for several processes of it, stands what a user of the tool can do."""
    its_own = use_tool_otherwise(tool, context, reads=reads)
    others = {*SIDE_BY_SIDE.values(), *_of_scratch(tool, context, reads=reads)}
    asks = [one.kind == "code" or one in FEWER_FILES or one.text in others for one in found]
    if not any(asks):
        return tuple(found)
    first = asks.index(True)
    left = [one for one, asked in zip(found, asks, strict=True) if not asked]
    return (*left[:first], *(_placed(one, own) for one in its_own), *left[first:])


def _of_scratch(tool: Tool, context: Context | None, *, reads: bool) -> frozenset[str]:
    """What is said of any program's scratch files, where that of this tool says more, of the disk of the node."""
    if context is None or not tells_of_node_disk(tool, context, reads=reads):
        return frozenset()
    return frozenset(one.text for one in scratch_of_any_program(context))


def _fitted(one: Advice, own: JobSettings) -> Advice | None:
    if one.text in OF_PRINTS_OF_ANY and (own.tool is not None or own.system_program is not None):
        return print_to_files(own.tool, one.citation, alone=own.processes == 1 or one.text == PRINT_LESS)
    if own.system_program is not None and one.withheld is None and one.kind == "code":
        return replace_system_program(own.system_program, own.launcher, writes=own.makes_files)
    if one.withheld is not None or not one.actions:
        return one
    alone = own.processes == 1
    of_several = any(_needs_mpi(action) and not (alone and action in OF_ONE_RANK_TOO) for action in one.actions)
    if (alone or own.separate or own.no_mpiio) and of_several:
        return without_mpi(one.actions, one.citation) if own.separate or not alone else None
    if not own.cray and any(_of_cray(action) for action in one.actions):
        return None
    if own.library == CRAY_MPICH and any(isinstance(a, SetHint) and a.without_cray for a in one.actions):
        return None
    threads = own.environment.get("OMP_NUM_THREADS", "1")
    if any(isinstance(a, Export) and a.name == "IOBUF_PARAMS" for a in one.actions) and threads != "1":
        return withheld("IOBUF", f"it is not thread-safe, and the job sets OMP_NUM_THREADS={threads}", one.citation)
    passed = tuple(a for a in one.actions if isinstance(a, SetHint) and a.through is not None)
    if passed and _nobody_changes(own):
        return _beside_the_program(one, passed, own)
    translated = tuple(translation for action in one.actions for translation in _in_their_language(action, own))
    if not translated:
        return None if one.lead is not None else in_program(one.text, one.citation)
    return _without_what_is_set(one, translated, own)


def _without_what_is_set(one: Advice, translated: tuple[Action, ...], own: JobSettings) -> Advice | None:
    """The advice without what the job sets already; `translated` are its actions in the form that suits this job."""
    left = tuple(missing for action in translated for missing in not_set_yet(action, own))
    if left == one.actions:
        return one
    if not left:
        return _had_already(one)
    done = sum(isinstance(a, SETTING) and not any(not_set_yet(a, own)) for a in translated)
    text = f"{one.text} What else belongs to it the job has already." if done and one.text else one.text
    return advice(text, *left, citation=one.citation, lead=one.lead)


def _had_already(one: Advice) -> Advice | None:
    """What remains of advice that the job already follows."""
    if all(isinstance(action, AskFor) for action in one.actions):
        return advice(one.text, citation=one.citation)
    if not one.text:
        # Another way to do what is said before it.
        return None
    places = [a.name for a in one.actions if isinstance(a, Export) and a.expands and not a.name.startswith(NO_FOLDER)]
    if places:
        # The files show that they lie elsewhere.
        see = f"The job sets {' and '.join(places)} already: see where that is, and whether the input says otherwise."
        return advice(f"{one.text} {see}", citation=one.citation)
    lines = (line(action).replace("\n", "; ") for action in one.actions)
    striped = all(isinstance(action, SetStripe) for action in one.actions)
    return withheld("; ".join(lines), STRIPES_IT if striped else HAS_IT, one.citation)


OF_PRINTS_OF_ANY = (*OF_PRINTS, SEND_TO_A_FILE)
HAS_IT = "the job has it already"
STRIPES_IT = "the job's script has it already, and files that are there keep the stripes that they have"
NO_FOLDER = ("LD_", "DARSHAN_")
"""Prefixes of variables that are not folders of the job's files."""

WHO_WRITES = frozenset(("cb_nodes", "cb_config_list", "cray_cb_nodes_multiplier", "romio_cb_write", "romio_cb_read"))
"""Hints for which the records of calls show whether the library applied them."""


def _see_whether_taken(given: Sequence[Advice], fitted: Sequence[Advice | None], own: JobSettings) -> Iterator[Advice]:
    """Where the job sets hints that the finding asks for all the same: whether the library takes them."""
    already = (
        isinstance(action, SetHint) and any(hint.key in WHO_WRITES for hint in action.hints)
        for one, fit in zip(given, fitted, strict=True)
        if fit is not None and fit.withheld == HAS_IT
        for action in one.actions
    )
    if not any(already) or not own.cray or HINTS in own.has() | own.irrelevant():
        return
    asked = any(action == AskFor(HINTS) for one in fitted if one is not None for action in one.actions)
    if not asked:
        yield advice(
            "The job asks for this hint already, and it does not show. See which hints the library takes: it prints "
            "them when it opens a file.",
            AskFor(HINTS),
        )


def _nobody_changes(own: JobSettings) -> bool:
    """Whether users of the program do not write its MPI-IO calls: it is a package or a tool, or in a language for which
    there are no lines."""
    return own.package is not None or own.tool is not None or own.interpreter == "other"


def _beside_the_program(one: Advice, passed: Sequence[SetHint], own: JobSettings) -> Advice | None:
    """Moves hints out of the program's code: into a file that ROMIO reads, or into the variable of Cray's library."""
    missing = [hint for action in passed for hint in hints_not_set_yet(action, own)]
    left = tuple(h for action in missing for h in action.hints)
    if not left:
        return None
    if own.library == CRAY_MPICH:
        lead = "With Cray MPICH, in the job script:"
        in_variable = (replace(action, through=None) for action in missing)
        return _fitted(advice(one.text, *in_variable, citation=one.citation, lead=lead), own)
    # The text names no files.
    every = "" if all(action.file_pattern == "*" for action in missing) else ", for all files that MPI-IO opens"
    lead = (
        f"In the job script{every}, for MPI libraries that have ROMIO; what the program sets itself has the last word:"
    )
    by_romio: tuple[Action, ...] = ()
    if own.library == "openmpi":
        lead = f"In the job script{every}, with ROMIO in the place of OMPIO, which passes over these hints:"
        by_romio = (Export("OMPI_MCA_io", "^ompio"),)
    elif any(action.without_cray for action in passed):
        lead = f"With another MPI library that has ROMIO, in the job script{every}:"
    if ROMIO_HINTS in own.environment:
        lines = ", ".join(f"{h.key} {h.value}" for h in left)
        add = f"The job's {ROMIO_HINTS} names a text of hints: add to it, each in a line of its own, {lines}."
        return advice(paragraph(one.text, add), *by_romio, citation=one.citation, lead=lead if by_romio else None)
    return advice(one.text, *by_romio, HintsFile(left), citation=one.citation, lead=lead)


SETTING = (Export, ModuleLoad, ModuleSwap, SetHint, SetStripe)
"""Actions that a job may already have carried out."""


def _in_their_language(action: Action, own: JobSettings) -> Iterator[Action]:
    """Python lines for lines in C and Fortran, for a program in Python; nothing for a program in another language."""
    if own.interpreter is None or as_code(action) is None:
        yield action
    elif own.interpreter == "python":
        if isinstance(action, SetHint):
            yield hints_in_python(action)
        elif isinstance(action, EditCode) and action in IN_PYTHON:
            yield IN_PYTHON[action]


OF_ONE_RANK_TOO: frozenset[Action] = frozenset(
    (*SYNC_ONCE.values(), *(keep_open(library, reads=reads) for library in MPI_LIBRARIES for reads in (True, False)))
)
"""Actions that work for one rank that opens its file by MPI as well as for several."""


def _needs_mpi(action: Action) -> bool:
    return isinstance(action, SetHint) or (isinstance(action, EditCode) and action.mpi)


def _of_cray(action: Action) -> bool:
    """Whether the action is for Cray's MPI library, or its IOBUF, and has no effect in others."""
    if isinstance(action, SetHint):
        return action.through is None
    return isinstance(action, Export) and action.name.startswith(("MPICH_", "IOBUF_"))
