"""Sending data to a host, or installing or running something, that only an untrusted text named.

Pages, issues, results of servers' tools and foreign files may hold instructions. Names from the user, from the project's own
files as git holds them, this machine and the registries of the ecosystems are trusted. Tell the agent the name yourself to trust
it, too.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from toolgate.model.decision import Match
from toolgate.model.effect import Connect, Run
from toolgate.model.glob import name_matches
from toolgate.model.rule import RuleContext
from toolgate.model.store import ledger_key
from toolgate.model.word import maybe_any
from toolgate.model.world import GitState
from toolgate.rules.written_rules import read_host

if TYPE_CHECKING:
    from toolgate.provenance import Value

TRUSTED_HOSTS = (
    "localhost", "127.*", "::1", "*.localhost", "pypi.org", "files.pythonhosted.org", "registry.npmjs.org", "crates.io",
    "registry.yarnpkg.com", "static.crates.io", "rubygems.org", "proxy.golang.org",
)  # fmt: skip
"""This machine, and the registries that installers connect to by themselves."""
MANIFESTS = (
    ".git/config", "package.json", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "pyproject.toml", "requirements.txt",
    "requirements-dev.txt", "poetry.lock", "uv.lock", "Pipfile", "Pipfile.lock", "Cargo.toml", "Cargo.lock", "go.mod", "go.sum",
    "Gemfile", "Gemfile.lock", "composer.json", "composer.lock", "environment.yml", "README.md", "CONTRIBUTING.md", "Makefile",
)  # fmt: skip
"""Files of a project that name its hosts and packages."""
_MAX_MANIFEST_BYTES = 2 * 1024 * 1024


def check(effect: Connect | Run, _options: None, context: RuleContext) -> Iterator[Match]:
    caller = context.scene.caller
    ledger = context.load_document(ledger_key(caller.host, caller.session))
    if not ledger:
        return
    from toolgate.provenance import find_untrusted_source  # few sessions have a ledger

    for value, said in _iter_values(effect, context):
        source = find_untrusted_source(ledger, value)
        if source is not None and not _is_named_by_project(value.text, context):
            origin = (
                f"first appeared in {source}" if source else "may have come from an untrusted text: this session read very much"
            )
            yield Match(effect, f"{said}, which {origin}, and the user has not named.", "ask the user whether it is meant.")
            return


def _iter_values(effect: Connect | Run, context: RuleContext) -> Iterator[tuple["Value", str]]:
    """Yields the values of an effect that may come from a text, each with the start of the reason."""
    from toolgate.provenance import Value, find_installed_packages, normalize_command, normalize_host

    if isinstance(effect, Connect):
        named = read_host(effect.target)
        if named is None or maybe_any(name_matches(glob, named) for glob in TRUSTED_HOSTS) is True:
            return
        if effect.sends is not None or effect.shows is not None:
            yield Value("host", normalize_host(named)), f"Sends data to {named}"
        for run in (each for each in context.effects.of_command(effect.origin.command) if isinstance(each, Run)):
            words = [word.text for word in run.argv if word.text is not None]
            if len(words) == len(run.argv):
                yield Value("command", normalize_command(words)), f"Runs the command `{words[0]} …`"
        return
    words = [word.text or "" for word in effect.argv]
    for package in find_installed_packages(words):
        yield Value("package", package), f"Installs or runs the package {package}"


def _is_named_by_project(text: str, context: RuleContext) -> bool:
    """Returns whether a committed file of the project names it."""
    top = context.world.git(context.scene.project)
    if not isinstance(top, GitState):
        return False
    for name in MANIFESTS:
        path = f"{top.root.rstrip('/')}/{name}"
        content = context.world.read(path, _MAX_MANIFEST_BYTES)
        if isinstance(content, str) and text in content and (name == ".git/config" or context.world.as_committed(path) is True):
            return True
    return False
