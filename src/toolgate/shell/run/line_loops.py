"""Loops over the lines of an input that is known: `while read -r name; do ..; done < list.txt`."""

from toolgate.model.word import Maybe
from toolgate.shell.domain.state import Shell
from toolgate.shell.syntax.tree import AndOr, Condition, Node, Sequence, Simple

from .command_outcomes import literal_name, word_text


def reads_known_lines(condition: Node, shell: Shell) -> bool:
    """Returns whether a condition reads a line of the input, all of which is known."""
    return find_read_outcome(condition, shell) is not None


def find_read_outcome(condition: Node, shell: Shell) -> Maybe:
    """Returns whether `read` gets another whole line. With `|| [ -n "$line" ]` behind it, a last line without its end counts."""
    match condition:
        case Sequence(items=(only,)):
            return find_read_outcome(only, shell)
        case AndOr(first=first, rest=(("||", test),)) if _tests_for_text(test):
            return _has_line(first, shell, takes_rest=True)
        case Simple():
            return _has_line(condition, shell, takes_rest=False)
        case _:
            return None


def _has_line(node: Node, shell: Shell, *, takes_rest: bool) -> Maybe:
    text = shell.stdin.text if shell.stdin.parts else None
    if text is None or shell.reads is None or not _is_plain_read(node, shell) or "\\" in text:
        return None
    return shell.reads < text.count("\n") + (takes_rest and not text.endswith("\n"))


def _is_plain_read(node: Node, shell: Shell) -> bool:
    """Returns whether this is `read` with no option but `-r`, from the input of the loop."""
    if not isinstance(node, Simple) or literal_name(node) != "read" or node.redirects or "read" in shell.functions:
        return False
    words = [word_text(word) for word in node.words[1:]]
    is_plain = all(word is not None and (word == "-r" or word.isidentifier()) for word in words)
    return is_plain and all(assignment.name == "IFS" for assignment in node.assignments)


def _tests_for_text(node: Node) -> bool:
    """Returns whether this is `[ -n "$line" ]`."""
    if isinstance(node, Simple) and literal_name(node) not in ("[", "test"):
        return False
    return isinstance(node, Simple | Condition) and any(word_text(word) == "-n" for word in node.words[:2])
