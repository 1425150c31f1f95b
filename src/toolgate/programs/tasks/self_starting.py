"""Files that run automatically: what their content runs is judged when it is written.

GROWS: a kind of file is a line in the table, with a reader if its commands have their own format.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from toolgate.documents import InvalidDocument, read_json_with_comments, read_leading_json
from toolgate.model.effect import Carrier, Environment, Interpret, Operation, ReportedEffect, Run
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.unread_code import opaque_for_unread
from toolgate.model.word import Word, known_word, unknown_word
from toolgate.programs.git.config_files import parse_config
from toolgate.programs.tasks.code_files import language_of_loaded_file
from toolgate.programs.tasks.configured_starts import is_configured_start, read_settings, run_described
from toolgate.programs.tasks.source_settings import names_sources, read_sources
from toolgate.programs.tasks.steps import decode_json_text

Reader = Callable[[str, Word, ExecutionContext], Iterator[ReportedEffect]]


def is_self_starting(path: str) -> bool:
    """Returns whether a file at this path, or its content, runs automatically. Cheap: every write calls it."""
    return (
        is_configured_start(path)
        or any(pattern.search(path) for pattern, _ in _READERS)
        or names_sources(path)
        or language_of_loaded_file(path) is not None
    )


def read_content(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what the content of such a file will run."""
    yield from read_settings(path, content, context)
    yield from read_sources(path, content, context)
    readers = [reader for pattern, reader in _READERS if pattern.search(path)] or [_read_loaded_code]
    for reader in readers:
        try:
            yield from reader(path, content, context)
        except InvalidDocument as problem:
            yield opaque_for_unread(path, str(problem), context.origin)


def _read_loaded_code(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the code of a file that a program loads, read as it will be then: as code that stood there before."""
    language = language_of_loaded_file(path)
    if language is not None and content.text is not None:
        yield Interpret(language, known_word(content.text), context.origin, via=Carrier(language), file=path, of_project=True)


# ---- code


def _language_reader(language: str) -> Reader:
    def read_code(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        yield Interpret(language, content, context.origin, via=Carrier(language), file=path, of_project=True)

    return read_code


def _run_script(path: str, _content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """A script that is run by its path: its first line names the language."""
    name = path.rpartition("/")[2]
    arguments = () if name in _HOOKS_WITHOUT_ARGUMENTS else (unknown_word("arguments", splits=True),)
    yield Run((known_word(path), *arguments), context.origin, Carrier(name))


_HOOKS_WITHOUT_ARGUMENTS = ("pre-commit", "post-commit", "pre-merge-commit", "post-index-change", "pre-auto-gc", "post-update")
"""Hooks of git that it starts without arguments."""


# ---- lines of other formats


def _line_reader(pattern: str) -> Reader:
    """Returns a reader of commands after a key in a line: `ExecStart=`. The pattern matches up to the command."""
    key = re.compile(pattern)

    def read_lines(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        for line in content.split_lines():
            found = key.match(line.head)
            if found is not None:
                yield Interpret("shell", line.drop_first(found.end()), context.origin, via=Carrier("shell"))

    return read_lines


def _read_crontab(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    from toolgate.programs.launchers.schedules import parse_crontab

    for job in parse_crontab(content):
        yield Interpret("shell", job, context.origin, via=Carrier("cron"), cwd=known_word(context.home))


def _read_plist(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    found = re.search(r"<key>ProgramArguments</key>\s*<array>(.*?)</array>", content.text or "", re.DOTALL)
    if found is not None:
        words = [known_word(_unescape_xml(word)) for word in re.findall(r"<string>(.*?)</string>", found[1], re.DOTALL)]
        yield Run(tuple(words), context.origin, Carrier("launchd"), cwd=known_word(context.home))


def _read_run_configuration(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The script of a run configuration of JetBrains' editors, the program of a watcher, which runs at each save, and that of a
    builder of Eclipse."""
    options = {name: _unescape_xml(value) for name, value in _XML_OPTION.findall(content.text or "")}
    if script := options.get("SCRIPT_TEXT"):
        yield _interpret_shell(script, context)
    for program, arguments in (("program", "arguments"), ("ATTR_LOCATION", "ATTR_TOOL_ARGUMENTS")):
        if program in options:
            yield _interpret_shell(f"{options[program]} {options.get(arguments, '')}", context)


_XML_OPTION = re.compile(r'<(?:option|stringAttribute)\s+(?:name|key)="(?:[\w.]+\.)?(\w+)"\s+value="([^"]*)"')


def _unescape_xml(text: str) -> str:
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'").replace("&amp;", "&")


def _read_marked_commands(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Commands, skills and agents of a coding agent: a line that begins with an exclamation mark and a backquote runs."""
    for found in re.finditer(r"(?:^|\s)!`([^`\n]+)`", content.text or ""):
        yield _interpret_shell(found[1], context)


def _interpret_shell(text: str, context: ExecutionContext) -> Interpret:
    return Interpret("shell", known_word(text), context.origin, via=Carrier("shell"))


# ---- JSON and YAML


def _read_mcp_servers(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """MCP servers that are started as programs."""
    top = _parse_json_or_nothing(content)
    for key in ("mcpServers", "servers", "mcp_servers"):
        for server in _table_values(top.get(key)):
            command, words = server.get("command"), server.get("args")
            if isinstance(command, str):
                more = [known_word(word) for word in words if isinstance(word, str)] if isinstance(words, list) else []
                env = tuple(
                    (name, known_word(value)) for name, value in _table_items(server.get("env")) if isinstance(value, str)
                )
                yield Run((known_word(command), *more), context.origin, Carrier("mcp", "server"), env=env)
                for word in more:
                    if word.starts_with("https://") is True or word.starts_with("http://") is True:
                        yield Operation("setting.server", context.origin, word)
            if isinstance(helper := server.get("headersHelper"), str):
                yield _interpret_shell(helper, context)
            if isinstance(address := server.get("url", server.get("serverUrl", server.get("httpUrl"))), str):
                yield Operation("setting.server", context.origin, known_word(address))


def _read_editor_tasks(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Tasks, if an editor runs one when the folder is opened: it may depend on any other."""
    tasks = _list_tables(_parse_json_fragment(content).get("tasks"))
    if not any(dict(_table_items(task.get("runOptions"))).get("runOn") == "folderOpen" for task in tasks):
        return
    for task in tasks:
        for form in (task, *(task[system] for system in ("linux", "osx", "windows") if isinstance(task.get(system), dict))):
            words = [form.get("command"), *(form["args"] if isinstance(form.get("args"), list) else [])]
            text = " ".join(str(dict(_table_items(word)).get("value", word)) for word in words if word is not None)
            yield _interpret_shell(text, context)


def _read_dev_container(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the command that runs on this machine, and how the container is started."""
    from .command_files import devcontainer_commands

    top = _parse_json_fragment(content)
    for step in devcontainer_commands(top, content.text or ""):
        yield Interpret("shell", step.text, context.origin, via=Carrier("initializeCommand"))
    options = [
        *_list_texts(top.get("runArgs")),
        *(word for mount in _list_texts(top.get("mounts")) for word in ("--mount", mount)),
    ]
    if options:
        words = [word.replace("${localEnv:HOME}", context.home) for word in ("docker", "run", *options, "image")]
        yield Run(tuple(map(known_word, words)), context.origin, Carrier("devcontainer"))


def _read_lifecycle_scripts(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """The scripts of a package that run when it, or its dependencies, are installed."""
    top = _parse_json_or_nothing(content)
    is_whole = (content.text or "").lstrip().startswith("{")
    scripts = top.get("scripts", None if is_whole else top)  # an edit may show some of the scripts alone
    for name in ("preinstall", "install", "postinstall", "prepare", "prepublish", "preprepare", "postprepare"):
        body = scripts.get(name) if isinstance(scripts, dict) else None
        if isinstance(body, str):
            yield _interpret_shell(body, context)


def _read_hook_commands(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    from .command_files import lefthook_commands

    for step in lefthook_commands(content.text or "", ()):
        yield Interpret("shell", step.text, context.origin, via=Carrier("lefthook"))


def _read_local_hooks(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands of a repository's own hooks, which run at each commit."""
    from .command_files import pre_commit_entries

    for step in pre_commit_entries(content.text or "", ()):
        yield Interpret("shell", step.text, context.origin, via=Carrier("pre-commit"))


def _read_workflow(path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    from .workflows import read_workflow  # few calls write one

    yield from read_workflow(path, content, context)


def _read_editor_settings(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Editor settings with which an agent's calls, or a folder's tasks, run without a question."""
    for key, value in _parse_json_fragment(content).items():
        if re.search(r"autoApprove|SkipPermissions|bypassPermissions|allowAutomaticTasks", key) and value in (
            True,
            "on",
            "always",
        ):
            yield Operation("agent.start", context.origin, known_word(key), (("unguarded", True),))
        if key.startswith("terminal.integrated.env."):
            for name, text in _table_items(value):
                yield Environment(name, known_word(str(text)), context.origin)
        if key.startswith(("terminal.integrated.profiles.", "terminal.integrated.automationProfile.")):
            for profile in (value, *_table_values(value)):
                yield from run_described(profile, "path", context)


def _parse_json_or_nothing(content: Word) -> dict[str, Any]:
    """Parses a document whose reader rejects invalid JSON: nothing in such a document runs."""
    try:
        return _parse_json_fragment(content)
    except InvalidDocument:
        return {}


def _parse_json_fragment(content: Word) -> dict[str, Any]:
    """Parses a document whose reader tolerates errors, as editors do; the text of an edit may be part of an object. Raises
    InvalidDocument for other text."""
    text = decode_json_text(content.text or "{}")
    try:
        top = read_json_with_comments(text)
    except InvalidDocument:
        top = read_leading_json(_complete_fragment(text.strip()))
    return top if isinstance(top, dict) else {}


_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"?|//[^\n]*|/\*.*?\*/|[\[\]{}]', re.DOTALL)
_OPENING = {"}": "{", "]": "["}


def _complete_fragment(text: str) -> str:
    """Adds what surrounds a part of an object: the brackets that it closes or leaves open, and the value of its last key."""
    if text.startswith(("{", "/")):
        return text  # a whole document
    before, opened = "", []
    for found in _STRING_OR_BRACKET.finditer(text):
        if found[0] in ("{", "["):
            opened.append(found[0])
        elif found[0] in _OPENING:
            if opened:
                opened.pop()
            else:
                before = _OPENING[found[0]] + before
    text = re.sub(r'([{,]\s*"(?:[^"\\]|\\.)*")\s*:?\s*$', r"\1: null", "{" + text.strip().strip(","))
    after = "".join("}" if each == "{" else "]" for each in reversed(opened))
    return f"{before}{text}{after}}}" if not before else f"{before}{text[1:]}{after}"


def _table_values(value: object) -> list[dict[str, Any]]:
    return [each for each in value.values() if isinstance(each, dict)] if isinstance(value, dict) else []


def _table_items(value: object) -> Iterable[tuple[str, Any]]:
    return value.items() if isinstance(value, dict) else ()


def _list_texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _list_tables(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


# ---- settings of git and of other programs


def _read_git_settings(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Settings of a repository: each does what `git config` does."""
    for name, value, _ in parse_config(content.text or ""):
        yield Run((*map(known_word, ("git", "config", name)), known_word(value, content.src)), context.origin, Carrier("git"))


def _program_reader(pattern: str) -> Reader:
    """Returns a reader of settings that name a program; the pattern's group is the program."""
    setting = re.compile(pattern)

    def read_programs(_path: str, content: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
        for found in setting.finditer(content.text or ""):
            yield Operation("setting.runs", context.origin, known_word(found[1], content.src))

    return read_programs


# ---- the table


_SHELL_START = (
    r"/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zshenv|zprofile|zlogin|zlogout|kshrc|xprofile|xinitrc|xsession"
    r"|xsessionrc|envrc|direnvrc)$|^/etc/(?:profile|bash\.bashrc|bashrc|zshrc|zshenv|rc\.local)$|^/etc/profile\.d/[^/]+\.sh$|/fish/(?:config|conf\.d/[^/]+)\.?fish$"
)
_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = tuple(
    (re.compile(pattern), reader)
    for pattern, reader in (
        (_SHELL_START, _language_reader("shell")),
        (
            r"/\.git/hooks/[^/.]+$|/\.husky/(?:_/)?[^/.]+(?:\.sh)?$|^/etc/cron\.(?:hourly|daily|weekly|monthly)/[^/]+$",
            _run_script,
        ),
        (r"^/etc/(?:crontab|anacrontab)$|^/etc/cron\.d/[^/]+$|^/var/spool/cron/", _read_crontab),
        (r"/systemd/[^/]+/[^/]+\.(?:service|timer|path|socket)$", _line_reader(r"\s*Exec\w+\s*=\s*[-@:+!]*")),
        (r"/autostart/[^/]+\.desktop$", _line_reader(r"\s*Exec\s*=\s*")),
        (r"/Library/Launch(?:Agents|Daemons)/[^/]+\.plist$", _read_plist),
        (
            r"/\.(?:claude|copilot|codex|gemini|opencode|kilo|kilocode|cursor)/(?:skills|commands|agents|prompts)/.+\.md$",
            _read_marked_commands,
        ),
        (r"/\.?mcp(?:-config|_config|_settings)?\.json$|/\.claude\.json$|/claude_desktop_config\.json$", _read_mcp_servers),
        (r"/\.husky/[^/]+\.[cm]?js$", _language_reader("javascript")),
        (r"/\.git/config$", _read_git_settings),
        (r"/\.vscode/tasks\.json$", _read_editor_tasks),
        (r"/\.vscode/settings\.json$|\.code-workspace$", _read_editor_settings),
        (
            r"/\.vscode/launch\.json$",
            _program_reader(r'"(?:runtimeExecutable|python|pythonPath|miDebuggerPath)"\s*:\s*"([^"]+)"'),
        ),
        (
            r"/\.(?:idea/runConfigurations|run)/[^/]+\.xml$|/\.idea/watcherTasks\.xml$|/\.externalToolBuilders/[^/]+\.launch$",
            _read_run_configuration,
        ),
        (r"/\.?helix/(?:languages|config)\.toml$", _program_reader(r"""(?m)^\s*command\s*=\s*["']([^"']+)""")),
        (r"/\.zed/settings\.json$", _program_reader(r'"(?:command|path|program)"\s*:\s*"([^"]+)"')),
        (r"/\.?devcontainer\.json$", _read_dev_container),
        (r"/package\.json$", _read_lifecycle_scripts),
        (r"/\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$", _read_workflow),
        (r"/\.gitlab-ci\.yml$|/\.circleci/config\.yml$", _read_workflow),
        (r"/\.pre-commit-config\.yaml$", _read_local_hooks),
        (r"/(?:nvim/.*|\.nvim|wezterm|\.wezterm|awesome/rc)\.lua$", _language_reader("lua")),
        (r"/(?:conftest|setup|sitecustomize|usercustomize|noxfile)\.py$", _language_reader("python")),
        (r"/\.pnpmfile\.cjs$", _language_reader("javascript")),
        (r"/\.?lefthook(?:-local)?\.ya?ml$", _read_hook_commands),
        (
            r"/\.cargo/config(?:\.toml)?$",
            _program_reader(r"""(?m)^\s*(?:rustc(?:-(?:workspace-)?wrapper)?|rustdoc|runner|linker)\s*=\s*\[?\s*["']([^"']+)"""),
        ),
        (
            r"/\.vscode/settings\.json$|\.code-workspace$",
            _program_reader(
                r'"[\w.-]+\.(?:path|\w*(?:[iI]nterpreter|[eE]xecutable|[sS]erver|[bB]inary|python)Path)"\s*:\s*"([^"]+)"'
            ),
        ),
    )
)
