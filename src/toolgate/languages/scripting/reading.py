"""Analyses a text of a script language as a whole: parses, lowers, evaluates and reports it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.evaluator import Evaluator, ModuleLoader
from toolgate.languages.evaluation.folders import FolderReporter
from toolgate.languages.evaluation.printed_text import describe_output
from toolgate.languages.evaluation.remote_shells import find_remote_shell
from toolgate.languages.evaluation.reporter import Reporter
from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.step_budget import OutOfSteps, StepBudget
from toolgate.languages.evaluation.values import NULL, Unknown, Value, holds_kind, join_all, unknown_from, words_of
from toolgate.model.effect import Carrier, Interpret, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Hole, HoleKind, Word, is_glob

if TYPE_CHECKING:
    from .library import ScriptLibrary

STEPS = 25_000
SWEEP = 12_000
"""Step budget for functions that were never entered, even after the text has used up its own budget."""
LONGEST = 800_000
_NESTED_CODE = 4


class SourceError(ValueError):
    """The text cannot be analysed at all."""


class SyntaxTree(Protocol):
    """What a parser returns; tree-sitter's nodes are such trees."""

    @property
    def has_error(self) -> bool: ...

    @property
    def descendant_count(self) -> int: ...


class Lowering(Protocol):
    def program(self, tree: Any, /) -> nodes.Block:
        """Lowers a whole tree."""


class Language(NamedTuple):
    """Describes a script language.

    `name`: its display name; `package`: the wheel of its grammar; `sockets`: calls that connect to a server; `pure`: prefixes of
    calls whose only effect is their output; `bind`: sets the variables that a program starts with; `loader`: reads the other
    files of a program, which otherwise share its names.
    """

    name: str
    package: str
    parse: Callable[[bytes], SyntaxTree]
    lowering: Callable[[bytes], Lowering]
    library: Callable[[], ScriptLibrary]
    bind: Callable[[Evaluation, Interpret], None]
    sockets: tuple[str, ...] = ()
    pure: tuple[str, ...] = ()
    evaluator: type[Evaluator] = Evaluator
    loader: Callable[[Evaluator, Language], ModuleLoader] | None = None


class ScriptReporter(FolderReporter):
    """Marks a command-line text that deletes an unknown target as not fully analysed; a file is its author's responsibility."""

    def delete(self, path: Value | None, recursive: Value | None = None) -> None:
        for word in words_of(path) if path is not None and path is not NULL and not self.code.file else ():
            if word.parts and all(isinstance(part, Hole) and part.like == "**" and not is_glob(part) for part in word.parts):
                self.opaque(f"which file this {self.language} code deletes is computed ({word.display_text})")
        super().delete(path, recursive)


def line_of_input(report: Reporter) -> Value:
    """Returns the line that an interpreter binds to a variable, from standard input or the files given."""
    files = [word for word in report.code.args if not word.assigned_name]
    lines = [] if files else [each for each in report.seen.stdin.split_lines() if each.parts]
    made = join_all(lines[:_LINES])
    return report.unknown_output("a line that is read") if made is None or len(lines) > _LINES else made


_LINES = 12


def read_code_or_literals(language: Language, code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reads code of a language whose grammar may be missing by its literals then."""
    try:
        language.parse(b"")
    except ImportError:
        from toolgate.languages import literal

        yield from literal.read(code, text, context)
    else:
        yield from read_code(language, code, text, context)


def read_code(language: Language, code: Interpret, text: str, context: ExecutionContext) -> Iterator[ReportedEffect]:
    from .modules import IncludedFiles

    work = StepBudget(context.lend_code_steps(STEPS))
    report = ScriptReporter(code, context, work)
    name = code.file or f"this {language.name} code"
    evaluator = language.evaluator(language.library(), report, work)
    evaluator.loader = (language.loader or IncludedFiles)(evaluator, language)
    language.bind(evaluator, code)
    try:
        evaluator.run_all(lower_text(language, text, evaluator), context.lend_code_steps(SWEEP))
    except SourceError as problem:
        yield opaque_for_unread(name, str(problem), context.origin)
    except (OutOfSteps, RecursionError):
        yield opaque_for_unread(name, "it takes more steps than the gate follows", context.origin)
    context.spend_code_steps(work.spent)
    yield from find_remote_shell(evaluator, language.sockets)
    yield from report.effects_in_order()
    only_prints = all(each.startswith(language.pure) for each in evaluator.called)
    yield PrintedOutput(describe_output(report, language.name, only_prints=only_prints))


def lower_text(language: Language, text: str, evaluation: Evaluation) -> nodes.Block:
    """Lowers a text to nodes. A part that does not parse is reported as Opaque; the rest is still analysed."""
    if len(text) > LONGEST:
        raise SourceError(f"it is longer than {LONGEST:,} characters")
    data = text.encode("utf-8", "replace")
    report = evaluation.report
    try:
        tree = language.parse(data)
        block = language.lowering(data).program(tree)
    except ImportError:
        package = language.package
        raise SourceError(f"its grammar, {package.replace('-', '_')}, is not installed (pip install {package})") from None
    except RecursionError:
        raise SourceError("it is nested deeper than the gate follows") from None
    if tree.has_error:
        name = report.unit.file or f"this {language.name} code"
        report.add_effect(opaque_for_unread(name, f"it does not parse as {language.name}", report.origin))
    report.work.spend_steps(tree.descendant_count // 8)
    return block


def evaluate_text(evaluation: Evaluation, language: Language, code: Word) -> Value:
    """Evaluates code made at run time.

    Known code is analysed in place; code from a command or a value not known is reported, to be analysed later.
    """
    report = evaluation.report
    if code.text is None or code.src or report.nested >= _NESTED_CODE:
        if not (report.is_trusted and code.text is None) or holds_kind(code, HoleKind.RESPONSE, 1):
            report.interpret(code, via=Carrier(f"{language.name}'s eval"))
        return unknown_from("the result of code", code)
    report.nested += 1
    try:
        block: Any = lower_text(language, code.text, evaluation) or (nodes.Sequence(()),)
        *before, last = block
        evaluation.run_block(tuple(before))
        value = last.value if type(last) in (nodes.ExpressionStatement, nodes.Return) else None
        if value is not None:
            return evaluation.evaluate(value)
        evaluation.run_block((last,))
    except SourceError as problem:
        report.opaque(f"code that is run here was not read: {problem}")
    finally:
        report.nested -= 1
    return Unknown("the result of code")
