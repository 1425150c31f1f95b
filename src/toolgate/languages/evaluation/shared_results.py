"""Results and effects shared by the libraries of several languages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from toolgate.flows.selected_rows import SELECTED_ROWS
from toolgate.model.effect import Connect
from toolgate.model.word import Hole, Word, known_word, unknown_word

from .authorship import serves_development
from .client_acts import only_validates
from .client_settings import list_settings
from .default_values import find_known_text
from .file_changes import may_be_changed
from .leaf_texts import leaf_words
from .library_table import SpecialCall
from .obtained_secrets import hands_on_secret
from .plain_values import plain_value
from .process_lists import reads_process
from .shared_state import Arguments, Evaluation
from .values import (
    FALSE,
    NULL,
    TRUE,
    Constant,
    Function,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    holds_environment,
    list_alternatives,
    text_of,
    unknown_from,
    word_of,
    words_of,
)

if TYPE_CHECKING:
    from .reporter import Reporter

_MAX_CONTENT = 65_536
"""Maximum length of a file whose text is followed."""


def content_of(evaluation: Evaluation, file: Value | None) -> Value:
    """Returns the content of a file. It is unknown text from this command, and from those that wrote the file, unless there is
    only one text that it may hold, and this code has not changed it."""
    report = evaluation.report
    if file is None:
        return report.unknown_output("the content of a file")
    if (known := _find_known_content(report, file)) is not None:
        report.contents[known] = file
        return known
    src = report.own_command.union(*(report.seen.read(each).src for each in words_of(file)))
    made = unknown_word(f"the content of {word_of(file).display_text}", src)
    report.contents[made] = file
    return made


def _find_known_content(report: Reporter, file: Value) -> Word | None:
    path = find_known_text(file)
    if path is None or may_be_changed(report, path):
        return None
    texts = report.seen.read_alternatives(path)
    is_known = len(texts) == 1 and texts[0].text is not None and len(texts[0].text) <= _MAX_CONTENT
    return report.seen.read(path) if is_known else None


def signal_process(evaluation: Evaluation, pid: Value | None, signal: Value | None = None) -> Value:
    if pid is None:
        return NULL
    report = evaluation.report
    target = word_of(pid)
    target = Word(
        target.parts, False, target.src - report.own_command
    )  # without this code's own programs that looked up the number
    everything = target.text in ("-1", "1")
    if target.text is None and evaluation.lists_processes and not report.is_excused:
        everything = not reads_process(report)
    if not (isinstance(signal, Constant) and signal.value == 0) and (everything or not report.is_excused):
        report.operation("process.kill", target, everything=everything, by_name=False)
    return NULL


def argument_list(_evaluation: Evaluation, *parts: Value | None) -> Value:
    """Returns one list of arguments; lists among the parts are flattened."""
    items: list[Value] = []
    rest: Value | None = None
    for each in parts:
        if isinstance(each, ListValue):
            items += each.items
            rest = each.rest if rest is None else rest
        elif each is not None:
            items.append(each)
    return ListValue("list", items, rest)


def started_process(evaluation: Evaluation, *_argument: Value | None) -> Value:
    return Instance("process", {"output": evaluation.report.unknown_output("the output of a command")})


def database_call(evaluation: Evaluation, name: Value | None, target: Value | None) -> Value:
    """Reports a call that empties a database. A file's code is its author's responsibility, and a database in memory loses
    nothing."""
    report = evaluation.report
    if not serves_development(report) and not report.openings.is_in_memory:
        local = report.openings.local_service is not None or report.is_test
        report.operation(text_of(name) or "", target, disposable=False, local=local)
    return NULL


def database_command(evaluation: Evaluation, name: Value | None) -> Value:
    """Reports a command of Redis that is sent by its name."""
    for word in words_of(name.items[0] if isinstance(name, ListValue) and name.items else name) if name is not None else ():
        if (word.text or "").upper() in ("FLUSHALL", "FLUSHDB"):
            database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return evaluation.report.unknown_output("the answer of a database")


def payment_call(evaluation: Evaluation, name: Value | None, target: Value | None, flag: Value | None = None) -> Value:
    """Reports a call at a payment provider, unless a key for tests or a server of this machine is used."""
    return NULL if evaluation.report.openings.pays_nobody else provider_call(evaluation, name, target, flag)


def pay_if_confirmed(evaluation: Evaluation, confirm: Value | None) -> Value:
    """Reports a payment that is made at once: `PaymentIntent.create(.., confirm=True)`."""
    if confirm is None or confirm is NULL or confirm is FALSE:
        return NULL
    return payment_call(evaluation, known_word("tool.act"), known_word("this call"), known_word("pays"))


def provider_call(evaluation: Evaluation, name: Value | None, target: Value | None, flag: Value | None = None) -> Value:
    """Reports a call that deletes something at a provider or moves money there; a file's code is its author's responsibility."""
    report = evaluation.report
    if not report.is_excused:
        flags: dict[str, bool] = {} if flag is None else {text_of(flag) or "": True}
        if text_of(name) == "cloud.delete" and report.openings.local_service is not None:
            flags["local"] = True
        report.operation(text_of(name) or "", target, **flags)
    return NULL


def cluster_delete(evaluation: Evaluation, what: Value | None, settings: Value | None = None) -> Value:
    """Reports a call that deletes something in a cluster. `settings`: its named arguments, or a list with an object of them."""
    report = evaluation.report
    given = settings.items if isinstance(settings, ListValue) else () if settings is None else (settings,)
    is_trial = only_validates(list_settings(Arguments(tuple(given))))
    if not report.is_excused and not is_trial:
        report.operation("kubernetes.delete", what, dry_run=False, local=report.openings.uses_local_cluster)
    return NULL


def kebab_case(name: str) -> str:
    """Returns a name of Amazon's libraries as its command line spells it: `DeleteBucket` is `delete-bucket`."""
    return _WORD_STARTS.sub("-", name).lower()


def options_of_cloud_command(settings: Iterable[tuple[object, Value]]) -> Iterator[Word]:
    """Yields the options of Amazon's command line for settings with known values: `ACL: "private"` is `--acl private`."""
    for name, value in settings:
        option = known_word(f"--{kebab_case(str(name))}")
        if isinstance(value, Constant) and value.value is True:
            yield option
        elif isinstance(value, Constant) and value.value is False:
            yield known_word(f"--no-{kebab_case(str(name))}")
        elif isinstance(value, Constant) and isinstance(value.value, int | float):
            yield from (option, known_word(f"{value.value:g}"))
        elif isinstance(value, Word) and value.text:
            yield from (option, value)
        elif isinstance(value, MapValue):
            yield from (option, known_word(json.dumps(plain_value(value))))


def look_up_name(evaluation: Evaluation, name: Value | None = None) -> Value:
    """Looks up a host: its name is sent, if it is made of variables."""
    for word in words_of(name) if name is not None else ():
        if any(isinstance(part, Hole) and part.variable for part in word.parts):
            evaluation.report.connect(word, word)
    return unknown_from("an address", name)


def force_git(
    evaluation: Evaluation, verb: Value | None, option: Value | None, setting: Value | None = None, *more: Value | None
) -> Value:
    """Reports `git reset --hard` for a library's call whose setting asks for it: `true`, a mode (`"hard"`), or a constant by its
    name (`GIT_RESET_HARD`). A list holds the command's own words."""
    mode = (text_of(option) or "").removeprefix("--")
    words = setting.items if isinstance(setting, ListValue) else () if setting is None else (setting,)
    names = [each.name if isinstance(each, Reference) else text_of(each) or "" for each in words]
    if setting == TRUE or any(name.lower().endswith(mode) for name in names):
        operands = [each for each in words if (text_of(each) or "-")[:1] != "-"] if isinstance(setting, ListValue) else []
        evaluation.report.command(known_word("git"), verb, option, *operands, *more)
    return NULL


_WORD_STARTS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def begin_deletion(evaluation: Evaluation, receiver: Value | None, argument: Value | None = None) -> Value:
    """`drizzle(url).delete(users)`: every row, unless a condition follows."""
    made = unknown_from("delete", receiver)
    is_query = maker_of(receiver) == "drizzle" and isinstance(argument, ListValue) and len(argument.items) == 1
    is_bare = isinstance(argument, ListValue) and not argument.items
    if is_query or maker_of(receiver) == "createQueryBuilder" or (is_bare and maker_of(receiver) == "query"):
        evaluation.unfiltered.append(made)
    return made


def begin_query_of_rows(evaluation: Evaluation, receiver: Value | None, argument: Value | None = None) -> Value:
    """`kysely.deleteFrom("users")`: every row, unless a condition follows."""
    made = unknown_from("query", receiver, argument)
    evaluation.unfiltered.append(made)
    return made


def continue_query(evaluation: Evaluation, name: Value | None, receiver: Value | None, argument: Value | None = None) -> Value:
    """`.set({..})`, `.from(..)`: the query goes on, with as many rows as before."""
    if receiver is not None and any(each is receiver for each in evaluation.unfiltered):
        return receiver
    return unknown_from(text_of(name) or "query", receiver, argument)


def add_condition(evaluation: Evaluation, receiver: Value | None, condition: Value | None = None) -> Value:
    """`db.delete(users).where(..)`: no longer every row."""
    if condition is not None:
        evaluation.unfiltered = [each for each in evaluation.unfiltered if each is not receiver]
    return unknown_from("where", receiver, condition)


def report_unfiltered_deletions(evaluation: Evaluation) -> None:
    for _ in evaluation.unfiltered[:1]:
        database_call(evaluation, known_word("database.delete"), known_word("every row"))


def delete_by_query(evaluation: Evaluation, query: Value | None = None) -> Value:
    """`es.delete_by_query(query={"match_all": {}})`: everything."""
    waiting, depth = [query], 0
    while waiting and depth < _MAX_QUERY_DEPTH:
        depth += 1
        for each in waiting:
            if isinstance(each, MapValue) and "match_all" in each.entries:
                return database_call(evaluation, known_word("database.delete"), known_word("everything"))
        waiting = [part for each in waiting if isinstance(each, MapValue) for _, part in each.known_entries]
    return NULL


def invoke_with(evaluation: Evaluation, receiver: Value | None, function: Value | None = None) -> Value:
    """`db.transaction(tx => ..)`: the function gets what behaves as its owner."""
    if isinstance(function, Function) and receiver is not None:
        return evaluation.call(function, Arguments((receiver,)))
    return NULL


_MAX_QUERY_DEPTH = 4


def delete_other_rows(evaluation: Evaluation, receiver: Value | None = None) -> Value:
    """`from("users").delete().neq("id", 0)`: a comparison that nearly every row passes."""
    if maker_of(receiver) == "delete":
        database_call(evaluation, known_word("database.delete"), known_word("everything"))
    return unknown_from("a query", receiver)


def maker_of(value: Value | None) -> str:
    """Returns the name of the method or function whose unknown result this is; empty for other values."""
    return value.name.rpartition(".")[2] if isinstance(value, Unknown) else ""


def response(evaluation: Evaluation, *_argument: Value | None) -> Value:
    text = evaluation.report.response()
    return Instance(
        "response", {"body": text, "data": text, "statusCode": Unknown("a number"), "status": Unknown("a number")}, text
    )


def response_text(_evaluation: Evaluation, receiver: Value | None, _arguments: Arguments) -> Value | None:
    return receiver.fields.get("body") if isinstance(receiver, Instance) else None


def capture_desktop(evaluation: Evaluation, what: Value | None = None) -> Value:
    """Reads the clipboard or the screen. A file's code is its author's responsibility."""
    if not evaluation.report.is_excused:
        evaluation.report.operation("desktop.capture", what)
    return evaluation.report.unknown_output("what the user copied or sees")


def send_more(evaluation: Evaluation, data: Value | None = None) -> Value:
    """Reports what is written to something that is open, if it holds environment variables or a secret: any server that the code
    has connected to may be its reader."""
    report = evaluation.report
    if data is not None and (holds_environment(data) or hands_on_secret(data)):
        report.connect(unknown_word("a server"), data)
    elif data is not None and any(isinstance(part, Hole) and part.variable for word in leaf_words(data) for part in word.parts):
        for target in [effect.target for effect in report.effects if isinstance(effect, Connect)]:
            report.connect(target, data)
    return unknown_from("the response", data)


_SQL = re.compile(r"\s*(?:drop|truncate|delete|update|alter)\s", re.IGNORECASE)


def ask_database(evaluation: Evaluation, query: Value | None = None, via: Value | None = None) -> Value:
    """Reports a query that changes, deletes or selects rows; other text may be anything."""
    for each in words_of(query) if query is not None else ():
        if _SQL.match(each.head) or SELECTED_ROWS.match(each.head):
            evaluation.report.sql(each, text_of(via) or "query")
    return unknown_from("the answer of a database", query)


def computed_part(owner: Value) -> Value:
    """Returns an unknown part of a library, or of an object."""
    if any(isinstance(each, Reference) and each.receiver is None for each in list_alternatives(owner)):
        return Reference("computed part", owner, matters=False)
    return unknown_from("an attribute", owner)


def _call_computed(evaluation: Evaluation, receiver: Value | None, arguments: Arguments) -> Value | None:
    """Calls a computed part: for a library with a table it may be any part; other libraries are unknown anyway."""
    for owner in list_alternatives(receiver) if receiver is not None else ():
        if isinstance(owner, Reference) and evaluation.library.describes_module(owner.name):
            evaluation.report.opaque(f"which part of {owner.name} is called is computed")
    return evaluation.call_unknown("a computed name", arguments)


COMPUTED_CALLS: Mapping[str, SpecialCall] = {"computed part": _call_computed}
