"""The questions of a report, each a query over the tables of `iotriage.centre.report.tables`.

Seconds of a finding are those that it takes of the mean rank's time, or of the slowest rank's
(`iotriage.analysis.decision.allotment`): times the processes they are process-hours that were spent waiting for it, of
which a cure need not save all.
"""

from __future__ import annotations

from typing import Final

from iotriage.analysis.evaluation import THE_JOB
from iotriage.centre.report.section import Column, ColumnText, ColumnUnit, Theme, WhyEmpty
from iotriage.centre.report.tables import OF_MACHINES_OST, machines_ost
from iotriage.rules import all_rules, theme_of
from iotriage_parsers.frozen import frozen

MOST_ROWS: Final = 10
MOST_ALIKE: Final = 3
"""Jobs of one user's program in a list of jobs: what runs every hour would be all of it."""
LEAST_MPIIO_BYTES: Final = 2**30
HOURS_DIGITS: Final = 6
"""Of process-hours: below are milliseconds of one process."""

INDEPENDENT: Final = ("independent-shared", "collective-disabled")
AGGREGATORS: Final = ("single-aggregator", "few-aggregators", "aggregator-skew", "serial-io")
READ_MODIFY_WRITE: Final = ("read-modify-write", "write-gaps")
NOT_OF_NAMES: Final = frozenset({"sync-heavy", "hdf5-independent-metadata"})
"""Rules about metadata of which the calls are no opens, looks and closes."""
METADATA: Final = tuple(rule for rule in all_rules() if theme_of(rule) == "metadata" and rule not in NOT_OF_NAMES)
SMALL: Final = ("small-io", "small-io-on-dvs", "shared-log")


@frozen
class Question:
    """`query` answers one row of `columns` each; with `leads`, the day and the name of a log after them. `none` says
    what it means where there is no row."""

    id: str
    theme: Theme
    title: str
    note: str
    columns: tuple[Column, ...]
    query: str
    none: str
    leads: bool = False


def columns(*, empty: WhyEmpty = "unknown", **units: ColumnUnit | ColumnText) -> tuple[Column, ...]:
    """By their titles, what each counts, or what its text holds."""
    return tuple(_column(title.replace("_", " "), unit, empty) for title, unit in units.items())


def _column(title: str, unit: ColumnUnit | ColumnText, empty: WhyEmpty) -> Column:
    match unit:
        case "words" | "name" | "date" | "rule" | "sentence":
            # A job without one has no finding that takes time.
            return Column(title, "text", unit, "none" if unit == "rule" else empty)
        case _:
            return Column(title, unit, empty=empty)


PROCESS_HOURS: Final = Column("process-hours", "process-hours")
SAVES_AT_LEAST: Final = Column("saves at least", "process-hours")
SAVES_AT_MOST: Final = Column("saves at most", "process-hours")


def no_more_than_accounted(seconds: str, of: str = '"row"') -> str:
    """What findings could save, so that those of one log (or of one in `of`) save no more together than the log's
    account has: each of several may save nearly all of it, not one after the other."""
    return f"{seconds} * least(1, accounted_s / nullif(sum({seconds}) OVER (PARTITION BY {of}), 0))"


def of_first(shown: str, order: str) -> str:
    """What a row shows of the one log, or finding, that it leads to: all of it is of that one, also where that has none
    of it. `order` ends with what tells any two apart, so that every look at a report leads to the same."""
    return f"first({shown} ORDER BY {order})"


MOST_FIRST: Final = f"round(taken, {HOURS_DIGITS}) DESC NULLS LAST"
"""The order of the hours `taken` that differ by more than the order in which they were added up: who lost as much stand
in the order that follows, on every look."""


def listed(rules: tuple[str, ...]) -> str:
    return ", ".join(f"'{rule}'" for rule in rules)


@frozen
class Figure:
    """A column of the logs that is shown of the log that a row leads to."""

    title: str
    unit: ColumnUnit
    column: str


ALIKE: Final = f"at most {MOST_ALIKE} of one user's program"
_JOB: Final = (Figure("nodes", "count", "nodes"),)


def _by_rule(
    id: str, theme: Theme, title: str, rules: tuple[str, ...], note: str, figures: tuple[Figure, ...]
) -> Question:
    """The jobs in which findings of these rules take most: every second that the time by cause gives them, and the jobs
    of which no second is known, where the finding stands for itself."""
    shown = "".join(f", {of_first(f'p.{f.column}', _OF_MOST)}" for f in figures)
    # A job's steps may be of several programs, and a row is about what loses most.
    program = of_first("f.program", _OF_MOST)
    *others, last = rules
    named = f"{', '.join(others)} or {last}" if others else last
    return Question(
        id,
        theme,
        title,
        f"{note} Jobs that lose time to {named}, who loses most first; at most {MOST_ROWS}, and {ALIKE}.",
        (
            PROCESS_HOURS,
            *columns(job="name", user="name", program="words", steps="count"),
            *(Column(f.title, f.unit) for f in figures),
            *columns(rule="rule", files="words"),
        ),
        f"""
        SELECT sum(hours) AS taken, f.job_id, f.person, {program}, count(DISTINCT f."row"){shown},
            {of_first("f.rule", _OF_MOST)}, {of_first(_FILES, _OF_MOST)}, {of_first("f.day", _OF_MOST)},
            {of_first('f."row"', _OF_MOST)}
        FROM (SELECT *, takes_s * nprocs / 3600 AS hours FROM found) f
        JOIN period p USING ("row")
        WHERE f.rule IN ({listed(rules)}) AND (f.takes_s > 0 OR (f.explained_by IS NULL AND f.severity <> 'info'))
        GROUP BY f.job, f.job_id, f.person
        QUALIFY row_number() OVER (
            PARTITION BY f.person, {program} ORDER BY {MOST_FIRST}, f.job_id, f.job
        ) <= {MOST_ALIKE}
        ORDER BY {MOST_FIRST}, f.job_id, f.person, f.job LIMIT {MOST_ROWS}
        """,
        f"No job loses time to {named}.",
        leads=True,
    )


OF_THE_JOB: Final = "all of the job"
_FILES: Final = f"CASE f.scope_label WHEN '{THE_JOB.label}' THEN '{OF_THE_JOB}' ELSE f.scope_label END"
_OF_MOST: Final = 'hours DESC NULLS LAST, f."row", f.rule, f.scope_label'
"""Of the finding that takes most; one whose time is not known comes last."""

COMPLETENESS: Final = Question(
    "completeness",
    "completeness",
    "Completeness",
    "What became of every log of the period; filters do not apply here. A log without a job id counts as a job of its "
    "own.",
    columns(what="words", logs="count"),
    """
    SELECT 'files' AS what, count(*) AS logs, 0 AS place FROM every
    UNION ALL SELECT 'read', count(*), 1 FROM every WHERE outcome = 'read'
    UNION ALL SELECT 'of these: partial logs (not ended, or crashed)', count(*), 2
    FROM every WHERE outcome = 'read' AND partial_log
    UNION ALL SELECT 'of these: lacking records (lower bounds)', count(*), 3
    FROM every WHERE outcome = 'read' AND lossy
    UNION ALL SELECT 'failed: ' || code, count(*), 4 FROM every WHERE outcome = 'failed' GROUP BY code
    UNION ALL SELECT 'copies (cut ones too), and partial logs of runs that ended', count(*), 5
    FROM every WHERE outcome = 'copy'
    UNION ALL SELECT 'jobs', count(DISTINCT job), 6 FROM every WHERE outcome = 'read'
    ORDER BY place, what
    """,
    "There was no file.",
)

_RULE_OF_LOG: Final = '"row", rule'
_MOST_BYTES: Final = 'bytes DESC NULLS LAST, "row"'
_MOST_HOURS: Final = 'hours DESC NULLS LAST, "row"'
_SLOWEST: Final = 'slowness DESC NULLS LAST, "row"'

THE_MACHINE: Final = "the machine: several users met it"

_NAMED: Final = "('POSIX', 'MPI-IO', 'STDIO', 'H5F', 'H5D', 'PNETCDF_FILE', 'PNETCDF_VAR', 'DFS', 'DAOS')"


def _top(id: str, title: str, by: str, of: str, note: str) -> Question:
    return Question(
        id,
        "who",
        title,
        note,
        (
            Column(of, "text"),
            *columns(jobs="count", written="B", read="B"),
            PROCESS_HOURS,
            Column("in I/O", "process-hours"),
        ),
        f"""
        SELECT {by} AS of, count(DISTINCT job), sum(bytes_written), sum(bytes_read),
            sum(runtime_s * nprocs) / 3600, sum(io_s * nprocs) / 3600,
            {of_first("day", _MOST_BYTES)}, {of_first('"row"', _MOST_BYTES)}
        FROM period WHERE {by} IS NOT NULL GROUP BY of ORDER BY sum(bytes) DESC NULLS LAST, of LIMIT {MOST_ROWS}
        """,
        f"No log names its {of}.",
        leads=True,
    )


def _losers(id: str, title: str, by: str, of: str, note: str, none: str, users: bool = True) -> Question:
    """Who has the jobs that lose most, in all that is theirs to mend."""
    return Question(
        id,
        "help",
        title,
        f"{note} What all findings of their jobs take, no second twice, and its share of their run time; the rule is "
        "the one that takes most of it. What waits for an OST that is slow for several users is left out. Node-hours "
        "are of the logs whose nodes are known, and beside them is those logs' share of the process-hours. "
        f"Who loses most comes first, {MOST_ROWS} at most.",
        (
            Column(of, "text", "name"),
            PROCESS_HOURS,
            Column("of run time", "share"),
            Column("node-hours", "node-hours"),
            Column("nodes known", "share"),
            *columns(jobs="count"),
            *(columns(users="count") if users else ()),
            *columns(rule="rule"),
        ),
        f"""
        WITH lost AS (
            SELECT {by} AS of, rule, day, "row", takes_s * nprocs / 3600 AS hours, takes_s * nodes / 3600 AS node_hours
            FROM found f WHERE takes_s > 0 AND {OF_MACHINES_OST} IS NOT TRUE
        ),
        by_rule AS (SELECT of, rule, sum(hours) AS taken FROM lost GROUP BY of, rule),
        main AS (SELECT of, first(rule ORDER BY {MOST_FIRST}, rule) AS rule FROM by_rule GROUP BY of),
        timed AS (FROM lost SEMI JOIN (FROM period WHERE runtime_s IS NOT NULL) USING ("row")),
        ran AS (
            SELECT {by} AS of, count(DISTINCT job) AS jobs, count(DISTINCT person) AS users,
                sum(runtime_s * nprocs) / 3600 AS hours
            FROM period GROUP BY of
        )
        SELECT lost.of, sum(lost.hours) AS taken,
            (SELECT sum(hours) FROM timed WHERE timed.of IS NOT DISTINCT FROM lost.of)
                / nullif(any_value(ran.hours), 0),
            sum(node_hours), sum(lost.hours) FILTER (node_hours IS NOT NULL) / sum(lost.hours),
            any_value(jobs), {"any_value(users), " if users else ""}any_value(main.rule),
            {of_first("day", _MOST_LOST)}, {of_first('"row"', _MOST_LOST)}
        FROM lost JOIN ran ON ran.of IS NOT DISTINCT FROM lost.of JOIN main ON main.of IS NOT DISTINCT FROM lost.of
        WHERE EXISTS (FROM period WHERE {by} IS NOT NULL)
        GROUP BY lost.of ORDER BY {MOST_FIRST}, lost.of LIMIT {MOST_ROWS}
        """,
        none,
        leads=True,
    )


_MOST_LOST: Final = 'lost.hours DESC NULLS LAST, "row", lost.rule'

LOSERS: Final = (
    _losers(
        "losing-projects",
        "Which projects lose most",
        "project",
        "project",
        "A job that no accounting names is in the row without a name.",
        "No finding takes time of a job whose project is known: the accounting names it.",
    ),
    _losers(
        "losing-users",
        "Which users lose most",
        "person",
        "user",
        "With findings of any severity.",
        "No finding takes time of a job whose user is known.",
        users=False,
    ),
    _losers(
        "losing-programs",
        "Which programs lose most",
        "program",
        "program",
        "The name of the executable, and of what it runs where it is an interpreter, a shell or a container.",
        "No finding takes time of a job whose program is known.",
    ),
)

QUESTIONS: Final = (
    COMPLETENESS,
    *LOSERS,
    Question(
        "interfaces",
        "who",
        "By interface and file system",
        "A job counts for every interface and file system that it used. Bytes of a file system are those of the files "
        "below its mount point.",
        columns(of="words", jobs="count", moved="B"),
        f"""
        SELECT 'interface ' || module AS of, count(DISTINCT job) AS jobs, NULL AS moved
        FROM (SELECT *, unnest(modules) AS module FROM period) WHERE module IN {_NAMED} GROUP BY module
        UNION ALL
        SELECT 'mount ' || on_mount.mount, count(DISTINCT job), sum(on_mount.bytes)
        FROM (SELECT job, unnest(mount_bytes) AS on_mount FROM period) GROUP BY on_mount.mount
        ORDER BY of
        """,
        "No log names an interface or a file system.",
    ),
    _top(
        "users",
        "Who moves most",
        "person",
        "user",
        "Bytes read and written, over all logs of the user; logs that name none are left out.",
    ),
    _top(
        "applications",
        "Which programs move most",
        "program",
        "program",
        "The name of the executable, and of what it runs where it is an interpreter, a shell or a container; logs that "
        "name none are left out.",
    ),
    Question(
        "file-system-use",
        "who",
        "Who uses which file system",
        "Bytes of a user's program below one mount point.",
        columns(moved="B", user="name", program="words", file_system="words", jobs="count"),
        f"""
        SELECT sum(on_mount.bytes) AS moved, person, program, on_mount.mount, count(DISTINCT job)
        FROM (SELECT job, person, program, unnest(mount_bytes) AS on_mount FROM period)
        GROUP BY person, program, on_mount.mount
        ORDER BY moved DESC NULLS LAST, person, program, on_mount.mount LIMIT {MOST_ROWS}
        """,
        "No log names the file system of its files.",
    ),
    Question(
        "slow-mpi-io",
        "collective",
        "Slow MPI-IO",
        f"Logs that moved more than 1 GiB through MPI-IO, the slowest first, {ALIKE}. Effective aggregators are "
        "derived from the variance of the ranks' bytes; the ratio is seconds in MPI-IO over seconds in POSIX.",
        (
            *columns(rate="B/s", job="name", user="name", program="words", moved="B"),
            *columns(collective_calls="share", effective_aggregators="count"),
            Column("MPI-IO to POSIX", "ratio"),
            *columns(stripes="count", rule="rule"),
        ),
        f"""
        SELECT mpiio_bandwidth, job_id, person, program, moved, collective_calls, aggregators, to_posix_time,
            stripes::BIGINT, headline_rule, day, "row"
        FROM (SELECT *, coalesce(mpiio_bytes, bytes) AS moved FROM period)
        WHERE list_contains(modules, 'MPI-IO') AND moved > {LEAST_MPIIO_BYTES} AND mpiio_bandwidth IS NOT NULL
        QUALIFY row_number() OVER (
            PARTITION BY person, program ORDER BY mpiio_bandwidth, job_id, "row"
        ) <= {MOST_ALIKE}
        ORDER BY mpiio_bandwidth, job_id, "row" LIMIT {MOST_ROWS}
        """,
        "No log moved more than 1 GiB through MPI-IO and states how fast that was.",
        leads=True,
    ),
    _by_rule(
        "independent",
        "collective",
        "Could use collective I/O",
        INDEPENDENT,
        "Shared files that every rank accesses on its own: by independent calls, or by collective ones not gathered.",
        (
            Figure("collective calls", "share", "collective_calls"),
            Figure("independent bytes, at least", "share", "independent_bytes_low"),
            Figure("moved", "B", "bytes"),
        ),
    ),
    _by_rule(
        "aggregators",
        "collective",
        "Too few aggregators",
        AGGREGATORS,
        "One process, or few, move what many could.",
        (
            Figure("effective", "count", "aggregators"),
            Figure("possible", "count", "aggregators_possible"),
            Figure("nodes", "count", "nodes"),
            Figure("stripes", "count", "stripes"),
        ),
    ),
    _by_rule(
        "read-modify-write",
        "collective",
        "Read-modify-write",
        READ_MODIFY_WRITE,
        "Data sieving reads what it does not need.",
        (
            Figure("read to write", "share", "rmw_fraction"),
            Figure("stored for each byte", "ratio", "write_amplification"),
        ),
    ),
    Question(
        "causes",
        "causes",
        "Time by cause",
        "What findings take, by rule; no second is counted twice. With what follows is what causes take together with "
        "the findings that they explain, which have their own rows. A cure saves at least and at most so much: it can "
        "be more than is taken, since others waited, and equal runs differ by a tenth; of a log it is no more than its "
        "time in I/O. "
        "Node-hours are of the logs whose nodes are known, and beside them is those logs' share of the process-hours.",
        (
            *columns(rule="rule", jobs="count", users="count"),
            PROCESS_HOURS,
            Column("with what follows", "process-hours", empty="none"),
            SAVES_AT_LEAST,
            SAVES_AT_MOST,
            Column("node-hours", "node-hours"),
            Column("nodes known", "share"),
        ),
        f"""
        SELECT rule, count(DISTINCT job), count(DISTINCT person), sum(hours) AS taken, sum(lost_s * nprocs) / 3600,
            sum(at_least_s * nprocs) / 3600, sum(at_most_s * nprocs) / 3600, sum(takes_s * nodes) / 3600,
            sum(hours) FILTER (nodes IS NOT NULL) / sum(hours),
            {of_first("day", _MOST_HOURS)}, {of_first('"row"', _MOST_HOURS)}
        FROM (
            SELECT *, takes_s * nprocs / 3600 AS hours,
                {no_more_than_accounted("could_save_at_least_s", _RULE_OF_LOG)} AS at_least_s,
                {no_more_than_accounted("could_save_s", _RULE_OF_LOG)} AS at_most_s
            FROM found WHERE takes_s > 0
        )
        GROUP BY rule ORDER BY {MOST_FIRST}, rule
        """,
        "No finding takes time.",
        leads=True,
    ),
    _by_rule(
        "metadata",
        "causes",
        "Metadata",
        METADATA,
        "Opening, looking and closing.",
        (Figure("file uses", "count", "files"),),
    ),
    _by_rule(
        "small", "causes", "Small accesses", SMALL, "An access of exactly a stripe or a block is not small.", _JOB
    ),
    Question(
        "streams",
        "causes",
        "Buffered streams (STDIO)",
        f"Logs with most bytes through stdio, {ALIKE}. How often files were read is STDIO_BYTES_READ over what they "
        "hold.",
        columns(moved="B", job="name", user="name", program="words", of_all="share", times_read="ratio"),
        f"""
        SELECT streams_fraction * bytes AS moved, job_id, person, program, streams_fraction, times_read, day, "row"
        FROM period WHERE moved > 0
        QUALIFY row_number() OVER (PARTITION BY person, program ORDER BY moved DESC, job_id, "row") <= {MOST_ALIKE}
        ORDER BY moved DESC, job_id, "row" LIMIT {MOST_ROWS}
        """,
        "No log moved bytes through stdio.",
        leads=True,
    ),
    Question(
        "slow-osts",
        "machine",
        "Slow OSTs",
        "OSTs that findings call slow, by how many users met them. Where several users meet one, the machine is at "
        "fault. It began on the first of the days shown on which it was found. One mount point of two sites is two.",
        columns(
            OST="number",
            mount="words",
            users="count",
            logs="count",
            slowness="ratio",
            began="date",
            who="words",
            site="words",
        ),
        f"""
        SELECT ost, mount, count(DISTINCT person) FILTER (now) AS users, count(DISTINCT "row") FILTER (now) AS logs,
            median(slowness) FILTER (now), min(day)::VARCHAR,
            CASE WHEN bool_or({machines_ost("ost", "mount")}) THEN '{THE_MACHINE}' ELSE 'too few users to tell' END,
            site,
            {of_first("day", _SLOWEST)} FILTER (now), {of_first('"row"', _SLOWEST)} FILTER (now)
        FROM (SELECT *, day BETWEEN $first AND $last AS now FROM recent WHERE rule = 'slow-ost' AND ost IS NOT NULL) f
        GROUP BY ost, mount, site HAVING logs > 0 ORDER BY users DESC, logs DESC, ost, mount, site
        """,
        "No finding calls an OST slow.",
        leads=True,
    ),
)
