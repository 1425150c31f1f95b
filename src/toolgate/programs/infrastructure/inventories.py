"""Hosts that a playbook of Ansible runs on, by its inventory."""

import re
from collections.abc import Callable

from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags

_FLAGS = Flags(
    "-i,--inventory= -l,--limit= -e,--extra-vars= -t,--tags= --skip-tags= -u,--user= -b,--become -K -k -f,--forks= -C,--check -D,--diff"
    " --vault-password-file= --vault-id= --private-key= -v -vv -vvv --start-at-task= --list-hosts --list-tasks --syntax-check"
)
_HOSTS = re.compile(r"(?m)^\s*-?\s*hosts:\s*[\"']?([^\s\"'#]+)")
_NAME = re.compile(r"(?m)^[ \t]*\[?([A-Za-z][\w.-]*)")
"""Matches a group or a host in the INI form and in YAML."""
_EVERYWHERE = ("all", "*")


def plays_where(argv: tuple[Word, ...], context: ExecutionContext, is_meant: Callable[[Word], bool]) -> bool:
    """Returns whether a playbook runs on hosts or groups that are meant: one that it names, or one of its inventory if it runs
    everywhere. What the command line names is not looked at."""
    options = _FLAGS.parse(argv)
    limit = options.value_of("--limit")
    if limit is not None and limit.text not in _EVERYWHERE:
        return False
    hosts = [
        host for book in options.operands for text in context.read_alternatives(book) for host in _HOSTS.findall(text.text or "")
    ]
    if any(is_meant(known_word(host)) for host in hosts):
        return True
    if not any(host in _EVERYWHERE for host in hosts):
        return False
    inventories = [text for file in options.values_of("--inventory") for text in context.read_alternatives(file)]
    return any(is_meant(known_word(name)) for text in inventories for name in _NAME.findall(text.text or ""))
