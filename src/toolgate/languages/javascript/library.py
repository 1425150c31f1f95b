"""JavaScript's global names, types and modules."""

from __future__ import annotations

import re
from functools import lru_cache

from toolgate.languages.evaluation import nodes
from toolgate.languages.evaluation.assignment_targets import find_in_class
from toolgate.languages.evaluation.client_acts import begins_deletion, obtains_secret
from toolgate.languages.evaluation.library_table import LibraryTable
from toolgate.languages.evaluation.listings import is_page_part
from toolgate.languages.evaluation.operators import concatenate_words
from toolgate.languages.evaluation.path_words import folder_of
from toolgate.languages.evaluation.shared_results import COMPUTED_CALLS, computed_part, kebab_case, options_of_cloud_command
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.table_rows import split_rows
from toolgate.languages.evaluation.values import (
    NULL,
    ClassValue,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    ObjectValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    unknown_from,
    unknown_of_kind,
    word_of,
    words_of,
)
from toolgate.model.word import HoleKind, Word, known_word

from .arrays import ARRAYS
from .build_actions import is_gruntfile
from .callables import CALLABLE_CALLS
from .command_arguments import COMMAND_ARGUMENT_CALLS
from .dynamic_code import CODE_CALLS, HARMFUL_CALLS
from .evaluator import JavaScriptEvaluator
from .mocks import MOCK_CALLS
from .narrowing import find_narrowing
from .objects import OBJECT_CALLS, entries_of
from .row_functions import ROW_FUNCTIONS, SPECIAL_CALLS
from .settings_files import SETTINGS_CALLS
from .tables import ROWS
from .text import TEXT_CALLS, as_word

_NODE_MODULES = (
    "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http"
    " http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder"
    " sys timers tls tty url util v8 vm wasi worker_threads zlib"
).split()
_GLOBAL_NAMES = (
    "eval Function Object Array String Number Boolean BigInt Symbol Date Math JSON Promise Proxy Reflect RegExp Error"
    " TypeError RangeError SyntaxError Map Set WeakMap WeakSet WeakRef Buffer URL URLSearchParams Worker WebSocket EventSource"
    " AbortController TextEncoder TextDecoder Intl Atomics globalThis global window self require module exports import"
    " setTimeout setInterval setImmediate clearTimeout clearInterval queueMicrotask structuredClone fetch atob btoa escape"
    " unescape encodeURIComponent decodeURIComponent encodeURI decodeURI parseInt parseFloat isNaN isFinite performance navigator"
    " Deno Bun Request $ cd execa execaCommand del rimraf shelljs axios got typeof YAML"
).split()
_SYNTAX_CALLS = ("a getter", "a method", "keys of", "names of", "call super", "import.meta")
"""Names that no code can have: calls for syntax."""
_BUILTIN_REFERENCES = {name: Reference(name) for name in (*_NODE_MODULES, *_GLOBAL_NAMES, *_SYNTAX_CALLS)}
_ALIASES = {
    **dict.fromkeys(("fs/promises", "fs.promises", "graceful-fs", "fs-extra", "original-fs", "mz/fs", "fs-extra/esm"), "fs"),
    **dict.fromkeys(("node-fs-extra", "fs-extra.promises"), "fs"),
    **dict.fromkeys(("path/posix", "path/win32", "upath", "pathe", "path.posix", "path.win32"), "path"),
    **dict.fromkeys(("node-fetch", "cross-fetch", "isomorphic-fetch", "undici.fetch"), "fetch"),
    "timers/promises": "timers",
    "mz/child_process": "child_process",
    "child_process.promises": "child_process",
    "bun": "Bun",
    **dict.fromkeys(("zx/core", "dax-sh", "zx/globals"), "zx"),
    **dict.fromkeys(("zx.fs", "zx.fse"), "fs"),
    "zx.path": "path",
    "YAML": "yaml",
    "zx.os": "os",
    "Bun.env": "process.env",
    "Bun.argv": "process.argv",
    "process.mainModule.require": "require",
    "module.require": "require",
    "require.main.require": "require",
    "process.getBuiltinModule": "require",
    **dict.fromkeys(("module._load", "module.constructor._load", "Function._load"), "require"),
    "module.prototype._compile": "module._compile",
    "promisify": "util.promisify",
    **dict.fromkeys(("url.URL",), "URL"),
    "buffer.Buffer": "Buffer",
    "import.meta.require": "require",
    "mysql2/promise": "mysql2",
    "events.once": "events.on",
    "timers.setTimeout": "setTimeout",
    "node-rimraf": "rimraf",
}
_GLOBAL_OBJECTS = ("globalThis.", "global.", "window.", "self.")
_MODULE_PREFIX = re.compile(r"^(?:node:|npm:|jsr:|https://(?:esm\.sh|deno\.land/x)/)")
_MODULE_VERSION = re.compile(r"(?<=[^/])@[\d^~][^/]*$")
_WITHOUT_SYNC = ("fs.", "Deno.", "os.")
_TEMPLATE_TAGS = frozenset(("zx.$", "execa.$", "Bun.$", "dax.$", "tinyexec.$", "$sync", "zx.$sync"))
_TEXT_CONSTANTS = {"path.sep": "/", "path.delimiter": ":", "os.EOL": "\n", "os.devNull": "/dev/null"} | dict.fromkeys(
    ("process.execPath", "process.argv0"), "node"
)
_PROMISE_METHODS = ("then", "catch", "finally")
_FUNCTION_METHODS = ("call", "apply", "bind")


class JavaScriptLibrary(LibraryTable):
    constructor = "constructor"
    binds_receiver = False
    assigns_outward = True
    calls_by_value = True
    map_type = ObjectValue
    list_kind = rest_kind = "array"
    missing_argument = NULL
    closed_types = frozenset(("str", "list", "object", "function", "number", "RegExp", "Map", "file", "promise"))

    def __init__(self) -> None:
        specials = {**TEXT_CALLS, **ARRAYS, **OBJECT_CALLS, **CALLABLE_CALLS, **CODE_CALLS, **SPECIAL_CALLS, **COMPUTED_CALLS}
        super().__init__(
            split_rows(ROWS),
            {},
            {**specials, **COMMAND_ARGUMENT_CALLS, **MOCK_CALLS, **SETTINGS_CALLS},
            ROW_FUNCTIONS,
            HARMFUL_CALLS | {"$", "execa"},
        )

    def find_builtin(self, evaluation: Evaluation, name: str) -> Value | None:
        file = getattr(evaluation.frame.unit, "file", "")
        match name:
            case "__filename":
                return known_word(file or "[eval]")
            case "__dirname":
                return folder_of(evaluation, known_word(file)) if file else known_word(".")
            case "this":
                return Reference("globalThis")
            case "NaN" | "Infinity":
                return Unknown("a number")
            case "argv":
                return evaluation.report.script_arguments()
            case _:
                return _BUILTIN_REFERENCES.get(name)

    def canonicalize_name(self, name: str) -> str:
        return canonical_name(name)

    # ---- what names and properties are

    def read_constant(self, evaluation: Evaluation, name: str) -> Value | None:
        if name in _TEXT_CONSTANTS:
            return known_word(_TEXT_CONSTANTS[name])
        file = getattr(evaluation.frame.unit, "file", "")
        match name:
            case "process.argv" | "zx.argv":
                return evaluation.report.script_arguments()
            case "Deno.args":
                arguments = evaluation.report.script_arguments()
                assert isinstance(arguments, ListValue)
                return ListValue("array", arguments.items[2 if file else 1 :], arguments.rest)
            case "process.env":
                return Instance("os.environ")
            case "process.execArgv":
                code = evaluation.report.code
                return ListValue("array", () if code.file else (known_word("-e"), code.code))
            case "process.pid" | "Deno.pid":
                return Instance("own process")
            case "process.stdin" | "Bun.stdin" | "Deno.stdin":
                return Instance("file", {"path": Constant(0)})
            case "import.meta.filename" | "import.meta.url" | "import.meta.path" | "Bun.main":
                return known_word(file or "[eval]")
            case "import.meta.dirname" | "import.meta.dir":
                return folder_of(evaluation, known_word(file)) if file else known_word(".")
            case _:
                return None

    def read_property(self, evaluation: Evaluation, owner: Value, name: str) -> Value | None:
        if owner is NULL or (isinstance(owner, Constant) and owner.value is None):
            return NULL
        if isinstance(owner, MapValue):
            found = self._property_of_map(evaluation, owner, name)
            if found is not None:
                return found
        if name in _PROMISE_METHODS and not (
            isinstance(owner, Instance) and owner.cls is not None and find_in_class(owner.cls, name)
        ):
            return Reference(f"promise.{name}", owner)
        match owner:
            case Function() | ClassValue() | Reference():
                return self._property_of_callable(evaluation, owner, name)
            case Word():
                return self._property_of_text(owner, name)
            case ListValue():
                if name in ("length", "size"):
                    is_sure = owner.rest is None and evaluation.is_certain
                    return Constant(len(owner.items)) if is_sure else Unknown("a number")
                return Reference("Array") if name == "constructor" else None
            case Instance():
                return self._property_of_instance(evaluation, owner, name)
            case Unknown():
                return self._property_of_unknown(evaluation, owner, name)
            case _:
                return None

    def _property_of_unknown(self, evaluation: Evaluation, owner: Unknown, name: str) -> Value | None:
        if name in ("file", "util", "config") and is_gruntfile(evaluation):
            return Reference(f"grunt.{name}")
        if (begins_deletion(name) and not owner.carries) or name == "constructor" or self.has_call(f"?.{name}"):
            return None  # the call keeps the object, such as one that it deletes
        if self.has_call(own := f"?.{owner.name}.{name}"):
            return Reference(own, owner)
        if name == "length":
            return Unknown("a number")
        if is_page_part(owner, name):
            return owner
        return unknown_from(name, owner)

    def _property_of_map(self, evaluation: Evaluation, owner: MapValue, name: str) -> Value | None:
        found = owner.entries.get(name)
        if found is None:
            if owner.rest is not None:
                return owner.rest
            if name in _PROMISE_METHODS or self.has_call(f"object.{name}"):
                return None
            if name == "constructor":
                return Reference("Object")
            is_exposed = isinstance(evaluation, JavaScriptEvaluator) and id(owner) in evaluation.exposed
            return Unknown(name) if is_exposed or not evaluation.is_certain else NULL
        return evaluation.join_values(*(self._bind_property(evaluation, each, owner) for each in list_alternatives(found)))

    def _bind_property(self, evaluation: Evaluation, value: Value, owner: Value) -> Value:
        """Binds a function to its owner; calls a getter."""
        if isinstance(value, Function) and value.receiver is None:
            return value._replace(receiver=owner)
        if isinstance(value, Instance) and value.type == "property":
            getter = value.fields["get"]
            bound = getter._replace(receiver=owner) if isinstance(getter, Function) else getter
            return evaluation.call(bound, Arguments())
        return value

    def _property_of_callable(self, evaluation: Evaluation, owner: Function | ClassValue | Reference, name: str) -> Value | None:
        if name == "constructor":
            return Reference("Function")
        if name == "__proto__" and isinstance(owner, Function):
            return owner  # it has the same constructor
        is_own = isinstance(owner, Reference) and self.has_call(f"{owner.name}.{name}")
        if (name in _FUNCTION_METHODS and not is_own) or (name == "toString" and isinstance(owner, Function)):
            return Reference(f"function.{name}", owner)
        if isinstance(owner, ClassValue):
            return owner if name == "prototype" and find_in_class(owner, name) is None else None
        if isinstance(owner, Function):
            assert isinstance(evaluation, JavaScriptEvaluator)
            members = evaluation.members_of(owner)
            if name == "prototype" and name not in members.entries:
                members.entries[name] = ObjectValue()
            return self._property_of_map(evaluation, members, name) or Unknown(name)
        full = canonical_name(f"{owner.name}.{name}")
        if name in ("default", "strict") and full not in evaluation.patched and not self.has_call(full):
            return owner
        if owner.receiver is not None and owner.name.startswith("?."):
            return unknown_from(name, owner.receiver)
        return None

    def _property_of_text(self, owner: Word, name: str) -> Value | None:
        if name == "length":
            return Constant(len(owner.text)) if owner.text is not None else Unknown("a number")
        if name == "constructor":
            return Reference("String")
        if self.has_call(f"str.{name}") or self.has_call(f"?.{name}"):
            return None
        return owner if name in ("name", "message") and owner.text is None else unknown_from(name, owner)

    def _property_of_instance(self, evaluation: Evaluation, owner: Instance, name: str) -> Value | None:
        if owner.type == "os.environ":
            return evaluation.report.variable(known_word(name))
        if owner.type == "Map" and name == "size":
            return Unknown("a number")
        found = owner.fields.get(name)
        if found is not None:
            return evaluation.join_values(*(self._bind_property(evaluation, each, owner) for each in list_alternatives(found)))
        if owner.cls is not None or self.has_call(f"{owner.type}.{name}") or self.has_call(f"?.{name}") or "." in owner.type:
            return None
        return unknown_from(name, owner) if owner.type in ("process", "response") else None

    def read_index(self, evaluation: Evaluation, owner: Value, key: Value) -> Value | None:
        """`object[name]` is `object.name`; a number is an index."""
        if isinstance(owner, Instance) and owner.type == "os.environ":
            return evaluation.report.variable(key)
        if isinstance(key, Constant) and not isinstance(owner, MapValue):
            return None
        if isinstance(owner, MapValue) and not all(isinstance(each, Word | Constant) for each in list_alternatives(key)):
            return None
        found: list[Value] = []
        for word in words_of(key):
            if word.text is None:
                found.append(self._unknown_part(evaluation, owner, key))
            elif isinstance(owner, ListValue | Word) and word.text.isdigit():
                number = int(word.text)
                items, rest = evaluation.items_of(owner)
                found.append(items[number] if number < len(items) else rest if rest is not None else NULL)
            else:
                found.append(evaluation.read_attribute(owner, word.text))
        return evaluation.join_values(*found)

    def _unknown_part(self, evaluation: Evaluation, owner: Value, key: Value) -> Value:
        if isinstance(owner, Reference | Instance) and not evaluation.report.is_trusted:
            return computed_part(owner)
        items, rest = evaluation.items_of(owner) if isinstance(owner, ListValue) else ([], None)
        if isinstance(owner, MapValue):
            items, rest = [value for _, value in entries_of(evaluation, owner)[0]], owner.rest
        return evaluation.join_values(*items, rest) if items or rest is not None else unknown_from("a part", owner, key)

    # ---- operators, calls, loops

    def apply_operator(self, _evaluation: Evaluation, operator: str, left: Value, right: Value) -> Value | None:
        if operator == "+" and (isinstance(left, Word | Instance) or isinstance(right, Word | Instance)):
            return concatenate_words((word_of(as_word(left)), word_of(as_word(right))))
        return None

    def call_unlisted(self, evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value:
        receiver = reference.receiver
        if obtains_secret(reference.name.removesuffix("Command")) or any(
            isinstance(each, MapValue) and "WithDecryption" in each.entries for each in arguments.positional
        ):
            return unknown_of_kind(HoleKind.SECRET)
        if call_cloud(evaluation, reference.name, arguments):
            evaluation.call_unknown(reference.name, arguments)
            return Unknown("the answer of a cloud service")
        if isinstance(receiver, Unknown) and receiver.carries:
            return evaluation.call(receiver, arguments)
        return super().call_unlisted(evaluation, reference, arguments)

    def callback_arguments(self, item: Value, number: Value, holder: Value) -> tuple[Value, ...]:
        return item, number, holder

    def convert_iterable(self, evaluation: Evaluation, value: Value, /) -> Value | None:
        if isinstance(value, MapValue) and isinstance(own := value.entries.get("__iter__"), Function):
            return evaluation.call(own._replace(receiver=value), Arguments())
        if isinstance(value, Instance) and value.type == "Map":
            pairs, rest = entries_of(evaluation, value)
            return ListValue(
                "array", [ListValue("array", pair) for pair in pairs], None if rest is None else ListValue("array", rest)
            )
        return None

    def find_narrowing(self, evaluation: Evaluation, test: nodes.Expression) -> tuple[nodes.Expression, list[str]] | None:
        return find_narrowing(evaluation, test)


_CLOUD_COMMAND = re.compile(r"@aws-sdk/(?:client-|lib-)?(?P<service>[\w-]+)\.(?P<verb>\w+)Command")
_CLOUD_METHOD = re.compile(r"(?:aws-sdk(?:/clients/|\.)|@aws-sdk/client-[\w-]+\.)(?P<service>\w+)\.(?P<verb>[a-z]+[A-Z]\w*)")


def call_cloud(evaluation: Evaluation, name: str, arguments: Arguments) -> bool:
    """Reports a call of Amazon's library, which uses the command line's names: `new DeleteBucketCommand(..)`,
    `s3.deleteBucket(..)` are `aws s3 delete-bucket`. Returns whether it was such a call."""
    found = _CLOUD_COMMAND.fullmatch(name) or _CLOUD_METHOD.fullmatch(name)
    if found is None or evaluation.report.openings.simulates_cloud:
        return found is not None
    settings = [entry for each in arguments.positional if isinstance(each, MapValue) for entry in each.known_entries]
    service, verb = known_word(found["service"].lower()), known_word(kebab_case(found["verb"]))
    evaluation.report.command(known_word("aws"), service, verb, *options_of_cloud_command(settings))
    return True


@lru_cache(4096)
def canonical_name(name: str) -> str:
    """Returns one name for calls with different names in several modules, with or without `Sync`."""
    if ":" in name or "@" in name:
        name = _MODULE_VERSION.sub("", _MODULE_PREFIX.sub("", name))
    for prefix in _GLOBAL_OBJECTS:
        while name.startswith(prefix):
            name = name.removeprefix(prefix)
    if name in _TEMPLATE_TAGS:
        return "$"
    name = name.removesuffix(".default") if name.count(".") and name not in ("del.default",) else name
    at = len(name)
    while at > 0:
        own = _ALIASES.get(name[:at])
        if own is not None:
            name = own + name[at:]
            at = len(own)
            if _ALIASES.get(own) is None:
                break
        at = name.rfind(".", 0, at)
    return name.removesuffix("Sync") if name.startswith(_WITHOUT_SYNC) else name


@lru_cache(1)
def javascript_library() -> JavaScriptLibrary:
    return JavaScriptLibrary()
