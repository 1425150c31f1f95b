"""What a call does, by the name of what is called: Node's modules, Deno, Bun, and libraries that stand in for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolgate.model.effect import (
    Connect,
    Delete,
    Interpret,
    Link,
    Move,
    Opaque,
    Operation,
    Permission,
    Read,
    Reported,
    Run,
    Write,
)
from toolgate.model.place import Place
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Maybe, Word, joined, known, some, unknown, unread_parts

from .calls import Call
from .grammar import inner, text
from .names import Names
from .table import ACTS, MODULES, SHELLJS, WHOLE_FOLDERS
from .values import Argument, Code, Fields, Items, Name, Value, number, quoted

_ENVIRONMENT = re.compile(r"\b(?:process|Bun)\.env\b(?!\s*(?:\?\.|[.\[]))|\bDeno\.env\.toObject\b")
"""All variables at once."""
_SPOKEN = re.compile(
    r"(?<!stdout)(?<!stderr)\.(?:write|end|send)\s*\(\s*(?:[\w.]+\s*\(\s*)*(?:process|Bun)\.env\b(?!\s*(?:\?\.|[.\[]))"
)
"""All of them said to whoever is at the other end."""


def is_trusted(code: Interpret) -> bool:
    """Does it stand in a file that was there before this call? What is wholly unknown in it is its author's matter then."""
    return bool(code.file) and not code.code.src


class Acts:
    """`decodes`: a text is made here of what nobody can read, and may be what is run."""

    def __init__(self, names: Names, code: Interpret, seen: Seen, *, decodes: bool) -> None:
        self._names, self._code, self._seen, self._trusted = names, code, seen, is_trusted(code)
        self._made, self._decodes = frozenset({seen.origin.command}), decodes

    def effects(self, call: Call) -> Iterator[Reported]:
        if call.name.endswith("`"):
            for command in self._names.template(call.node, quoted):
                yield from self._shell(command, call.name)
        elif (does := ACTS.get(call.name)) is not None:
            yield from getattr(self, does)(call)
        elif call.name.startswith(("shelljs.", "shell.")):
            yield from self._shelljs(call)
        elif call.name.endswith(".?") and call.name.split(".")[0] in MODULES and not self._trusted:
            yield Opaque(f"the function that this JavaScript calls is computed: {call.name}", self._seen.origin)
        elif call.name.endswith(".constructor") and call.given:
            yield from self.evaluate(call)

    # ---- files

    def _places(self, argument: Argument, *, follow: bool = True) -> Iterator[tuple[Word, Place]]:
        for value in argument:
            for each in self._names.each(value) if isinstance(value, Items) else [value]:
                word = self._names.word(each)
                if isinstance(each, Fields | Code) or (self._trusted and not word.head and word.text is None):
                    continue
                bases = self._names.folders if word.starts("/") is not True else self._names.folders[:1]
                yield from ((word, self._seen.place(word, follow=follow, base=base)) for base in bases)

    def option(self, call: Call, *keys: str) -> Argument:
        """What the options that a call ends with say; nothing where they do not."""
        for argument in reversed(call.given):
            for value in argument:
                if isinstance(value, Fields) and (found := value.get(*keys)) is not None:
                    return self._names.values(found)
        return ()

    def _flag(self, call: Call, key: str) -> Maybe:
        """Is an option on? None where the options are not all in the text."""
        given = [value for argument in call.given[1:] for value in argument if not isinstance(value, Code)]
        options = [value for value in given if isinstance(value, Fields)]
        if not options:
            return None if any(isinstance(value, Name) for value in given) else False
        found = [self._names.word(value) for value in self.option(call, key)]
        if not found:
            return False if all(each.whole for each in options) else None
        return some(None if each.text is None else each.text not in ("false", "0", "undefined", "") for each in found)

    def delete(self, call: Call) -> Iterator[Reported]:
        recursive = True if call.name in WHOLE_FOLDERS else False if call.name == "fs.unlink" else self._flag(call, "recursive")
        for _, place in self._places(call.at(0), follow=False):
            yield Delete(place, recursive, self._seen.origin)

    def write(self, call: Call) -> Iterator[Reported]:
        flags = self._only(self.option(call, "flag", "flags"))
        folder = call.name.endswith(("mkdir", "ensureDir", "mkdirp", "mkdirs"))
        append = folder or call.name.endswith(("append", "appendFile", "ensureFile")) or flags.startswith("a")
        content = joined(self._names.words(call.at(1)[:1]), "") if len(call.given) > 1 and "write" in call.name.lower() else None
        for _, place in self._places(call.at(0)):
            yield Write(place, content, append, self._seen.origin, folder=folder)

    def read(self, call: Call) -> Iterator[Reported]:
        for word, place in self._places(call.at(0)):
            yield Read(place, self._seen.origin)
            self._seen.read(word)

    def open(self, call: Call) -> Iterator[Reported]:
        flags = self._only(call.at(1)) or ("w" if self.option(call, "write", "create", "append", "truncate") else "r")
        yield from self.write(call) if set(flags) & set("wa+") else self.read(call)

    def move(self, call: Call) -> Iterator[Reported]:
        for _, place in self._places(call.at(0), follow=False):
            for _, to in self._places(call.at(1)):
                yield Move(place, to, self._seen.origin)

    def copy(self, call: Call) -> Iterator[Reported]:
        tree = not call.name.endswith("copyFile")
        for word, place in self._places(call.at(0)):
            yield Read(place, self._seen.origin, tree)
            for _, to in self._places(call.at(1)):
                yield Write(to, self._seen.read(word), False, self._seen.origin, tree=tree, source=place)

    def link(self, call: Call) -> Iterator[Reported]:
        for _, to in self._places(call.at(0)):
            for _, place in self._places(call.at(1), follow=False):
                yield Link(place, to, "symlink" in call.name.lower(), self._seen.origin)

    def permission(self, call: Call) -> Iterator[Reported]:
        given = self._names.words(call.at(1))
        mode = given[0] if len(given) == 1 else unknown("a mode", self._made)
        arguments = call.node.child_by_field_name("arguments")
        parts = inner(arguments) if arguments is not None else []
        is_number = len(parts) > 1 and parts[1].type == "number"
        value = number(mode.text) if is_number and mode.text is not None else None
        mode = known(oct(value)[2:]) if value is not None else mode
        for _, place in self._places(call.at(0)):
            yield Permission(place, mode, False, self._seen.origin)

    # ---- programs

    def _shell(self, command: Word, via: str, cwd: Word | None = None) -> Iterator[Reported]:
        if not (self._trusted and not command.head):
            yield Interpret("shell", command, self._seen.origin, via=f"JavaScript's {via}", cwd=cwd)

    def shell(self, call: Call) -> Iterator[Reported]:
        fed = self._fed(call)
        for command in self._names.words(call.at(0)):
            if fed is not None and command.text is not None and re.fullmatch(r"[\w./-]+", command.text):
                yield Run((command,), self._seen.origin, f"JavaScript's {call.name}", stdin=fed)
            else:
                yield from self._shell(command, call.name, self._cwd(call))

    def run(self, call: Call) -> Iterator[Reported]:
        """A program and its arguments; where the options ask for a shell, they are joined for it."""
        shell, cwd = self._flag(call, "shell"), self._cwd(call)
        fed, env = self._fed(call), tuple(self._environment(call))
        for words in self._argvs(call):
            if self._trusted and not words[0].head:
                continue
            if shell is not False:
                yield from self._shell(joined(words), call.name, cwd)
            if shell is not True:
                yield Run(tuple(words), self._seen.origin, f"JavaScript's {call.name}", cwd=cwd, stdin=fed, env=env)

    def _argvs(self, call: Call) -> Iterator[list[Word]]:
        """`spawn(file, [..])`, `execa("file", [..])`, `Bun.spawn([..])`, `Deno.run({cmd: [..]})`, `fork(file, [..])`: every
        choice of a program, and of arguments."""
        before = [known("node")] if call.name.endswith(".fork") else []
        first = self.option(call, "cmd") if any(isinstance(value, Fields) for value in call.at(0)) else call.at(0)
        more = self.option(call, "args") or call.at(1)
        rests = [rest for value in more for rest in self._arguments_in(value)] or [[]]
        for value in first:
            if isinstance(value, Items):
                yield from ([*before, *words] for words in self._arguments_in(value) if words)
            else:
                yield from ([*before, self._names.word(value), *rest] for rest in rests)

    def _arguments_in(self, value: Value) -> list[list[Word]]:
        if isinstance(value, Items):
            members = [self._member(member) for member in value.members]
            return [[*members, unknown("more", self._made, splits=True)] if value.more else members]
        return [] if isinstance(value, Fields | Code) else [[unknown("arguments", self._made, splits=True)]]

    def _member(self, member: Argument) -> Word:
        words = self._names.words(member)
        return words[0] if len(words) == 1 else unknown("an argument", self._made)

    def _cwd(self, call: Call) -> Word | None:
        found = self._names.words(self.option(call, "cwd"))
        if not found and len(self._names.folders) == 2:
            return self._names.folders[1]
        return found[0] if len(found) == 1 else unknown("a folder", self._made) if found else None

    def _fed(self, call: Call) -> Word | None:
        found = self._names.words(self.option(call, "input", "stdin"))
        return found[0] if len(found) == 1 and found[0].text not in ("pipe", "inherit", "ignore", "null", "piped") else None

    def _environment(self, call: Call) -> Iterator[tuple[str, Word]]:
        for value in self.option(call, "env"):
            if isinstance(value, Fields):
                for key, node in value.given:
                    yield key, self._names.words(self._names.values(node))[0]

    def _shelljs(self, call: Call) -> Iterator[Reported]:
        verb = call.name.partition(".")[2]
        if verb == "exec":
            yield from self.shell(call)
        elif verb in SHELLJS:
            words = [word for argument in call.given for value in argument for word in self._flat(value)]
            yield Run((known(verb), *words), self._seen.origin, f"JavaScript's {call.name}")

    def _flat(self, value: Value) -> list[Word]:
        return [self._names.word(each) for each in (self._names.each(value) if isinstance(value, Items) else [value])]

    # ---- code

    def evaluate(self, call: Call) -> Iterator[Reported]:
        last = call.given[-1] if call.name.endswith(("Function", "constructor")) and call.given else call.at(0)
        if call.name.startswith("worker_threads") and self.option(call, "eval") == ():
            yield from self.load(call)
            return
        for value in last:
            if isinstance(value, Fields | Code | Items):
                continue
            code = self._names.word(value)
            if code.text is None and (self._trusted or (isinstance(value, Name) and value.dotted == "undefined")):
                continue
            made = code if code.text is not None and not code.src and not self._decodes else code.from_commands(self._made)
            yield Interpret("javascript", made, self._seen.origin, self._code.args, f"JavaScript's {call.name}")

    def timed(self, call: Call) -> Iterator[Reported]:
        """setTimeout with a text instead of a function."""
        texts = tuple(value for value in call.at(0) if isinstance(value, Word) and value.text is not None)
        yield from self.evaluate(Call(call.name, (texts,), call.node)) if texts else ()

    def load(self, call: Call) -> Iterator[Reported]:
        """A file of the project's that code given inline asks for; a module by its name is somebody else's."""
        for name in self._names.words(call.at(0)):
            if name.starts("data:") is True:
                yield Interpret("javascript", known(name.shown.partition(",")[2], name.src), self._seen.origin, via="import")
            elif name.starts("http") is True and name.contains("://") is True:
                yield Connect(name, self._seen.origin)
                yield Interpret("javascript", unknown(name.shown, self._made), self._seen.origin, via="import")
            elif self._trusted:
                continue
            elif not name.head and name.text is None:
                yield Opaque(f"which module this JavaScript loads is computed: {name.shown[:40]}", self._seen.origin)
            elif name.text is not None and re.match(r"\.{0,2}/|file:", name.text):
                yield from self._file(known(name.text.removeprefix("file://"), name.src))

    def _file(self, name: Word) -> Iterator[Reported]:
        for ending in ("", ".js", ".cjs", ".mjs", ".ts", "/index.js", ".json"):
            for code in self._seen.contents(name + known(ending)):
                yield Read(self._seen.place(name + known(ending)), self._seen.origin)
                is_there = code.text is not None or unread_parts(code) or not ending
                if is_there and not (name.shown + ending).endswith((".json", ".node")):
                    yield Interpret("javascript", code, self._seen.origin, via=name.shown, file=name.shown + ending)

    # ---- processes and connections

    def kill(self, call: Call) -> Iterator[Reported]:
        for pid in self._names.words(call.at(0)):
            if pid.shown.startswith(("process.pid", "Deno.pid")) or self._only(call.at(1)) == "0":
                continue
            everything = text(inner(call.node.child_by_field_name("arguments") or call.node)[0]).replace(" ", "") in ("-1", "1")
            if not (self._trusted and pid.text is None and not everything):
                yield Operation("process.kill", self._seen.origin, pid, (("everything", everything), ("by_name", False)))

    def send(self, call: Call) -> Iterator[Reported]:
        config = self._names.words(self.option(call, "url", "uri", "hostname", "host", "baseURL"))
        target = config[0] if config and any(isinstance(value, Fields) for value in call.at(0)) else self._target(call)
        bodies = self._names.words(self.option(call, "body", "data", "json", "form", "multipart", "params"))
        if call.name.endswith((".post", ".put", ".patch")) and len(call.given) > 1:
            bodies += self._names.words(call.at(1))
        if call.name in ("http.request", "https.request", "http2.connect"):
            bodies += (unknown("what JavaScript sends", self._made),)
        if target.src:
            bodies += (target,)
        if _ENVIRONMENT.search(text(call.node.child_by_field_name("arguments"))) or self._is_spoken():
            yield Operation("environment.print", self._seen.origin)
            bodies += (unknown("the environment", self._made),)
        yield Connect(target, self._seen.origin, joined(bodies) if bodies else None)
        verbs = self._names.words(self.option(call, "method"))
        if call.name.endswith((".delete", ".del")) or any((verb.text or "").upper() == "DELETE" for verb in verbs):
            yield Run((known("curl"), known("-X"), known("DELETE"), target), self._seen.origin, call.name)

    def _is_spoken(self) -> bool:
        """Is all of the environment said to what a call opens? That is said later, somewhere in the same code."""
        return not self._trusted and _SPOKEN.search(self._code.code.text or "") is not None

    def _target(self, call: Call) -> Word:
        found = self._names.words(call.at(0))
        return found[0] if len(found) == 1 else unknown("a server", self._made)

    def connect(self, call: Call) -> Iterator[Reported]:
        """A socket: `connect(port, host)`, `connect({port, host})`."""
        host = self._names.words(self.option(call, "host", "hostname")) or self._names.words(call.at(1)[:1])
        port = self._names.words(self.option(call, "port")) or self._names.words(call.at(0)[:1])
        name = host[0] if host and "WebSocket" not in call.name else port[0] if port else unknown("a server")
        target = name + known(":") + port[0] if host and port and "WebSocket" not in call.name else name
        if self._is_spoken():
            yield Operation("environment.print", self._seen.origin)
        yield Connect(target, self._seen.origin, unknown("what JavaScript sends", self._made))

    def _only(self, argument: Argument) -> str:
        word = self._names.word(argument[0]) if len(argument) == 1 else EMPTY
        return word.text or ""
