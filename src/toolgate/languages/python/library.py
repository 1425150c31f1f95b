"""Python's built-in names, types and modules."""

from __future__ import annotations

import builtins
import re
from functools import lru_cache
from types import MappingProxyType

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.expressions import Expressions
from toolgate.languages.evaluation.library_table import LibraryTable
from toolgate.languages.evaluation.path_words import join_paths, suffix_of
from toolgate.languages.evaluation.shared_results import computed_part
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.table_rows import split_rows
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
    list_alternatives,
    unknown_from,
    word_of,
    words_of,
)
from toolgate.model.word import Word, known_word

from . import paths
from .callables import CALLABLE_CALLS, HARMFUL_CALLS
from .command_arguments import COMMAND_ARGUMENT_CALLS
from .command_functions import COMMAND_FUNCTION_CALLS
from .connection_actions import CONNECTION_ACTIONS
from .containers import CONTAINER_CALLS
from .data_actions import DATA_ACTIONS
from .dynamic_code import NAME_CALLS
from .files import FILE_CALLS, read_lines
from .ini_files import INI_CALLS, PARSER, SECTION, find_section
from .json_files import NotebookNode
from .mocks import MOCK_CALLS
from .module_constants import NUMBER_CONSTANTS, TEXT_CONSTANTS
from .named_tasks import NAMED_TASK_CALLS
from .parsed_documents import DOCUMENT_ACTIONS
from .processes import PROCESS_ACTIONS
from .row_functions import ROW_FUNCTIONS, SITE, SPECIAL_CALLS, USER_SITE, call_cloud, temporary_path_of
from .settings_libraries import SETTINGS_CALLS, read_django_setting, read_fields
from .signatures import SIGNATURES
from .special_actions import OBJECT_CALLS, SPECIAL_ACTIONS
from .tables import ROWS
from .text import TEXT_CALLS, format_percent
from .typed_commands import TYPED_COMMAND_CALLS

_BUILTIN_REFERENCES = {
    name: Reference(name) for name in dir(builtins) if name not in ("True", "False", "None", "NotImplemented")
} | {
    "__builtins__": Reference("builtins"),
    "unicode": Reference("str"),
    "raw_input": Reference("input"),
    "basestring": Reference("str"),
    "xrange": Reference("range"),
    "execfile": Reference("execfile"),
    "reduce": Reference("functools.reduce"),
    "get_ipython": Reference("get_ipython"),
    "display": Reference("print"),
}
_NAMES_OF_SCONS = frozenset(
    "Delete Move Copy Touch Mkdir Chmod Execute Action Command AddPreAction AddPostAction Alias Install InstallAs Environment"
    " DefaultEnvironment".split()
)
_ALIASES = {
    "posix": "os",
    "nt": "os",
    "_io": "io",
    "posixpath": "os.path",
    "ntpath": "os.path",
    "_posixsubprocess": "subprocess",
    "six.moves.builtins": "builtins",
    "pathlib.PosixPath": "pathlib.Path",
    "pathlib.PurePath": "pathlib.Path",
    "pathlib.PurePosixPath": "pathlib.Path",
    "pathlib.WindowsPath": "pathlib.Path",
    "asyncio.subprocess.create_subprocess_exec": "asyncio.create_subprocess_exec",
    "asyncio.subprocess.create_subprocess_shell": "asyncio.create_subprocess_shell",
    "os.environb": "os.environ",
}
_LOADED_LIBRARY = re.compile(r"(?:C-library|ctypes\.(?:cdll|windll|pydll|pythonapi))\.(?!LoadLibrary)(?:.*\.)?(?=\w+$)")
_METHOD_TYPES = frozenset(("pathlib.Path", "str", "list", "dict"))


class PythonLibrary(LibraryTable):
    type_names = MappingProxyType({Word: "str", ListValue: "list", MapValue: "dict", Function: "function"})
    closed_types = frozenset(("str", "list", "dict", "function", "pathlib.Path", "os.environ", "file"))

    calls_by_value = True
    writing_calls = frozenset(("print", "json.dump", "nbformat.write", *FILE_CALLS))
    fixtures = MappingProxyType(
        dict.fromkeys(("tmp_path", "tmpdir"), Instance(paths.PATH, text=temporary_path_of("a folder of this test")))
        | {"monkeypatch": Instance("monkeypatch")}
    )

    def __init__(self) -> None:
        specials = {
            **TEXT_CALLS,
            **CONTAINER_CALLS,
            **CALLABLE_CALLS,
            **NAME_CALLS,
            **SPECIAL_CALLS,
            **OBJECT_CALLS,
            **COMMAND_ARGUMENT_CALLS,
            **COMMAND_FUNCTION_CALLS,
            **TYPED_COMMAND_CALLS,
            **NAMED_TASK_CALLS,
            **MOCK_CALLS,
            **INI_CALLS,
            **SETTINGS_CALLS,
        }
        super().__init__(
            split_rows(ROWS),
            SIGNATURES,
            specials,
            {**ROW_FUNCTIONS, **CONNECTION_ACTIONS, **PROCESS_ACTIONS, **DATA_ACTIONS, **DOCUMENT_ACTIONS, **SPECIAL_ACTIONS},
            HARMFUL_CALLS,
        )

    def convert_iterable(self, evaluation: Evaluation, value: Value, /) -> Value | None:
        """An open file is iterated over by its lines."""
        return read_lines(evaluation, value, Arguments()) if isinstance(value, Instance) and value.type == "file" else None

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        if name == "__name__":
            return known_word(getattr(evaluation.frame.unit, "name", "__main__"))
        if name == "__file__":
            file = getattr(evaluation.frame.unit, "file", "")
            return known_word(file) if file else Unknown("__file__")
        if name in _NAMES_OF_SCONS and evaluation.report.unit.file.rpartition("/")[2] in ("SConstruct", "SConscript"):
            return Reference(f"SCons.Script.{name}")
        return _BUILTIN_REFERENCES.get(name)

    def canonicalize_name(self, name: str) -> str:
        return canonical_name(name)

    def is_method(self, name: str) -> bool:
        return name.rpartition(".")[0] in _METHOD_TYPES

    def read_constant(self, evaluation: Evaluation, name: str) -> Value | None:
        if name in TEXT_CONSTANTS:
            return known_word(TEXT_CONSTANTS[name])
        if name in NUMBER_CONSTANTS:
            return Constant(NUMBER_CONSTANTS[name])
        match name:
            case "sys.argv":
                return evaluation.report.script_arguments()
            case "os.environ":
                return Instance("os.environ")
            case "sys.modules":
                evaluation.outside_calls.by_name = True
                return Instance("sys.modules")
            case "termios.TIOCSTI":
                evaluation.report.operation("terminal.type")
                return Constant(0x5412)
            case "toolgate.__file__":
                return known_word(f"{SITE}/toolgate/__init__.py")
            case "toolgate.__path__":
                return ListValue("list", (known_word(f"{SITE}/toolgate"),))
            case "site.USER_SITE":
                return word_of(evaluation.report.home) + known_word(f"/{USER_SITE}")
            case "sys.platform" | "os.name":
                return Unknown(name)
            case "sys.stdin":
                return Instance("standard input")
            case _:
                return read_django_setting(evaluation, name)

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if name == "__call__" and isinstance(owner, Function | Reference):
            return owner
        if name == "__name__" and isinstance(owner, Function):
            return known_word(owner.name)
        if name == "__dict__" and isinstance(owner, Reference | Instance):
            return MapValue(owner.fields.items()) if isinstance(owner, Instance) and owner.cls is not None else owner
        if name in ("__builtins__", "__loader__") and isinstance(owner, Reference):
            return Reference("builtins")
        if isinstance(owner, Instance):
            return self._property_of_instance(evaluation, owner, name)
        if isinstance(owner, NotebookNode) and name in owner.entries:
            return owner.entries[name]
        if isinstance(owner, Word) and name in ("parent", "name", "suffix", "stem") and owner.text is None:
            return self._property_of_path(evaluation, owner, name)
        if name in ("value", "_value_") and isinstance(owner, Word | Constant):
            return owner  # a member of an enumeration
        if isinstance(owner, Unknown) and name in ("returncode", "pid"):
            return Unknown("a number")
        return None

    def _property_of_instance(self, evaluation: Evaluation, owner: Instance, name: str) -> Value | None:
        if owner.type == paths.PATH:
            return self._property_of_path(evaluation, owner, name)
        if owner.type == "module" and name not in owner.fields:
            return _read_missing_name(evaluation, owner, name)
        if name == "__class__" and owner.cls is not None:
            return owner.cls
        if owner.type == "process" and name in ("stdout", "stderr", "returncode"):
            return owner.fields.get("output")
        return None

    def _property_of_path(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        match name:
            case "parent":
                return paths.folder_of(evaluation, owner)
            case "parents":
                return paths.parents_of(evaluation, owner)
            case "name":
                return paths.last_part_of(evaluation, owner)
            case "suffix":
                return suffix_of(evaluation, owner)
            case "stem":
                text = word_of(paths.last_part_of(evaluation, owner)).text
                return known_word(text.rpartition(".")[0] or text) if text is not None else unknown_from("a stem", owner)
            case "parts":
                return ListValue("tuple", (), unknown_from("a part", owner))
            case _:
                return None

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        """Reads `module.__dict__[name]`, `sys.modules[name]`, `os.environ[name]`, an object with `__getitem__`."""
        if isinstance(owner, Instance) and owner.type == "os.environ":
            return evaluation.report.variable(key)
        if isinstance(owner, Instance) and owner.type == "sys.modules":
            return evaluation.join_values(*(_find_module(evaluation, word.text) for word in words_of(key)))
        if isinstance(owner, Instance) and owner.type in (PARSER, SECTION):
            return find_section(evaluation, owner, key)
        if isinstance(owner, Instance) and owner.type == "mongo":
            return owner  # a database, a collection
        if isinstance(owner, Instance) and owner.type.startswith("boto3"):
            return Reference(f"{owner.type}.{word_of(key).display_text}", owner)
        if isinstance(owner, Reference) and not isinstance(key, Constant):
            found: list[Value] = []
            for word in words_of(key):
                if word.text is None:
                    found.append(computed_part(owner))
                elif owner.receiver is None:
                    found.append(evaluation.read_attribute(owner, word.text))
                else:
                    found.append(Reference(f"{owner.name}[]", owner.receiver))
            return evaluation.join_values(*found)
        if isinstance(owner, Instance) and owner.cls is not None:
            own = evaluation.read_attribute(owner, "__getitem__")
            return evaluation.call(own, Arguments((key,))) if isinstance(own, Function) else None
        return None

    def apply_operator(self, evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        """`path / name`, `"%s" % value`."""
        if operator == "/" and not isinstance(left, Constant):
            if isinstance(left, Unknown) and not isinstance(right, Word | Instance):
                return None
            return paths.as_path(evaluation, join_paths(evaluation, left, right))
        if operator == "%" and isinstance(left, Word):
            return format_percent(evaluation, left, right)
        return None

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        receiver = reference.receiver
        if isinstance(receiver, Instance) and receiver.type.startswith("boto3"):
            return call_cloud(evaluation, receiver, reference.name, arguments)
        return super().call_unlisted(evaluation, reference, arguments)

    def initial_fields(self, evaluation: Evaluation, cls: ClassValue) -> dict[str, Value]:
        return read_fields(evaluation, cls)

    # ---- tests

    def find_narrowing(self, evaluation: Evaluation, test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
        """Returns the expression that a test is about, and globs that its last part matches if the test is true."""
        if isinstance(test, nodes.Call):
            return self._narrow_by_call(evaluation, test)
        if not isinstance(test, nodes.Comparison) or test.operator not in ("==", "in"):
            return None
        left, right = test.left, test.right
        if isinstance(left, nodes.Literal):
            text = left.value.text if isinstance(left.value, Word) else None
            glob = f"*{text}*" if test.operator == "in" else text
            return _narrowing_if_known(_find_narrowed_place(right), [glob] if text and glob else [])
        before = "*" if _is_suffix(left) else ""
        return _narrowing_if_known(_find_narrowed_place(left), [before + text for text in _known_texts(evaluation, right)])

    def _narrow_by_call(self, evaluation: Evaluation, test: nodes.Call) -> tuple[nodes.Expression, list[str]] | None:
        argument_values = [each.value for each in test.arguments]
        name = test.function.name if isinstance(test.function, nodes.Attribute | nodes.Name) else ""
        if len(argument_values) == 2 and name in ("fnmatch", "fnmatchcase"):
            return _narrowing_if_known(_find_narrowed_place(argument_values[0]), _known_texts(evaluation, argument_values[1]))
        if len(argument_values) != 1 or not isinstance(test.function, nodes.Attribute):
            return None
        owner = test.function.owner
        if name in ("endswith", "startswith"):
            texts = _known_texts(evaluation, argument_values[0])
            return _narrowing_if_known(
                _find_narrowed_place(owner), [f"*{text}" if name == "endswith" else f"{text}*" for text in texts]
            )
        if name == "match" and not (isinstance(owner, nodes.Name) and owner.name == "re"):
            return _narrowing_if_known(
                _find_narrowed_place(owner), [text for text in _known_texts(evaluation, argument_values[0]) if "/" not in text]
            )
        return None


def _narrowing_if_known(place: nodes.Expression | None, globs: list[str]) -> tuple[nodes.Expression, list[str]] | None:
    return (place, globs) if place is not None and globs else None


def _is_suffix(node: nodes.Expression) -> bool:
    return isinstance(node, nodes.Index) or (isinstance(node, nodes.Attribute) and node.name == "suffix")


def _find_narrowed_place(node: nodes.Expression) -> nodes.Expression | None:
    """Returns the name whose value, or whose last part, this is."""
    if isinstance(node, nodes.Name):
        return node
    if isinstance(node, nodes.Attribute) and node.name in ("name", "suffix"):
        return _find_narrowed_place(node.owner)
    if isinstance(node, nodes.Index) and isinstance(node.owner, nodes.Call):
        return _place_of_call(node.owner, ("splitext",))
    return _place_of_call(node, ("basename", "str")) if isinstance(node, nodes.Call) else None


def _find_module(evaluation: Evaluation, name: str | None) -> Value:
    """Returns what `sys.modules` holds under a name."""
    if not name:
        return Unknown("a module")
    loaded = evaluation.load_module(name)
    return evaluation.library.module_reference(name) if loaded is None else loaded


def _read_missing_name(evaluation: Evaluation, module: Instance, name: str) -> Value | None:
    """Returns a name that a module does not declare: a module of the package, or what its `__getattr__` returns."""
    own = (module.text.text if module.text is not None else None) or ""
    found, getter = evaluation.load_module(f"{own}/{name}" if "/" in own else f"{own}.{name}"), module.fields.get("__getattr__")
    return evaluation.call(getter, Arguments((known_word(name),))) if found is None and isinstance(getter, Function) else found


def _place_of_call(node: nodes.Call, names: tuple[str, ...]) -> nodes.Expression | None:
    function = node.function
    if isinstance(function, nodes.Attribute) and function.name in ("lower", "casefold") and not node.arguments:
        return _find_narrowed_place(function.owner)
    is_one_of = isinstance(function, nodes.Attribute | nodes.Name) and function.name in names
    return _find_narrowed_place(node.arguments[0].value) if is_one_of and len(node.arguments) == 1 else None


def _known_texts(evaluation: Evaluation, node: nodes.Expression) -> list[str]:
    assert isinstance(evaluation, Expressions)
    value = evaluation.evaluate(node)
    if not all(isinstance(each, Word | ListValue) for each in list_alternatives(value)):
        return []
    items, rest = evaluation.items_of(value) if isinstance(value, ListValue) else ([value], None)
    words = [word for each in items if isinstance(each, Word | Instance) for word in words_of(each)]
    return (
        [word.text for word in words if word.text]
        if rest is None and len(words) == len(items) and None not in [w.text for w in words]
        else []
    )


@lru_cache(4096)
def canonical_name(name: str) -> str:
    """Returns one name for calls with different names in several modules."""
    if name.startswith(("builtins.", "__builtins__.")):
        name = name.partition(".")[2]
    if (loaded := _LOADED_LIBRARY.match(name)) is not None:  # `ctypes.cdll["libc.so.6"].unlink`
        return f"C-library.{name[loaded.end() :]}"
    if name in _ALIASES:
        return _ALIASES[name]
    for alias, own in _ALIASES.items():
        if name.startswith(alias) and name[len(alias) : len(alias) + 1] == ".":
            return own + name[len(alias) :]
    return name


@lru_cache(1)
def python_library() -> PythonLibrary:
    return PythonLibrary()
