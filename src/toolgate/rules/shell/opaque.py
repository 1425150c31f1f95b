"""Running what cannot be analysed: code built at run time, text that no shell accepts, more than the gate follows.

Its effects are unknown. Code that a file of the project builds at run time passes where the file existed before the call: any
program has such parts. A file that runs and was not read as a whole matches: it is too large, does not parse, or cannot be
opened. Write the commands out plainly, or put them into a script in the project.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.published_projects import is_built_project
from toolgate.model.decision import Match
from toolgate.model.effect import REMOTE_LANGUAGES, Connect, Effect, Effects, Environment, Interpret, Opaque, Run, Write
from toolgate.model.rule import RuleContext

# fmt: off
PRODUCERS = (
    "ssh-agent", "gpg-agent", "keychain", "direnv", "pyenv", "rbenv", "nodenv", "goenv", "jenv", "phpenv", "plenv", "fnm",
    "mise", "rtx", "asdf", "brew", "starship", "zoxide", "atuin", "fzf", "dircolors", "lesspipe", "opam", "luarocks",
    "conda", "mamba", "micromamba", "docker-machine", "minikube", "register-python-argcomplete", "resize", "tset",
    "locale-gen", "poetry", "hatch", "thefuck", "gpgconf", "luaver", "kubectl completion", "helm completion", "gh completion",
    "npm completion", "pnpm completion", "pnpm env", "op signin", "op completion", "bw completion",
    "aws configure export-credentials",
)
# fmt: on

_ADVICE = "write the command out."


@dataclass(frozen=True, slots=True)
class Options:
    """`producers`: programs whose output is made to be evaluated (`eval "$(ssh-agent -s)"`), or such commands' first words."""

    producers: tuple[str, ...] = PRODUCERS


def check(effect: Opaque | Interpret, options: Options, context: RuleContext) -> Iterator[Match]:
    if isinstance(effect, Opaque) and effect.is_unread:
        yield Match(effect, f"Cannot be analysed: {effect.why}.", _ADVICE)
        return
    if effect.origin.file and not _may_be_downloaded(effect, context):
        return  # a file that existed before: its author's code, like a program's own
    if isinstance(effect, Opaque):
        yield Match(effect, f"Cannot be analysed: {effect.why}.", _ADVICE)
    elif effect.language in REMOTE_LANGUAGES or _is_existing_project_file(effect, context):
        return
    elif not (
        effect.followed
        or _is_made_for_evaluation(effect, options, context)
        or is_built_project(effect, context.effects)
        or _may_be_left_alone(effect, context)
    ):
        shown = effect.code.display_text.strip()
        shown = shown if len(shown) < 60 else shown[:57] + "..."
        message = f"Cannot be analysed: {effect.runner} runs code that is not known before it runs (`{shown}`)."
        yield Match(effect, message, _ADVICE)


def _may_be_downloaded(effect: Opaque | Interpret, context: RuleContext) -> bool:
    """Returns whether an unknown or unreadable file runs after this call has written network data to a file."""
    if not isinstance(effect, Interpret) or effect.file != effect.origin.file:
        return False
    every: list[Connect | Write] = [*context.effects.of_kind(Connect), *context.effects.of_kind(Write)]
    written_out = [each for each in every if not each.origin.file]
    connections = {each.origin.command for each in written_out if isinstance(each, Connect)}
    return any(
        each.origin.command in connections or (each.content is not None and not connections.isdisjoint(each.content.src))
        for each in written_out
        if isinstance(each, Write)
    )


def _may_be_left_alone(effect: Interpret, context: RuleContext) -> bool:
    """Returns whether a build file exists, and the call only may have overwritten it, with nothing from the network."""
    if not effect.of_project or effect.sure is not None:
        return False
    return context.effects.derive(_connecting_commands).isdisjoint(context.effects.commands_feeding(effect.code.src))


def _connecting_commands(effects: Effects) -> frozenset[int]:
    return frozenset(each.origin.command for each in effects.of_kind(Connect))


def _is_existing_project_file(effect: Interpret, context: RuleContext) -> bool:
    """Returns whether the file is inside the current folder under a name that a search or a loop makes, and existed before the
    call: the call neither writes nor connects."""
    beneath = "/" in effect.file and effect.file[0] not in "/~$" and ".." not in effect.file
    return beneath and not effect.code.src and not any(context.effects.of_kind(kind) for kind in _CHANGE_KINDS)


_CHANGE_KINDS: tuple[type[Effect], ...] = (Connect, Write)


def _is_made_for_evaluation(effect: Interpret, options: Options, context: RuleContext) -> bool:
    """Returns whether all of the code comes from programs whose output is made to be evaluated."""
    makers = [run for number in effect.code.src for run in context.effects.of_command(number) if isinstance(run, Run)]
    return bool(makers) and all(
        _is_producer(run, options) or _is_shell_set_up(run, context) or _prints_completion(run, context) for run in makers
    )


def _is_producer(run: Run, options: Options) -> bool:
    texts = [word.text or "" for word in run.argv[:4]]
    begins = [texts[0].rpartition("/")[2], *texts[1:]]
    return any(" ".join(begins[:n]) in options.producers for n in range(1, len(begins) + 1))


def _prints_completion(run: Run, context: RuleContext) -> bool:
    """Returns whether a program built on Click is asked for its completion: `_TOOL_COMPLETE=bash_source tool`."""
    name = run.argv[0].file_name
    variable = f"_{name.upper().replace('-', '_')}_COMPLETE"
    values = [each.value.text for each in context.effects.of_kind(Environment) if each.name == variable]
    return len(run.argv) == 1 and bool(values) and all(value in _COMPLETION_VALUES for value in values)


_COMPLETION_VALUES = ("bash_source", "zsh_source", "fish_source")
_SHELL_PATTERN = r"(?:ba|z|da|fi|k|tc|c)?sh|posix|pwsh"
_matches_set_up_verb = re.compile(
    rf"(?:--)?(?:shell[-_.]?)?(?:init|hook|env|shellenv|activate|alias|integration|widget|(?:generate-shell-)?completions?(?:-script)?)"
    rf"(?:[-_.=](?:shell|{_SHELL_PATTERN}))?"
).fullmatch
_matches_set_up_option = re.compile(
    rf"-|-s|--shell|--path|--cmd|global|script|print|generate|(?:--|--shell=)?(?:{_SHELL_PATTERN})"
).fullmatch


def _is_shell_set_up(run: Run, context: RuleContext) -> bool:
    """Returns whether the run only prints a shell's set-up from its own data: `tool init bash`, `tool completion zsh`."""
    words = [word.text or "$" for word in run.argv[1:]]
    verbs = [word for word in words if _matches_set_up_verb(word)]
    number, effects = run.origin.command, context.effects
    alone = all(isinstance(each, Run) for each in effects.of_command(number))
    alone = alone and not effects.has_input(number)
    return len(verbs) == 1 and alone and all(_matches_set_up_verb(word) or _matches_set_up_option(word) for word in words)
