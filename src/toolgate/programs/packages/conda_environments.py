"""Environments of conda, which a user fills by hand and several projects share."""

import re
from collections.abc import Iterator

from toolgate.locality import is_for_tests
from toolgate.model.effect import Delete, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags

from .managers import package_manager

_FLAGS = Flags("-n,--name= -p,--prefix= -y,--yes -q,--quiet -d,--dry-run --all --json -v,--verbose --solver=")
_FILES = ("environment.yml", "environment.yaml")
_NAME = re.compile(r"(?m)^name:[ \t]*[\"']?([\w.-]+)")


def conda(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`env remove`, `remove --all`: an environment as a whole; otherwise packages."""
    options = _FLAGS.parse(argv)
    verbs = [word.text for word in options.operands[:2]]
    removes = verbs == ["env", "remove"] or (verbs[:1] == ["remove"] and options.has_flag("--all") is True)
    if not removes:
        yield from package_manager(argv, context)
        return
    if options.has_flag("--dry-run") is True:
        return
    if (folder := options.value_of("--prefix")) is not None:
        yield Delete(context.resolve_place(folder), True, context.origin)
    name = options.value_of("--name")
    if name is not None and not _is_made_again(name, context):
        yield Delete(context.resolve_place(known_word(f"{context.home}/.conda/envs/") + name), True, context.origin)


def _is_made_again(name: Word, context: ExecutionContext) -> bool:
    """Returns whether tests or a file of the project make an environment of this name."""
    if is_for_tests(name.text or ""):
        return True
    texts = (text.text or "" for file in _FILES for text in context.read_alternatives(known_word(file)))
    return any(name.text in _NAME.findall(text) for text in texts)
