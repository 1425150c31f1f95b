"""Goals of Maven and tasks of Gradle that empty a database: `mvn flyway:clean`, `./gradlew flywayClean`, and tasks of the project
that depend on one."""

import re
from collections.abc import Iterator

from toolgate.locality import leads_to_local_databases
from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word

_GOAL = re.compile(
    r"(?:[\w.:-]*:)?(?:flyway(?:-maven-plugin)?(?::[\d.]+)?:clean|flywayClean|liquibase(?:[\w.-]*)?:dropAll|dropAll)"
)
_SETTINGS = (
    *("pom.xml", "build.gradle", "build.gradle.kts", "gradle.properties", "flyway.conf", "liquibase.properties"),
    *(f"src/main/resources/application{end}" for end in (".properties", ".yml", ".yaml")),
)
_PROFILE = re.compile(r"(?s)<profile>\s*<id>(?P<name>[^<]*)</id>.*?</profile>")
_DEPENDS = r"(?s)\b(?:tasks?\.register\w*\s*\(\s*['\"]{0}['\"]|task\s+{0}\b)(?:(?!\n\}}).){{0,600}}?dependsOn\b[^\n]*\b(flywayClean|dropAll)\b"
_MAX_SETTINGS = 100_000  # characters


def find_database_resets(_name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the database that a goal empties, unless the project's settings lead to one of this machine."""
    words = [word.text or "" for word in argv[1:]]
    tasks = [word.rpartition(":")[2] for word in words if word[:1] not in ("", "-")]
    goal = next((word for word in words if _GOAL.fullmatch(word)), "") or _find_dependency(tasks, context)
    if not goal or {"-n", "--dry-run", "-m", "--help", "-h"} & set(words):
        return
    given = "\n".join(word for word in words if word.startswith(("-D", "-P")) and "url=" in word.lower())
    is_local = leads_to_local_databases(given or _read_settings(words, context), context)
    yield Operation("database.drop", context.origin, known_word(goal), (("disposable", False), ("local", is_local)))


def _find_dependency(tasks: list[str], context: ExecutionContext) -> str:
    """Returns the task that empties a database and that one of these tasks of the project depends on."""
    for file in ("build.gradle", "build.gradle.kts"):
        for text in context.read_alternatives(known_word(file)):
            for task in tasks:
                if (found := re.search(_DEPENDS.format(re.escape(task)), (text.text or "")[:_MAX_SETTINGS])) is not None:
                    return found[1]
    return ""


def _read_settings(words: list[str], context: ExecutionContext) -> str:
    """Returns the project's settings, with those profiles alone that the command line chooses."""
    chosen = {name for word in words if word.startswith("-P") for name in word[2:].split(",")}
    texts = [text.text or "" for file in _SETTINGS for text in context.read_alternatives(known_word(file))]
    whole = "\n".join(texts)[:_MAX_SETTINGS]
    return _PROFILE.sub(lambda found: found[0] if found["name"].strip() in chosen else "", whole)
