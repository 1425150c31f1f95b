"""The packages of a JavaScript workspace, and which of them a call selects."""

import json
from collections.abc import Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_yaml
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, glob_hole, known_word

from .steps import decode_json_text, unread_step
from .task_files import File, interpret_step, read_candidates, resolve_folder

_MAX_PACKAGES = 400
_TOO_MANY = unread_step(f"it has more than {_MAX_PACKAGES} packages")
_LOCAL_SOURCES = ("file:", "link:", "portal:")


def parse_manifest(text: str) -> dict[str, Any]:
    """Returns a package.json as a table; an empty one if it does not parse."""
    try:
        manifest = json.loads(decode_json_text(text))
    except (ValueError, RecursionError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def find_packages(root: File, context: ExecutionContext) -> Iterator[File]:
    """Yields the manifests of the packages that the root names: `packages/*`."""
    top = root.path.rpartition("/")[0]
    for count, path in enumerate(
        path for pattern in _list_patterns(root, context) for path in _list_folders(top, pattern, context)
    ):
        if count >= _MAX_PACKAGES:
            context.report_unknown_code(interpret_step(_TOO_MANY, root, context))
            return
        yield from read_candidates((known_word("package.json"),), resolve_folder(known_word(path), context), context)


def find_local_dependencies(manifest: File, context: ExecutionContext) -> Iterator[File]:
    """Yields the manifests of the dependencies that are folders: `file:./dep`."""
    table, top = parse_manifest(manifest.text), manifest.path.rpartition("/")[0]
    for key in ("dependencies", "devDependencies", "optionalDependencies"):
        sources = table.get(key)
        for source in sources.values() if isinstance(sources, dict) else ():
            if isinstance(source, str) and source.startswith(_LOCAL_SOURCES):
                folder = resolve_folder(known_word(f"{top}/{source.partition(':')[2]}"), context)
                yield from read_candidates((known_word("package.json"),), folder, context)


def select_packages(root: File, selectors: list[str], context: ExecutionContext) -> Iterator[File]:
    """Yields the packages that the selectors name, by name or folder; all if one is a pattern or there is none."""
    top = root.path.rpartition("/")[0]
    packages = list(find_packages(root, context))
    chosen = [
        file
        for file in packages
        if any(each in (parse_manifest(file.text).get("name"), _folder_below(top, file)) for each in selectors)
    ]
    yield from chosen if len(chosen) >= len(selectors) > 0 else (root, *packages)


def _folder_below(top: str, file: File) -> str:
    return file.path.rpartition("/")[0].removeprefix(f"{top}/")


def _list_patterns(root: File, context: ExecutionContext) -> Iterator[str]:
    listed = parse_manifest(root.text).get("workspaces", [])
    patterns = listed.get("packages", []) if isinstance(listed, dict) else listed
    for file in read_candidates((known_word("pnpm-workspace.yaml"),), root.path.rpartition("/")[0] or "/", context):
        try:
            top = read_yaml(file.text)
        except InvalidDocument:
            continue
        found = top.get("packages") if isinstance(top, dict) else None
        patterns = [*patterns, *found] if isinstance(found, list) and isinstance(patterns, list) else patterns
    yield from (each.removeprefix("./") for each in patterns if isinstance(each, str)) if isinstance(patterns, list) else ()


def _list_folders(top: str, pattern: str, context: ExecutionContext) -> tuple[str, ...]:
    name = pattern.rstrip("/").removesuffix("/**")
    beneath = f"{top}/{name.rstrip('*').rstrip('/')}"
    if name.endswith("*") or "/**" in pattern:
        return context.list_files(Word((f"{beneath}/", glob_hole("*"))))
    return (f"{top}/{name}",)
