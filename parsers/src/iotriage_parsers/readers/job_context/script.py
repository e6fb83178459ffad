"""A job script: its directives, environment, modules, striping and launches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Final

from iotriage_parsers.evidence import (
    EnvironmentSetting,
    JobContext,
    Launch,
    Lines,
    ModuleCommand,
    Problem,
    StripeCommand,
)
from iotriage_parsers.evidence.job_context import ContextSource
from iotriage_parsers.readers.job_context.branches import Branches, Size
from iotriage_parsers.readers.job_context.dialects import (
    ABOVE_THE_COMMANDS,
    asked_for,
    asks_by_a_dash,
    directive_of,
    keep,
    submit_option,
)
from iotriage_parsers.readers.job_context.environment import (
    ASSIGNMENT,
    EXPORTS,
    is_kept,
    notes_of,
    setting_of,
    settings_at_launch,
    settings_of,
    settings_of_wrappers,
    stands_before,
)
from iotriage_parsers.readers.job_context.figures import RequestedFields
from iotriage_parsers.readers.job_context.functions import Functions
from iotriage_parsers.readers.job_context.here_documents import LONGEST_COMMAND, SUBMITTED, HereDocuments, submits
from iotriage_parsers.readers.job_context.launches.continued import PLAIN_COMMAND, begins_a_command, blank_before
from iotriage_parsers.readers.job_context.launches.exported import SlurmExport
from iotriage_parsers.readers.job_context.launches.inherited import Inherited
from iotriage_parsers.readers.job_context.launches.launch import LAUNCHERS, launch, options_of, with_places_as_words
from iotriage_parsers.readers.job_context.launches.launched_with import directed_with, launched_with
from iotriage_parsers.readers.job_context.launches.script_notes import (
    behind_the_commands,
    called_alone,
    dash_not_read,
    dash_read,
    hidden_end,
    sources_another,
    submits_another,
    unstated_ranks_notes,
    within_a_command,
    without_end,
)
from iotriage_parsers.readers.job_context.launches.wrapping import script_called, shell_command_of, submitted, unwrapped
from iotriage_parsers.readers.job_context.listed_settings import ListedSettings
from iotriage_parsers.readers.job_context.loops import Loops, Repeated
from iotriage_parsers.readers.job_context.mail_wrapping import GOES_ON, LONGEST_WRAPPED, WRAPPED_AT, LastDirective
from iotriage_parsers.readers.job_context.module_commands import module_commands, modules_above
from iotriage_parsers.readers.job_context.own_shells import OwnShells
from iotriage_parsers.readers.job_context.quoted_lines import QuotedLines
from iotriage_parsers.readers.job_context.shell import (
    OUTPUT_OF,
    commands,
    indentation,
    output_of,
    with_plain_dashes,
    without_its_head,
    without_parentheses,
)
from iotriage_parsers.readers.job_context.striping import stripe_command
from iotriage_parsers.readers.job_context.variables import Variables
from iotriage_parsers.readers.job_context.work_dir import entered
from iotriage_parsers.text.blocks import BlockResult, LineResult
from iotriage_parsers.text.lines import Line

_LIST: Final = re.compile(r"[A-Za-z_]\w{0,80}=\((?!\()")
_INTERPRETER: Final = re.compile(r"#!\s?/")
_OF_CSH: Final = re.compile(r"#!\s?/\S{0,80}?(?:t?csh|env t?csh)\b")
LONGEST_LINE: Final = 4096
MOST_ENTRIES: Final = 5_000
MOST_NESTED: Final = 4
"""So many scripts and shells that start one another are looked into."""


class ScriptMachine:
    """A script has no end; another one begins with the next `#!/`. What stands in a here-document is another file's.

    A text of settings alone, as `env` prints them or a guide has them, is what a script would set: nothing else may
    stand before, between or behind them."""

    source: ContextSource = "script"

    def __init__(self, line: Line, before: Iterable[Line]) -> None:
        self._first = self._last = line.number
        self._asked = RequestedFields()
        self._dialect: str | None = None
        self._submits = self._directives = self._exports = 0
        self._interpreter = line.text.strip().startswith("#!")
        self._of_csh = _OF_CSH.match(line.text.strip()) is not None
        self._environment: list[EnvironmentSetting] = []
        self._modules: list[ModuleCommand] = []
        self._stripes: list[StripeCommand] = []
        self._launches: list[Launch] = []
        self._problems: list[Problem] = []
        self._pending: str | None = None
        self._documents = HereDocuments()
        self._quotes = QuotedLines()
        self._written = self._documents.files
        self._nested = self._commanded = 0
        self._branches = Branches()
        self._functions = Functions()
        self._called: tuple[str, int] | None = None
        self._submitting: Sequence[str] = ()
        self._directive: LastDirective | None = None
        self._unfinished: int | None = None
        self._bare_export: int | None = None
        self._variables = Variables()
        self._exported = SlurmExport()
        self._inherited = Inherited(self._variables, self._exported)
        self._loops = Loops(self._variables)
        self._shells = OwnShells(self._environment, self._modules, self._launches, self._inherited)
        before = list(before)
        self._listed = ListedSettings(alone=not any(earlier.text.strip() for earlier in before))
        self._began = line.number
        self._indented = indentation(line.text)
        if not self._interpreter:
            for earlier in reversed(list(modules_above(before, LONGEST_LINE))):
                self._first = min(self._first, earlier.number)
                self.feed(earlier)
            self.feed(line)

    def feed(self, line: Line) -> LineResult:
        if self._quotes.is_open:
            return self._quoted(line)
        within = self._documents.ends_at is not None or self._pending is not None or line.text.lstrip().startswith("#")
        may_go_on = self._interpreter and not self._of_csh and self.source == "script" and not within
        return LineResult.HELD if may_go_on and self._quotes.begin(line) else self._read(line)

    def _quoted(self, line: Line) -> LineResult:
        begins_another = _INTERPRETER.match(line.text.strip()) is not None
        whole = None if begins_another else self._quotes.add(line)
        if whole is not None or begins_another or self._quotes.goes_too_far:
            held = self._quotes.given_up()
            for one in held if whole is None else [whole]:
                self._read(one)
        return LineResult.OVER if begins_another else LineResult.HELD

    def _read(self, line: Line) -> LineResult:
        text = line.text.strip()
        if self._documents.ends_at is not None:
            return self._document(line, text)
        if not text or len(text) > LONGEST_LINE:
            return LineResult.FOREIGN
        self._functions.note(line.number, text)
        if self._pending is not None:
            return self._continue(line, text)
        if _INTERPRETER.match(text):
            return LineResult.OVER
        is_directive = True
        if text.startswith("#"):
            answer = self._comment(line, text)
        elif self._directive is not None and (rest := self._directive.rest(line.number, text)) is not None:
            answer = self._directed(self._directive.word, rest, line)
        elif text.endswith("\\") and begins_a_command(text):
            is_directive = False
            self._pending, self._began = text.removesuffix("\\"), line.number
            answer = LineResult.TAKEN
        else:
            is_directive = False
            answer = self._command_of(line, text)
            if answer is LineResult.FOREIGN:
                answer = LineResult.TAKEN if self._listed.take(text, line.number) else answer
                self._last = line.number if self._listed.alone else self._last
        taken = answer is LineResult.TAKEN
        self._last = line.number if taken else self._last
        commanded = self._interpreter and not is_directive and (taken or PLAIN_COMMAND.match(text))
        self._commanded = self._commanded or (line.number if commanded else 0)
        return answer

    def _command_of(self, line: Line, text: str) -> LineResult:
        """The commands of a line, with the launch before it where a mail program broke that: it lacks its program, and
        the first word here had no place beside it."""
        if self._bare_export == line.number - 1 and ASSIGNMENT.fullmatch(text):
            text = f"export {text}"
        self._bare_export = line.number if text == "export" else None
        held = self._launches[-1] if self._unfinished == line.number - 1 else None
        began = line.number
        ends_at = len(held.text) + len(text.split()[0]) if held is not None and GOES_ON.match(text) else 0
        if held is not None and WRAPPED_AT <= ends_at < LONGEST_WRAPPED:
            del self._launches[-1]
            text, began = f"{held.text} {text}", held.line
        launches = len(self._launches)
        answer = self._command_line(text, began)
        grown = len(self._launches) > launches
        unfinished = grown and self._launches[-1].program is None and "--multi-prog" not in text
        self._unfinished = line.number if unfinished else None
        return answer

    def _document(self, line: Line, text: str) -> LineResult:
        answer = self._documents.feed(line.number, text)
        if answer is LineResult.TAKEN:
            self._last = line.number
            if self._documents.is_submitted and self._documents.ends_at is None:
                self._submit(SUBMITTED, self._documents.opened, self._submitting)
        return answer

    def close(self) -> BlockResult:
        for held in self._quotes.given_up():
            self._read(held)
        cut = self._pending is not None
        if self._pending is not None:
            self._command_line(self._pending, self._began)
        if self._documents.ends_at is not None and self._documents.is_submitted:
            # A shell gives on what there is of it.
            self._submit(SUBMITTED, self._documents.opened, self._submitting)
        if not self._is_script:
            return BlockResult()
        if self._lists_settings:
            self._environment += self._listed.found
        self._branches.keep_apart(self._shells.apart(), self._shells.partial())
        self._environment, withheld = self._exported.settled(self._environment)
        self._environment, unsettled = self._branches.settled(self._environment)
        context = self._context(complete=not cut and self._documents.ends_at is None)
        launches, either = self._branches.started(context.launches, Size(context.asked_ranks, context.nnodes))
        context, uncalled = self._functions.carried_out(replace(context, launches=tuple(launches)))
        problems = [*self._problems, *self._notes(), *withheld, *unsettled, *either, *uncalled]
        problems += unstated_ranks_notes(context, context.launches)
        if cut:
            problems.append(within_a_command(self._first, self._last, self._began))
        elif self._documents.ends_at is not None:
            problems.append(without_end(self._documents.opened, self._documents.ends_at))
        return BlockResult((context,), tuple(problems), quoted=tuple(self._documents.read))

    @property
    def _lists_settings(self) -> bool:
        asks = self._directives or self._launches
        return self._listed.alone and bool(self._listed.found or self._environment) and not asks

    @property
    def _is_script(self) -> bool:
        if self._lists_settings or self._submits:
            return True
        if self._directives:
            return self._directives > 1 or self._interpreter or bool(self._launches) or self._exports > 0
        return bool(self._launches) and (self._exports > 0 or self._interpreter)

    def _context(self, complete: bool) -> JobContext:
        if (entered_last := self._shells.entered) is not None:
            self._asked.keep("work_dir", entered_last.text, entered_last.line)
        return replace(
            asked_for(self._asked, self._dialect, self.source, Lines(self._first, self._last)),
            complete=complete,
            environment=tuple(self._environment),
            modules=tuple(self._modules),
            stripe_commands=tuple(self._stripes),
            launches=tuple(self._launches),
            of_csh=self._of_csh,
        )

    def _continue(self, line: Line, text: str) -> LineResult:
        pending = self._pending or ""
        joined = f"{pending}{blank_before(pending, line.text, self._indented)}{text.removesuffix(chr(92))}"
        if text.endswith("\\") and len(joined) <= LONGEST_COMMAND:
            self._pending = joined
        else:
            self._pending = None
            self._command_line(joined, self._began)
        self._last = line.number
        return LineResult.TAKEN

    def _comment(self, line: Line, text: str) -> LineResult:
        if asks_by_a_dash(text):
            self._problems.append(dash_not_read(line.number))
            self._directives += 1
            return LineResult.TAKEN
        directive = directive_of(text)
        if directive is None:
            return LineResult.FOREIGN
        self._directives += 1
        return self._directed(*directive, line)

    def _directed(self, word: str, arguments: str, line: Line) -> LineResult:
        self._dialect = self._dialect or word
        if self._dialect == word and word in ABOVE_THE_COMMANDS and self._commanded:
            self._problems.append(behind_the_commands(line.number, self._commanded))
        elif self._dialect == word:
            self._ask(word, arguments, line.number)
        self._directive = LastDirective(word, arguments.rpartition(" ")[2], line.number, len(line.text.strip()))
        return LineResult.TAKEN

    def _command_line(self, text: str, number: int) -> LineResult:
        self._documents.begin(text, number)
        plain = with_plain_dashes(text)
        taken = [
            self._command(words, number, plain) for words in self._branches.commands_of(with_places_as_words(plain))
        ]
        if plain != text and any(taken):
            self._problems.append(dash_read(number))
        return LineResult.TAKEN if any(taken) else LineResult.FOREIGN

    def _command(self, words: list[str], number: int, text: str) -> bool:
        words = self._branches.note(words)
        for repeated in self._loops.note(words):
            self._read_size_again(repeated)
        with self._shells.around(words):
            return self._given(without_its_head(without_parentheses(words)), number, text)

    def _given(self, words: list[str], number: int, text: str) -> bool:
        at = 0
        if self._branches.never:
            return bool(words) and begins_a_command(words[0])
        given: list[EnvironmentSetting] = []
        while at < len(words) and stands_before(words[at], "".join(words[at + 1 : at + 2])):
            if _LIST.match(words[at]):
                self._variables.note_list(words[at:])
                return False
            if (assigned := ASSIGNMENT.fullmatch(words[at])) is not None:
                if OUTPUT_OF.match(assigned.group(2)) is not None:
                    command = output_of(words[at:])
                    self._variables.note_output(assigned.group(1), command)
                    self._keep(changed := self._inherited.assigned_as_held(assigned.group(1), number))
                    with self._shells.another():
                        return self._commands_within(commands(command), number, text) or bool(changed)
                given.append(setting_of(assigned.group(1), self._variables.filled_in(assigned.group(2)), number))
                self._variables.note(assigned.group(1), assigned.group(2), self._branches.within_one)
            at += 1
        written = self._variables.launched(words[at:])
        rest = [self._variables.filled_in(word) for word in written]
        if not rest:
            self._keep(changed := self._inherited.assigned(given))
            return bool(changed)
        started = len(self._launches)
        taken = self._invoked(rest, given, number, text)
        if len(self._launches) == started + 1:
            self._loops.launched(started, written)
        return taken

    def _invoked(self, rest: list[str], given: list[EnvironmentSetting], number: int, text: str) -> bool:
        """A command and its arguments; `given` are the settings that stand before it, for it alone."""
        self._variables.note_changes(rest, self._branches.within_one)
        self._inherited.note_options(rest)
        self._keep(self._inherited.changed(rest, number))
        if (job := submitted(rest)) is not None:
            if not self._is_another_job(number):
                self._dialect = self._dialect or "SBATCH"
                self._ask("SBATCH", job.options, number)
                self._commands_within(commands(job.commands), number, text)
            return True
        if submits(rest):
            self._submitting = rest
            return any(self._submit(rest[at], number, rest[:at]) for at in range(1, len(rest)))
        if (shell := shell_command_of(rest)) is not None:
            with self._shells.another():
                self._keep((*given, *settings_of_wrappers(shell.ahead, number)))
                return self._commands_within(commands(shell.text), number, text)
        command, rest = rest, self._unwrapped(rest)
        ahead = command[: -len(rest)] if command[-len(rest) :] == rest else command
        if rest[0] in EXPORTS:
            return self._export(rest, number)
        if rest[0] in ("module", "ml"):
            return self._module(rest, number)
        if rest[0] == "cd" and not self._launches:
            self._shells.entered = entered(self._shells.entered, rest[1:], number)
        if (stripes := stripe_command(rest, number, text)) is not None:
            if len(self._stripes) < MOST_ENTRIES:
                self._stripes.append(stripes)
            return True
        if rest[0].rpartition("/")[2] in LAUNCHERS:
            rest = self._variables.with_options(rest)
        if (started := self._started(rest, number, text)) is not None:
            if len(self._launches) < MOST_ENTRIES:
                program = self._variables.program(self._written.program_of(started.program))
                named_by = self._variables.word_for(started.program, text)
                self._launches.append(replace(started, program=program, program_word=named_by))
                self._branches.keep_launch(len(self._launches) - 1)
                options = options_of(started.launcher, rest, self._written.wrappers)
                given += (*self._written.set_by(rest), *settings_of_wrappers((*ahead, *options), number))
                self._exported.launched(started.launcher, options, given, number)
                self._keep(settings_at_launch((*given, *settings_of(launched_with(started.launcher, options), number))))
            return True
        return self._calls(rest, number)

    def _started(self, words: list[str], number: int, text: str) -> Launch | None:
        in_script = self._interpreter or self._directives > 0
        return launch(words, number, text, in_script, self._written.wrappers)

    def _read_size_again(self, repeated: Repeated) -> None:
        """Without what its loop changes from pass to pass."""
        before = self._launches[repeated.place]
        words = self._variables.with_options(self._unwrapped([self._variables.filled_in(w) for w in repeated.words]))
        again = self._started(words, before.line, before.text)
        if again is not None:
            self._launches[repeated.place] = replace(
                before, ranks=again.ranks, nodes=again.nodes, ranks_per_node=again.ranks_per_node
            )

    def _commands_within(self, found: Iterable[list[str]], number: int, text: str) -> bool:
        if self._nested >= MOST_NESTED:
            return False
        self._nested += 1
        with self._branches.end.of_another():
            taken = [self._command(words, number, text) for words in found]
        self._nested -= 1
        return any(taken)

    def _unwrapped(self, words: list[str]) -> list[str]:
        """The launch that the command starts in the end; the command itself where that is none."""
        inner = self._variables.launched(unwrapped(words))
        return inner if inner and inner[0].rpartition("/")[2] in LAUNCHERS else words

    def _is_another_job(self, number: int) -> bool:
        """Whether what is submitted here is none of the job that is read: this script, or the first it submits."""
        if not self._submits:
            self._submits = 0 if self._directives else number
            return not self._submits
        self._problems.append(submits_another(number))
        return True

    def _submit(self, name: str, at: int, submits_it: Sequence[str]) -> bool:
        """The script of the job that this one writes and submits, where it is none itself. What it is submitted with
        goes before its directives."""
        lines = () if self._nested >= MOST_NESTED else self._written.started(name)
        if not lines or self._is_another_job(at):
            return False
        given = submit_option(submits_it, (text for _, text in lines))
        if given is not None:
            self._ask(*given, at)
        self._nested += 1
        # What this script does before is no command of the one that it submits.
        commanded, self._commanded = self._commanded, 0
        with self._branches.end.of_another():
            for line in self._documents.joined(lines):
                if (directive := directive_of(line.text)) is not None:
                    self._directives += 1
                    self._directed(directive[0], self._variables.filled_in(directive[1]), line)
                elif not line.text.startswith("#") and self._command_line(line.text, line.number) is LineResult.TAKEN:
                    self._commanded = self._commanded or line.number
        self._nested -= 1
        self._commanded = commanded
        if given is not None:
            self._dialect = self._dialect or given[0]
            # Of Slurm's directives the last holds.
            keep(self._asked, *given, at)
        return self._directives > 0

    def _calls(self, words: list[str], number: int) -> bool:
        """A script that is called or sourced: its lines where this one has written them, else its name is kept."""
        called = script_called(words)
        if called is None:
            return False
        lines = self._written.started(called.name)
        if lines:
            with nullcontext() if called.is_sourced else self._shells.another():
                taken = [self._commands_within(commands(line), at, line) for at, line in lines]
            return any(taken)
        if called.is_sourced and not self._launches:
            self._problems.append(sources_another(called.name, number))
        elif called.is_file and not called.is_sourced and self._called is None:
            self._called = (called.name, number)
        return False

    def _export(self, words: Sequence[str], number: int) -> bool:
        settings = self._inherited.command(words, number, self._branches.within_one)
        # A script of another shell may have a function of this name.
        self._of_csh = self._of_csh or (words[0] == "setenv" and bool(settings) and not self._interpreter)
        self._exports += sum(setting.value is not None for setting in settings)
        self._keep(settings)
        return bool(settings)

    def _ask(self, word: str, options: str, number: int) -> None:
        """Keeps what a directive, or `sbatch --wrap`, asks for and sets."""
        keep(self._asked, word, options, number)
        self._exported.directed(word, options)
        self._keep(settings_of(directed_with(word, options), number))

    def _keep(self, settings: Iterable[EnvironmentSetting]) -> None:
        for setting in settings:
            if is_kept(setting.name) and len(self._environment) < MOST_ENTRIES:
                self._environment.append(setting)
                self._branches.keep(setting)

    def _module(self, words: Sequence[str], number: int) -> bool:
        found = module_commands(words, number) if len(self._modules) < MOST_ENTRIES else ()
        self._modules.extend(found)
        return bool(found)

    def _notes(self) -> Iterator[Problem]:
        if self._called is not None and not self._launches:
            yield called_alone(*self._called)
        if self._documents.hidden_end:
            yield hidden_end(self._documents.hidden_end)
        for setting in self._environment:
            yield from notes_of(setting)
