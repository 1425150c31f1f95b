"""Programs whose command line names a target of this machine, where what they delete is made again."""

from collections.abc import Callable, Iterator
from itertools import pairwise

from toolgate.locality import is_for_tests, is_local_context
from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.program import Program, program_name

_CONTEXT_OPTIONS = ("--kube-context", "--context")


def unless_local(program: Program) -> Program:
    """Returns a program that deletes nothing of value in a cluster of this machine: `skaffold delete --kube-context minikube`."""
    return _unless_named(program, _CONTEXT_OPTIONS, is_local_context)


def unless_for_tests(program: Program, option: str) -> Program:
    """Returns a program that deletes nothing of value if this option names something for tests: `emulator -avd test_api34`."""
    return _unless_named(program, (option,), is_for_tests)


def unless_own_feed(program: Program) -> Program:
    """Returns a program that publishes nothing where packages go to a folder or a registry of this machine:
    `dotnet nuget push --source ./feed`."""
    return _unless_named(program, ("--source", "-s", "-Source", "--registry", "--repository-url"), _is_own_feed)


def _is_own_feed(feed: str) -> bool:
    return feed.startswith((".", "/", "~")) or ("://" in feed and is_loopback(host_of(feed)))


def _unless_named(program: Program, options: tuple[str, ...], is_harmless: Callable[[str], bool]) -> Program:
    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if any(map(is_harmless, _list_values(argv, options))):
            yield PrintedOutput(context.unknown_output(program_name(argv)))
        else:
            yield from program.effects_of_call(argv, context)

    return Program(does=report_effects)


def _list_values(argv: tuple[Word, ...], options: tuple[str, ...]) -> list[str]:
    found: list[str] = []
    for word, following in pairwise((*argv[1:], known_word(""))):
        name, attached, value = word.partition("=")
        if name.text in options:
            found.append((value if attached else following).text or "")
    return found
