"""Functions that rows of Python's tables may use, besides the reporter's, and calls that need code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolgate.languages.evaluation.client_acts import deletes_item, obtains_secret
from toolgate.languages.evaluation.created_objects import report_created_machines
from toolgate.languages.evaluation.folders import change_folder, visit_folder
from toolgate.languages.evaluation.leaf_texts import leaf_words, text_with_variables
from toolgate.languages.evaluation.library_files import upload_files
from toolgate.languages.evaluation.library_table import SpecialCall
from toolgate.languages.evaluation.mass_messages import report_mass_message, send_mail
from toolgate.languages.evaluation.own_variables import read_variable, set_default, set_variable
from toolgate.languages.evaluation.path_words import ANY_NAME, join_paths
from toolgate.languages.evaluation.shared_results import (
    argument_list,
    capture_desktop,
    content_of,
    options_of_cloud_command,
    send_more,
    signal_process,
    started_process,
)
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import (
    FALSE,
    NULL,
    TRUE,
    Instance,
    ListValue,
    MapValue,
    Reference,
    Unknown,
    Value,
    list_alternatives,
    text_of,
    truth_of,
    unknown_from,
    unknown_of_kind,
    word_of,
    words_of,
)
from toolgate.model.word import Hole, HoleKind, Word, known_word, word_of_kind

from . import paths
from .connection_actions import response_text
from .files import FILE_CALLS, open_file, open_text_file, parse_file, read_records
from .json_files import JSON_CALLS
from .text import replace_matches

USER_SITE = ".local/lib/python3/site-packages"
"""Where a user's packages are, in the home folder. The version's number is left out, as it is not known which Python runs."""
SITE = "/usr/lib/python3/site-packages"
"""Where the packages of an interpreter are, if it has no environment of its own."""
_TEMPORARY_PATH = "/tmp/tmp*"


# ---- files


def find_site_folder(evaluation: Evaluation) -> Value:
    """Returns the folder of the interpreter's packages. Code that stood there before is usually run in an environment of its
    own."""
    return unknown_from("a folder of packages") if evaluation.report.is_trusted else known_word(SITE)


def extract_archive(evaluation: Evaluation, receiver: Value | None, path: Value | None = None) -> Value:
    """Extracts an archive to the given folder."""
    evaluation.report.write(known_word(".") if path is None or path is NULL else path, None, TRUE, None, TRUE)
    return NULL


def bind_socket(evaluation: Evaluation, address: Value | None = None) -> Value:
    if isinstance(address, Word) and address.head.startswith("/"):
        evaluation.report.write(address)
    return NULL


def temporary_path(evaluation: Evaluation, directory: Value | None = None) -> Value:
    if directory is not None and directory is not NULL:
        return join_paths(evaluation, directory, Word((Hole("tmp*", "a temporary name", kind=HoleKind.TEMPORARY_FOLDER),)))
    return temporary_path_of("a temporary folder")


def open_temporary_file(evaluation: Evaluation, directory: Value | None = None) -> Value:
    """`tempfile.NamedTemporaryFile()`: a new file that is open for writing."""
    path = temporary_path(evaluation, directory)
    opened = Instance("file", {"path": path, "writes": TRUE, "name": path}, word_of(path))
    evaluation.report.opened_files.add_file(evaluation, opened, path, appends=False)
    return opened


def temporary_path_of(why: str) -> Word:
    return Word((Hole(_TEMPORARY_PATH, why, kind=HoleKind.TEMPORARY_FOLDER),))


# ---- programs


def fork_process(evaluation: Evaluation, *_argument: Value | None) -> Value:
    """`os.fork`: more than the two forks of a daemon, or one in a loop, count as endless processes, unless the children leave the
    loop."""
    forks = evaluation.called.get("os.fork", 0) + evaluation.called.get("os.forkpty", 0)
    is_endless = (forks > 2 or evaluation.repeats) and not evaluation.leaving_children
    if is_endless and not evaluation.report.code.file:
        evaluation.report.operation("process.replicate")
    return Unknown("a process")


def cloud_client(evaluation: Evaluation, service: Value | None) -> Value:
    return Instance("boto3", {"service": service or Unknown("a service")})


_RESOURCE_NOUNS = {"stop": "instances", "terminate": "instances", "reboot": "instances"}
_RESOURCE_CALLS = {
    ("SecurityGroup", "authorize_ingress"): "authorize-security-group-ingress",
    ("SecurityGroup", "authorize_egress"): "authorize-security-group-egress",
    ("BucketPolicy", "put"): "put-bucket-policy",
    ("Policy", "put"): "put-bucket-policy",
    ("BucketVersioning", "suspend"): "put-bucket-versioning",
    ("BucketLifecycle", "put"): "put-bucket-lifecycle-configuration",
    ("BucketLifecycleConfiguration", "put"): "put-bucket-lifecycle-configuration",
    ("User", "attach_policy"): "attach-user-policy",
    ("Role", "attach_policy"): "attach-role-policy",
    ("Group", "attach_policy"): "attach-group-policy",
    ("User", "create_access_key_pair"): "create-access-key",
    ("Vpc", "delete"): "delete-vpc",
    ("Table", "delete"): "delete-table",
}
"""GROWS: methods of a resource's objects whose client form has another name."""


def call_cloud(evaluation: Evaluation, receiver: Instance, name: str, arguments: Arguments) -> Value:
    """Amazon's library uses the command line's names: `client("s3").delete_bucket()` is `aws s3 delete-bucket`. Objects of a
    resource have short ones: `Bucket("x").delete()`."""
    is_left = evaluation.report.is_excused or evaluation.report.openings.simulates_cloud
    if not is_left:
        report_created_machines(evaluation, name, arguments, "")
    method = name.rpartition(".")[2]
    if method in ("client", "resource"):
        fields = {
            "service": arguments.positional[0]
            if arguments.positional
            else arguments.named.get("service_name", Unknown("a service"))
        }
        address = evaluation.report.openings.likely.find(arguments.named.get("endpoint_url", NULL))
        if address is not NULL and text_of(address) != "":
            fields["endpoint"] = address
        return Instance("boto3", {**fields, "is_resource": TRUE if method == "resource" else FALSE})
    if method[:1].isupper() or method == "get_paginator":
        return Instance(
            "boto3",
            {
                **receiver.fields,
                "is_resource": TRUE,
                "class": known_word(method),
                "name": arguments.positional[0] if arguments.positional else NULL,
            },
        )
    if method.startswith("upload"):
        upload_files(evaluation.report, [value for value in arguments.all_values() if isinstance(value, Word)])
    if method.startswith(("upload", "put_object")) and "endpoint" in receiver.fields and not evaluation.report.is_excused:
        _send_object(evaluation, receiver.fields["endpoint"], method, arguments)
    if (obtains_secret(method) or "WithDecryption" in arguments.named) and not evaluation.report.is_excused:
        return unknown_of_kind(HoleKind.SECRET)
    if not is_left and "service" in receiver.fields:
        report_mass_message(evaluation, name, arguments)
        verb = _verb_of(receiver, method)
        if evaluation.listings and deletes_item(name):
            evaluation.report.delete_kept_object("everything that was listed", "boto3")
        endpoint = receiver.fields.get("endpoint")
        options = (known_word("--endpoint-url"), endpoint) if endpoint is not None else ()
        evaluation.report.command(
            known_word("aws"),
            *options,
            receiver.fields["service"],
            known_word(verb),
            *options_of_cloud_command(arguments.named.items()),
        )
        for command in leaf_words(arguments.named["Parameters"]) if "Parameters" in arguments.named else ():
            evaluation.report.command(known_word("ssh"), known_word("a-machine"), command)
    return Instance("boto3", dict(receiver.fields))


def _verb_of(receiver: Instance, method: str) -> str:
    """Returns a method's verb on the command line."""
    verb, kind = method.replace("_", "-"), text_of(receiver.fields.get("class", NULL)) or ""
    if (kind, method) in _RESOURCE_CALLS:
        return _RESOURCE_CALLS[kind, method]
    is_short = truth_of(receiver.fields.get("is_resource", FALSE)) is True and "-" not in verb
    return f"{verb}-{_RESOURCE_NOUNS.get(verb, 'objects')}" if is_short else verb


def _send_object(evaluation: Evaluation, endpoint: Value, method: str, arguments: Arguments) -> None:
    """Reports an object that is sent to another provider's store: a file, or a text."""
    files = arguments.positional[:1] if method == "upload_file" else ()
    for file in files:
        evaluation.report.read(file)
    evaluation.report.connect(endpoint, *(content_of(evaluation, file) for file in files), *arguments.all_values())


def docker_run(
    evaluation: Evaluation,
    image: Value | None,
    command: Value | None = None,
    volumes: Value | None = None,
    privileged: Value | None = None,
) -> Value:
    argv: list[Value] = [known_word("docker"), known_word("run")]
    if privileged is not None and truth_of(privileged) is not False:
        argv.append(known_word("--privileged"))
    for each in list_alternatives(volumes) if volumes is not None else ():
        if isinstance(each, MapValue):
            for source, at in each.known_entries:
                bound = at.entries.get("bind") if isinstance(at, MapValue) else at
                argv += [known_word("-v"), known_word(f"{source}:") + word_of(bound if bound is not None else known_word(""))]
        elif isinstance(each, ListValue):
            argv += [part for item in each.items for part in (known_word("-v"), item)]
    argv.append(image or Unknown("an image"))
    words = [known_word(part) for part in (text_of(command) or "").split()]
    evaluation.report.command(*argv, *(words if words else [command]))
    return Unknown("a container")


def git_push(evaluation: Evaluation, receiver: Value | None, force: Value | None = None, refspec: Value | None = None) -> Value:
    forced = force is not None and truth_of(force) is not False
    argv = [
        known_word("git"),
        known_word("push"),
        *([known_word("--force")] if forced else []),
        *([known_word("origin"), refspec] if refspec is not None else []),
    ]
    evaluation.report.command(*argv)
    return NULL


def git_command(evaluation: Evaluation, verb: Value | None, args: Value | None = None) -> Value:
    evaluation.report.command(known_word("git"), verb, args)
    return evaluation.report.unknown_output("the output of git")


def run_module(evaluation: Evaluation, name: Value | None) -> Value:
    """`runpy.run_module`: runs as `python -m` does."""
    evaluation.report.command(known_word("python3"), known_word("-m"), name)
    return NULL


def _run_management_command(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    evaluation.report.run(ListValue("list", (known_word("manage.py"), *arguments.positional), arguments.rest))
    return NULL


def _iterate_values(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return ListValue("iterator", (), word_of_kind(HoleKind.ENVIRONMENT))


def _iterate_names(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return ListValue("iterator", (), unknown_of_kind(HoleKind.VARIABLE_NAME))


def _iterate_variables(_evaluation: Evaluation, _receiver: Value | None, _arguments: Arguments) -> Value | None:
    return ListValue(
        "iterator", (), ListValue("tuple", (unknown_of_kind(HoleKind.VARIABLE_NAME), word_of_kind(HoleKind.ENVIRONMENT)))
    )


def _read_variable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    return read_variable(evaluation, *arguments.positional[:2]) if arguments.positional else None


def _set_variable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    for each in arguments.positional[:1]:
        if isinstance(each, MapValue):
            for key, value in each.known_entries:
                set_variable(evaluation, str(key), value)
        elif (name := text_of(each)) is not None and len(arguments.positional) > 1:
            set_variable(evaluation, name, arguments.positional[1])
    for name, value in arguments.named.items():
        set_variable(evaluation, name, value)
    return NULL


def _default_variable(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    given = [*arguments.positional, *arguments.named.values()]
    name = text_of(given[0]) if len(given) == 2 else None
    return None if name is None else set_default(evaluation, name, given[1])


def _run_notebook_command(evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
    evaluation.report.shell(arguments.positional[0] if arguments.positional else None)
    return NULL


def _make_instance_call(type_: str) -> SpecialCall:
    def call_instance(_evaluation: Evaluation, _receiver: Value | None, arguments: Arguments) -> Value | None:
        return Instance(type_, {"given": ListValue("list", arguments.all_values())})

    return call_instance


def _make_instance(evaluation: Evaluation, type_: Value | None, *argument: Value | None) -> Value:
    return Instance(text_of(type_) or "?", {f"given{n}": each for n, each in enumerate(argument) if each is not None})


SPECIAL_CALLS: Mapping[str, SpecialCall] = {
    **FILE_CALLS,
    **JSON_CALLS,
    **dict.fromkeys(("response.read", "response.json", "response.iter_content", "response.iter_lines"), response_text),
    "os.path.splitext": paths.split_extension,
    "os.path.split": paths.split_path,
    **dict.fromkeys(("os.environ.get", "os.environ.pop", "os.getenv"), _read_variable),
    **dict.fromkeys(("os.putenv", "os.environ.update", "monkeypatch.setenv"), _set_variable),
    "os.environ.setdefault": _default_variable,
    "os.environ.copy": lambda _evaluation, receiver, _arguments: receiver,
    "os.environ.items": _iterate_variables,
    "os.environ.values": _iterate_values,
    "os.environ.keys": _iterate_names,
    **dict.fromkeys(("django.core.management.call_command", "?.call_command"), _run_management_command),
    "get_ipython": _make_instance_call("ipython"),
    **dict.fromkeys(("ipython.system", "ipython.getoutput"), _run_notebook_command),
    "socket.socket": _make_instance_call("socket.socket"),
    "contextlib.suppress": lambda _evaluation, _receiver, _arguments: NULL,
    "boto3.client": lambda evaluation, _receiver, arguments: call_cloud(evaluation, Instance("boto3"), "client", arguments),
    "boto3.resource": lambda evaluation, _receiver, arguments: call_cloud(evaluation, Instance("boto3"), "resource", arguments),
    **dict.fromkeys(("boto3.Session", "boto3.session.Session"), lambda _evaluation, _receiver, _arguments: Instance("boto3")),
}

ROW_FUNCTIONS: Mapping[str, Any] = {
    "same": lambda _evaluation, value=None: value if value is not None else Unknown(),
    "path": paths.join_text,
    "expand": paths.expand_home,
    "expand_variables": paths.expand_variables,
    "folder": paths.folder_of,
    "last": paths.last_part_of,
    "glob": paths.find_files,
    "deep": paths.recursive_pattern,
    "entries": paths.list_entries,
    "walk": paths.walk_folder,
    "walk_paths": paths.walk_paths,
    "made_path": paths.path_of_parts,
    "path_under": paths.path_below,
    "each_path": paths.list_paths_below,
    "with_suffix": paths.with_suffix,
    "with_name": paths.with_name,
    "address": paths.format_address,
    "as_path": paths.as_path,
    "each": lambda _evaluation, item=None: ListValue("list", (), item),
    "star": lambda _evaluation: ANY_NAME,
    "none": lambda _evaluation: NULL,
    "test": lambda _evaluation: Unknown("a test"),
    "number": lambda _evaluation, *arguments: unknown_from("a number", *arguments),
    "cwd": lambda evaluation: evaluation.report.folders[-1],
    "change_folder": change_folder,
    "visit_folder": visit_folder,
    "home": lambda evaluation: evaluation.report.home,
    "map_of": lambda _evaluation, value: MapValue((), value),
    "site_folder": find_site_folder,
    "user_site": lambda evaluation: word_of(evaluation.report.home) + known_word(f"/{USER_SITE}"),
    "text": lambda evaluation, value=None: evaluation.join_values(*words_of(value)) if value is not None else known_word(""),
    "printed": lambda evaluation, *_arguments: evaluation.report.unknown_output("the output of a command"),
    "found_program": lambda evaluation: evaluation.join_values(evaluation.report.unknown_output("a program's path"), NULL),
    "captured": capture_desktop,
    "send_mail": send_mail,
    "received": lambda evaluation: evaluation.report.response(),
    "anything": lambda evaluation, *_arguments: evaluation.report.unknown_output("data that Python sends"),
    "rendered": lambda _evaluation, value=None: text_with_variables("a text", value if value is not None else NULL),
    "pair": lambda _evaluation, *arguments: ListValue("tuple", [each if each is not None else Unknown() for each in arguments]),
    "instance": _make_instance,
    "identity": lambda _evaluation: Reference("identity"),
    "content": content_of,
    "records": read_records,
    "parsed": parse_file,
    "file": lambda _evaluation, path=None: Instance("file", {"path": path or Unknown("a path")}),
    "temporary_file": open_temporary_file,
    "open_file": open_file,
    "replaced": replace_matches,
    "open_text": open_text_file,
    "extract": extract_archive,
    "bind_socket": bind_socket,
    "send_more": send_more,
    "temporary": temporary_path,
    "kill": signal_process,
    "argv": argument_list,
    "process": started_process,
    "replicate": fork_process,
    "cloud": cloud_client,
    "docker_run": docker_run,
    "git_push": git_push,
    "git_command": git_command,
    "run_module": run_module,
}
