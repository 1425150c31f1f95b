"""Ruby's built-in names, types and modules."""

from __future__ import annotations

from functools import lru_cache

from toolgate.languages.evaluation.assignment_targets import find_in_class
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    unknown_from,
)
from toolgate.languages.scripting.library import ScriptLibrary, pairs_of
from toolgate.languages.scripting.reading import line_of_input
from toolgate.languages.scripting.texts import format_text, join_items
from toolgate.model.effect import Interpret
from toolgate.model.word import HoleKind, Word, known_word, unknown_word

from .calls import CALLS, HARMFUL
from .command_options import OPTION_CALLS
from .methods import METHODS
from .rake_tasks import RAKE_CALLS
from .results import RUBY_RESULTS
from .tables import ROWS

_NAMES = (
    "globals ENV ARGV DATA STDIN STDOUT STDERR $stdin $stdout $stderr Object Kernel String Array Hash Integer Float Symbol Proc"
    " Struct"
)
_KERNEL = frozenset(
    name.removeprefix("Kernel.").removeprefix("FileUtils.")
    for line in ROWS.splitlines()
    for name in line.partition("(")[0].split("|")
    if name.startswith(("Kernel.", "FileUtils."))
)
_IN_FILEUTILS = frozenset(
    name for line in ROWS.splitlines() for name in line.partition("(")[0].split("|") if name.startswith("FileUtils.")
)
_ALIASES = {
    "FileUtils::Verbose": "FileUtils",
    "FileUtils.Verbose": "FileUtils",
    "FileUtils.NoWrite": "FileUtils",
    "::": "",
    "Dir.unlink": "Dir.rmdir",
    "IO.File": "File",
    "Set.[]": "Set.new",
}
_CALLS_OF_FUNCTIONS = ("call", "yield", "===", "()", "curry")


class RubyLibrary(ScriptLibrary):
    constructor = "initialize"
    false_texts = ()
    zero_is_false = False

    def __init__(self) -> None:
        super().__init__(ROWS, {**METHODS, **CALLS, **RAKE_CALLS, **OPTION_CALLS}, HARMFUL, _NAMES, RUBY_RESULTS)

    def canonicalize_name(self, name: str) -> str:
        name = name.replace("::", ".").removeprefix("globals.").removeprefix("Object.")
        for old, new in _ALIASES.items():
            if name.startswith(old + "."):
                name = new + name[len(old) :]
        if "." not in name and name in _KERNEL:
            return f"FileUtils.{name}" if f"FileUtils.{name}" in _IN_FILEUTILS else f"Kernel.{name}"
        if name.startswith(("Kernel.", "IO.")) and name not in self._texts and f"File.{name.partition('.')[2]}" in self._texts:
            return f"File.{name.partition('.')[2]}"
        return name

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        match name:
            case "self":
                return Reference("main")
            case "ENV":
                return Instance("os.environ")
            case "ARGV" | "$*":
                arguments = evaluation.report.script_arguments()
                assert isinstance(arguments, ListValue)
                return ListValue("array", arguments.items[1:], arguments.rest)
            case "__FILE__" | "$0" | "$PROGRAM_NAME":
                return known_word(evaluation.report.code.file or "-e")
            case "__dir__":
                return known_word(evaluation.report.code.file.rpartition("/")[0] or ".")
            case "__method__":
                return unknown_word("a name")
            case _:
                return super().find_builtin(evaluation, name)

    def read_constant(self, _evaluation: Evaluation, name: str) -> Value | None:
        return {"File.SEPARATOR": known_word("/"), "RbConfig.ruby": known_word("ruby"), "Gem.ruby": known_word("ruby")}.get(name)

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if isinstance(owner, Unknown) and owner.kind is HoleKind.SECRET and self.has_call(f"secret.{name}"):
            return Reference(f"secret.{name}", owner)
        if isinstance(owner, Function) or (isinstance(owner, Reference) and not self.has_call(f"{owner.name}.{name}")):
            is_called = name in _CALLS_OF_FUNCTIONS and (isinstance(owner, Function) or self.has_call(owner.name))
            if is_called or (isinstance(owner, Reference) and owner.positional):
                return Reference("call a function", owner)
            if name == "to_proc":
                return Reference("same", owner)
        if isinstance(owner, Instance) and owner.cls is not None:
            return self._part_of_instance(evaluation, owner, name)
        if isinstance(owner, ClassValue) and name in ("new", "allocate") and find_in_class(owner, name) is None:
            return Reference("make an instance", owner)
        if self.has_call(f"any.{name}") and not self.has_call(f"{self.type_of(owner)}.{name}"):
            return Reference(f"any.{name}", owner)
        return super().read_property(evaluation, owner, name)

    def _part_of_instance(self, evaluation: Evaluation, owner: Instance, name: str) -> Value | None:
        assert owner.cls is not None
        if name.startswith("@"):
            return owner.fields.get(name, Unknown(name) if not evaluation.is_certain else None) or owner.fields.get(name[1:])
        found = find_in_class(owner.cls, name)
        if isinstance(found, Function):
            return None
        for key in (f"@{name}", name):
            if key in owner.fields:
                return Reference("a field", owner.fields[key])
        missing = find_in_class(owner.cls, "method_missing")
        if isinstance(missing, Function):
            return Reference("call a function", missing._replace(receiver=owner), (known_word(name),))
        return Reference(f"any.{name}", owner) if self.has_call(f"any.{name}") else None

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        if operator == "%" and isinstance(left, Word):
            return format_text(evaluation, None, Arguments((left, right)))
        if operator == "*" and isinstance(left, ListValue) and isinstance(right, Word):
            return join_items(evaluation, left, Arguments((right,)))
        if operator in ("+", "/") and isinstance(left, Instance) and left.type == "Pathname":
            return evaluation.call(Reference("Pathname.join", left), Arguments((right,)))
        if operator in ("-", "&") and isinstance(left, ListValue):
            return ListValue(
                "array", (), evaluation.join_values(*left.items, left.rest) if left.items or left.rest is not None else None
            )
        return super().apply_operator(evaluation, operator, left, right)

    def convert_iterable(self, evaluation: Evaluation, value: Value, /) -> Value | None:
        if (
            isinstance(value, Instance)
            and value.cls is not None
            and isinstance(each := find_in_class(value.cls, "each"), Function)
        ):
            given = ListValue("array")
            evaluation.call(each._replace(receiver=value), Arguments((), {"block": Reference("collect an item", given)}))
            return given
        if isinstance(value, Constant | Word):
            return ListValue("array", (value,))
        return pairs_of(evaluation, value) if isinstance(value, MapValue) else None

    def call_reference(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        """Calls a reference; user code that redefines a library name takes precedence."""
        if reference.receiver is not None and reference.name.startswith("main."):
            return evaluation.call(Reference(self.canonicalize_name(reference.name.removeprefix("main."))), arguments)
        if reference.receiver is None and reference.name.startswith("main."):
            return evaluation.call(Reference(self.canonicalize_name(reference.name[5:])), arguments)
        return super().call_reference(evaluation, reference, arguments)

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        made = super().call_unlisted(evaluation, reference, arguments)
        return made if not isinstance(made, Word) else unknown_from(reference.name, made)


def bind_variables(evaluation: Evaluation, _code: Interpret) -> None:
    """Binds `$_`, the line that `ruby -n` reads; every other unassigned variable is unknown."""
    evaluation.top.variables["$_"] = line_of_input(evaluation.report)


@lru_cache(1)
def library() -> RubyLibrary:
    return RubyLibrary()
