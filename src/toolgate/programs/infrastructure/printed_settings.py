"""Commands that print settings with every value filled in, if the files of the project tell that some are secret."""

import re
from collections.abc import Iterator

from toolgate.flows.issuers import secret_of_variable
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word

SETTINGS_PRINTERS = frozenset("terraform tofu docker docker-compose podman podman-compose".split())
_NAMES_ONLY = frozenset(
    "-q --quiet --services --images --volumes --networks --profiles --hash --no-interpolate --variables -h --help".split()
)
_ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?(\w+)\s*=\s*\S", re.MULTILINE)
_SENSITIVE = re.compile(r"\bsensitive\s*=\s*true\b")


def find_printed_settings(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the secrets that `docker compose config` and `terraform output -json` print."""
    texts = [word.text or "" for word in argv[1:]]
    verbs = [text for text in texts if not text.startswith("-")]
    if name in ("terraform", "tofu"):
        folder = next((text.removeprefix("-chdir=") for text in texts if text.startswith("-chdir=")), ".")
        prints = verbs == ["output"] and "-json" in texts and _has_sensitive_outputs(folder, context)
    else:
        rendered = {"config", "convert"}.intersection(verbs) if name.endswith("-compose") or "compose" in verbs else set()
        prints = bool(rendered) and _NAMES_ONLY.isdisjoint(texts) and _has_secret_variables(context)
    if prints:
        yield Operation("credential.print", context.origin, known_word(f"{name} {verbs[-1]}, with every value"))


def _has_sensitive_outputs(folder: str, context: ExecutionContext) -> bool:
    """Returns whether an output of the module in this folder is marked as sensitive, or a file of it was not read."""
    files = context.list_files(Word((f"{folder}/", glob_hole("*"), ".tf")))
    texts = [text for file in files for text in context.read_alternatives(known_word(file))]
    return any(text.text is None or _SENSITIVE.search(text.text) for text in texts)


def _has_secret_variables(context: ExecutionContext) -> bool:
    """Returns whether `.env`, from which Compose fills in its values, sets a variable that is named after a secret."""
    texts = context.read_alternatives(known_word(".env"))
    return any(text.text is None or any(map(secret_of_variable, _ASSIGNMENT.findall(text.text))) for text in texts)
