"""Whether what a script of Slurm exports reaches the programs that it starts.

`--export` of sbatch holds for srun within the job too, by SLURM_EXPORT_ENV; that of srun itself goes before it. Where
ALL is not in it, srun gives its programs what it names and nothing else.
https://slurm.schedmd.com/sbatch.html, https://slurm.schedmd.com/srun.html: --export
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from iotriage_parsers.evidence import EnvironmentSetting, Problem
from iotriage_parsers.evidence.job_context import Launcher
from iotriage_parsers.readers.job_context.environment import settings_of_wrappers
from iotriage_parsers.readers.job_context.shell import commands, unquoted

_OPTION: Final = "--export"
OF_THE_JOB: Final = "SLURM_EXPORT_ENV"
MOST_NAMED: Final = 4


class JobsExport(NamedTuple):
    """What the job's environment says of it: the names, None where that is all. `is_given` says whether
    SLURM_EXPORT_ENV is there, as sbatch has it for `--export`."""

    names: frozenset[str] | None
    is_given: bool


class SlurmExport:
    """Follows a script: its directives, what it sets, and what it starts."""

    def __init__(self) -> None:
        self.of_job = JobsExport(None, is_given=False)
        self._reaching: set[str] | None = set()
        self._withheld_at = 0

    def directed(self, word: str, arguments: str) -> None:
        """Keeps what a directive says for the whole job."""
        if word == "SBATCH":
            words = next(commands(arguments), [])
            is_given = self.of_job.is_given or any(one.partition("=")[0] == _OPTION for one in words)
            self.of_job = JobsExport(_named(words, self.of_job.names), is_given)

    def follow(self, names: Sequence[str], value: str | None) -> None:
        """Keeps what the script itself says of it: `unset SLURM_EXPORT_ENV`, `export SLURM_EXPORT_ENV=ALL`."""
        if OF_THE_JOB in names:
            self.of_job = JobsExport(None if value is None else _names(value), is_given=value is not None)

    def launched(
        self, launcher: Launcher, options: Sequence[str], given: Iterable[EnvironmentSetting], line: int
    ) -> None:
        """Keeps what a launch gives its programs; `given` are settings for it alone, which stand before srun or, as
        those of `srun env A=1 ./a`, among the words before the program."""
        of_job = self.of_job.names
        for setting in given:
            if setting.name == OF_THE_JOB:
                of_job = None if setting.value is None else _names(setting.value)
        named = _named(options, of_job) if launcher == "srun" else None
        if named is None or self._reaching is None:
            self._reaching = None
        else:
            self._withheld_at = self._withheld_at or line
            self._reaching.update(named, (setting.name for setting in settings_of_wrappers(options, line)))

    def settled(self, environment: Sequence[EnvironmentSetting]) -> tuple[list[EnvironmentSetting], list[Problem]]:
        """The settings that reach a program, and a note of those that reach none."""
        reaching = self._reaching
        if reaching is None or not self._withheld_at:
            return list(environment), []
        lost = dict.fromkeys(setting.name for setting in environment if setting.name not in reaching)
        if not lost:
            return list(environment), []
        names = ", ".join([*list(lost)[:MOST_NAMED], *(["…"] if len(lost) > MOST_NAMED else [])])
        message = (
            f"line {self._withheld_at}: --export without ALL, of the job or of srun, keeps from the program what the "
            f"script sets ({names}): taken as not set; srun --export=ALL gives it all of that"
        )
        kept = [setting for setting in environment if setting.name in reaching]
        return kept, [Problem("note", message, line=self._withheld_at)]


def _named(words: Sequence[str], otherwise: frozenset[str] | None) -> frozenset[str] | None:
    """What the option among these words names; None where that is all."""
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        if option == _OPTION:
            return _names(unquoted(value if equals else next(iter(words[at + 1 : at + 2]), "")))
    return otherwise


def _names(value: str) -> frozenset[str] | None:
    """Slurm takes NONE and NIL, which name nothing, and ALL in any case. What a variable names may be all."""
    parts = [part.strip().partition("=")[0] for part in value.split(",")]
    return None if any(part.upper() == "ALL" or part.startswith("$") for part in parts) else frozenset(parts)
