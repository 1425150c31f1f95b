"""Files that run automatically: what their content runs is judged when it is written.

GROWS: a kind of file is a line in the table, with a reader if its commands have their own format.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_json_with_comments, read_yaml
from toolgate.model.effect import Interpret, Operation, Reported, Run, Site
from toolgate.model.seen import Seen
from toolgate.model.unread import unread_code
from toolgate.model.word import Word, known, unknown
from toolgate.programs.manifests import decode

Reader = Callable[[str, Word, Seen], Iterator[Reported]]


def starts_by_itself(path: str) -> bool:
    """Tell whether a file at this path, or its content, runs automatically. Cheap: every write calls it."""
    return any(pattern.search(path) for pattern, _ in _READERS)


def read_content(path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """Yield what the content of such a file will run."""
    for pattern, reader in _READERS:
        if pattern.search(path):
            try:
                yield from reader(path, content, seen)
            except InvalidDocument as problem:
                yield unread_code(path, str(problem), seen.origin)


# ---- code


def _in_language(language: str) -> Reader:
    def read(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
        yield Interpret(language, content, seen.origin, via=language)

    return read


def _script(path: str, _content: Word, seen: Seen) -> Iterator[Reported]:
    """A script that is run by its path: its first line names the language."""
    yield Run((known(path),), seen.origin, path.rpartition("/")[2])


# ---- lines of other formats


def _lines(pattern: str) -> Reader:
    """Return a reader of commands after a key in a line: `ExecStart=`. The pattern matches up to the command."""
    key = re.compile(pattern)

    def read(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
        for line in content.lines():
            found = key.match(line.head)
            if found is not None:
                yield Interpret("shell", line.cut(found.end()), seen.origin, via="shell")

    return read


def _crontab(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    from toolgate.programs.schedules import jobs

    for job in jobs(content):
        yield Interpret("shell", job, seen.origin, via="cron", cwd=known(seen.home))


def _plist(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    found = re.search(r"<key>ProgramArguments</key>\s*<array>(.*?)</array>", content.text or "", re.DOTALL)
    if found is not None:
        words = [known(_unescaped(word)) for word in re.findall(r"<string>(.*?)</string>", found[1], re.DOTALL)]
        yield Run(tuple(words), seen.origin, "launchd", cwd=known(seen.home))


def _unescaped(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'").replace("&amp;", "&")


def _marked_commands(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """Commands, skills and agents of a coding agent: a line that begins with an exclamation mark and a backquote runs."""
    for found in re.finditer(r"(?:^|\s)!`([^`\n]+)`", content.text or ""):
        yield _shell(found[1], seen)


def _shell(text: str, seen: Seen) -> Interpret:
    return Interpret("shell", known(text), seen.origin, via="shell")


# ---- JSON and YAML


def _servers(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """MCP servers that are started as programs."""
    top = _strict_json(content)
    for key in ("mcpServers", "servers", "mcp_servers"):
        for server in _values(top.get(key)):
            command, words = server.get("command"), server.get("args")
            if isinstance(command, str):
                more = [known(word) for word in words if isinstance(word, str)] if isinstance(words, list) else []
                yield Run((known(command), *more), seen.origin, "mcp server")


def _editor_tasks(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """Tasks that an editor runs when the folder is opened."""
    for task in _tables(_tolerant_json(content).get("tasks")):
        options = task.get("runOptions")
        if not isinstance(options, dict) or options.get("runOn") != "folderOpen":
            continue
        words = [task.get("command"), *(task["args"] if isinstance(task.get("args"), list) else [])]
        yield _shell(" ".join(word for word in words if isinstance(word, str)), seen)


def _dev_container(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    from .command_files import devcontainer_commands

    for step in devcontainer_commands(_tolerant_json(content), content.text or ""):
        yield Interpret("shell", step.text, seen.origin, via="initializeCommand")


def _lifecycle(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """The scripts of a package that run when it, or its dependencies, are installed."""
    scripts = _strict_json(content).get("scripts")
    for name in ("preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare"):
        body = scripts.get(name) if isinstance(scripts, dict) else None
        if isinstance(body, str):
            yield _shell(body, seen)


def _workflow(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """Yield the commands of a workflow that send something while they can read the repository's secrets. Their other effects
    are confined to the forge's disposable machine."""
    try:
        top = read_yaml(content.text or "")
    except InvalidDocument:
        return
    jobs = top.get("jobs") if isinstance(top, dict) else None
    for job in _values(jobs):
        for step in _tables(job.get("steps")):
            if isinstance(body := step.get("run"), str) and _HOLDS_SECRETS(body) and _SENDS(body):
                yield Interpret("shell", _filled(body), seen.origin, via="workflow", site=Site("ssh:ci"))


_HOLDS_SECRETS = re.compile(r"\b(?:env|printenv|export -p|declare -x)\b|\bsecrets\b|_(?:TOKEN|KEY|SECRET|PASSWORD)\b").search
_SENDS = re.compile(r"\b(?:curl|wget|nc|ncat|socat|nslookup|dig|http|https)\b").search


def _filled(text: str) -> Word:
    result = known("")
    for part in re.split(r"(\$\{\{.*?\}\})", text):
        result = result + (unknown(part) if part.startswith("${{") else known(part))
    return result


def _editor_settings(_path: str, content: Word, seen: Seen) -> Iterator[Reported]:
    """Editor settings with which an agent's calls, or a folder's tasks, run without a question."""
    for key, value in _tolerant_json(content).items():
        if re.search(r"autoApprove|SkipPermissions|bypassPermissions|allowAutomaticTasks", key) and value in (
            True,
            "on",
            "always",
        ):
            yield Operation("agent.start", seen.origin, known(key), (("unguarded", True),))


def _strict_json(content: Word) -> dict[str, Any]:
    """Parse a document whose reader rejects invalid JSON: nothing in such a document runs."""
    try:
        return _tolerant_json(content)
    except InvalidDocument:
        return {}


def _tolerant_json(content: Word) -> dict[str, Any]:
    """Parse a document whose reader tolerates errors, as editors do; the text of an edit may be part of an object. Raises
    InvalidDocument for other text."""
    text = decode(content.text or "{}")
    try:
        top = read_json_with_comments(text)
    except InvalidDocument:
        top = read_json_with_comments(f"{{{text.strip().rstrip(',')}}}")
    return top if isinstance(top, dict) else {}


def _values(value: object) -> list[dict[str, Any]]:
    return [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []


def _tables(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# ---- the table


_SHELL_START = (
    r"/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|xprofile|xinitrc|xsession"
    r"|xsessionrc|envrc|direnvrc)$|^/etc/(?:profile|bash\.bashrc|bashrc|zshrc|zshenv|rc\.local)$|^/etc/profile\.d/[^/]+\.sh$|/fish/(?:config|conf\.d/[^/]+)\.?fish$"
)
_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (_SHELL_START, _in_language("shell")),
        (r"/\.git/hooks/[^/.]+$|/\.husky/[^/.]+$|^/etc/cron\.(?:hourly|daily|weekly|monthly)/[^/]+$", _script),
        (r"^/etc/(?:crontab|anacrontab)$|^/etc/cron\.d/[^/]+$|^/var/spool/cron/", _crontab),
        (r"/systemd/[^/]+/[^/]+\.(?:service|timer|path|socket)$", _lines(r"\s*Exec\w+\s*=\s*[-@:+!]*")),
        (r"/autostart/[^/]+\.desktop$", _lines(r"\s*Exec\s*=\s*")),
        (r"/Library/Launch(?:Agents|Daemons)/[^/]+\.plist$", _plist),
        (r"/\.(?:claude|copilot|codex|gemini|opencode|cursor)/(?:skills|commands|agents|prompts)/.+\.md$", _marked_commands),
        (r"/\.?mcp(?:-config|_config|_settings)?\.json$|/\.claude\.json$|/claude_desktop_config\.json$", _servers),
        (r"/\.vscode/tasks\.json$", _editor_tasks),
        (r"/\.vscode/settings\.json$|\.code-workspace$", _editor_settings),
        (r"/\.?devcontainer\.json$", _dev_container),
        (r"/package\.json$", _lifecycle),
        (r"/\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$", _workflow),
        (r"/(?:conftest|setup|sitecustomize|usercustomize|noxfile)\.py$", _in_language("python")),
    )
)
