"""Actions of task runners: settings of Grunt's plugins, and files that a stream of gulp deletes."""

from __future__ import annotations

from toolgate.languages.evaluation.shared_state import Evaluation
from toolgate.languages.evaluation.values import NULL, TRUE, Instance, ListValue, MapValue, Value, text_of
from toolgate.model.word import Word

from .call_options import find_files

_COMMAND_PLUGINS = frozenset(("shell", "exec", "bgShell", "run", "execute"))
_COMMAND_KEYS = frozenset(("command", "cmd", "exec"))
_TARGET_KEYS = frozenset(("dest", "destination"))


def is_gruntfile(evaluation: Evaluation) -> bool:
    """Returns whether this code is a Gruntfile, whose exported function gets Grunt's own object."""
    return evaluation.report.unit.file.rpartition("/")[2].lower().startswith("gruntfile.")


def configure_plugins(evaluation: Evaluation, settings: Value | None = None) -> Value:
    """`grunt.initConfig({clean: [...], shell: {...}})`: any of the plugins may be run."""
    for name, plugin in settings.known_entries if isinstance(settings, MapValue) else ():
        _configure(evaluation, str(name), plugin)
    return NULL


def configure_plugin(evaluation: Evaluation, name: Value | None = None, settings: Value | None = None) -> Value:
    """`grunt.config.set('clean.all', [...])`."""
    if settings is not None:
        _configure(evaluation, (text_of(name) or "").partition(".")[0], settings)
    return NULL


def _configure(evaluation: Evaluation, plugin: str, settings: Value) -> None:
    if plugin == "clean":
        for each in _leaves(settings, without=("options",)):
            evaluation.report.delete(find_files(evaluation, each), TRUE)
    elif plugin in _COMMAND_PLUGINS:
        for each in _leaves(settings, only=_COMMAND_KEYS):
            evaluation.report.command_line(each)
    elif plugin in ("copy", "move", "rename", "symlink"):
        for each in _leaves(settings, only=_TARGET_KEYS):
            evaluation.report.write(each)


def _leaves(value: Value, without: tuple[str, ...] = (), only: frozenset[str] = frozenset(), depth: int = 0) -> list[Value]:
    """Returns the texts in settings, but those under some keys. `only`: texts under other keys than these are left out, if a
    text has siblings; a plain text of a target counts."""
    if isinstance(value, Word):
        return [value]
    if isinstance(value, ListValue):
        return [leaf for each in value.items for leaf in _leaves(each, without, only, depth)]
    if not isinstance(value, MapValue):
        return []
    found: list[Value] = []
    for key, each in value.known_entries:
        is_wanted = not only or key in only or not isinstance(each, Word) or (depth == 0 and only is _COMMAND_KEYS)
        found += _leaves(each, without, only, depth + 1) if key not in without and is_wanted else []
    return found


def list_files_of_stream(_evaluation: Evaluation, patterns: Value | None = None) -> Value:
    return Instance("vinyl", {"patterns": patterns if patterns is not None else NULL})


def pipe_files(evaluation: Evaluation, stream: Value | None = None, step: Value | None = None) -> Value:
    """`gulp.src(patterns).pipe(clean())`."""
    if isinstance(stream, Instance) and isinstance(step, Instance) and step.type == "gulp-deletion":
        evaluation.report.delete(find_files(evaluation, stream.fields.get("patterns", NULL)), TRUE)
    return NULL


def run_lines(evaluation: Evaluation, commands: Value | None = None) -> Value:
    for each in _leaves(commands) if commands is not None else ():
        evaluation.report.shell(each)
    return NULL


BUILD_ACTIONS = {
    "configure_plugins": configure_plugins,
    "configure_plugin": configure_plugin,
    "files": list_files_of_stream,
    "pipe_files": pipe_files,
    "run_lines": run_lines,
}
