"""Ways to spell a call differently, none of which may loosen its verdict, and ways to mention it, none of which may stop.

A way is a function of a command's text, or of its words and a random generator; it returns None where it does not apply.
"""

import json
import random
import re
import shlex
import string
from collections.abc import Callable, Iterator

from differential.builtins import RUNNING, SILENT
from toolgate import programs

Way = Callable[[str], str | None]
Rewording = Callable[[list[str], random.Random], str | None]

# ---- around a whole program


def carriers() -> Iterator[str]:
    """Returns every row that runs the rest of its argv on this machine, as the same user or a more privileged one."""
    for names in programs.FAMILIES.values():
        for name in names.split():
            row = programs.find_row(name)
            if row is not None and "command" in row.operands.split():
                before = " ".join("1" for role in row.operands.split() if role == "data")
                yield f"{name} {before} {{}}"
    yield from (
        "sudo {}", "sudo -u bob -E {}", "sudo -- {}", "sudo -n -H {}", "doas -u root {}", "env A=b {}", "env -i {}",
        "env -u X {}", "env - PATH=/bin {}", "env -C . {}", "nice -n 19 {}", "ionice -c3 {}", "timeout -k 5 30s {}",
        "timeout --signal=KILL 1m {}",
        "nohup {} &", "setsid -f {}", "stdbuf -oL {}", "xargs {} < /dev/null", "xargs -r -n1 {} < /dev/null", "command {}",
        "command -p {}", "exec {}", "exec -a x {}", "builtin command {}", "busybox {}", "flock /tmp/lock {}",
        "flock -n /tmp/lock {}",
        "watch -x {}", "noglob {}", "time {}", "time -p {}", "/usr/bin/time -v {}", "coproc {}",
        "find . -maxdepth 0 -exec {} \\;", "find . -maxdepth 0 -exec {} +", "find . -maxdepth 0 -execdir {} ';'", "unshare -r {}",
        "nsenter -t 1 {}", "sudo env nohup nice {}", "strace -f -o /tmp/t {}", "systemd-run --user --scope {}",
        "X=1 {}", "X=1 Y='a b' {}", "2>/dev/null {}", "</dev/null {}",
    )  # fmt: skip


def _may_be_left(form: Way) -> Way:
    """Returns whether `return` ends the text: a function and a sourced file end there; elsewhere it is an error without
    consequences."""
    return lambda c: None if re.search(r"\breturn\b", c) else form(c)


def _has_locals(form: Way) -> Way:
    """Returns whether `local` holds in a form: outside a function, it is an error without consequences."""
    return lambda c: None if re.search(r"\blocal\b", c) else form(c)


PROGRAM_FORMS: dict[str, Way] = {
    "sh -c": lambda c: f"sh -c {shlex.quote(c)}",
    "bash -lc": lambda c: f"bash -lc {shlex.quote(c)}",
    "bash -c bash -c": lambda c: "bash -c " + shlex.quote("bash -c " + shlex.quote(c)),
    "sudo sh -c": lambda c: f"sudo sh -c {shlex.quote(c)}",
    "sudo -u -i": lambda c: None if set(c) & set("$\n") else f"sudo -iu root -- bash -c {shlex.quote(c)}",
    "env sh -c": lambda c: f"/usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin bash -c {shlex.quote(c)}",
    "env -S": lambda c: f"env -S {shlex.quote('bash -c ' + shlex.quote(c))}",
    "timeout sh -c": lambda c: f"timeout 10 bash -c {shlex.quote(c)}",
    "nohup sh -c": lambda c: f"nohup sh -c {shlex.quote(c)} > /dev/null 2>&1 &",
    "eval": lambda c: f"eval {shlex.quote(c)}",
    "eval of a variable": lambda c: f'C={shlex.quote(c)}; eval "$C"',
    "sh -c of a variable": lambda c: f'C={shlex.quote(c)}\nbash -c "$C"',
    "trap": lambda c: f"trap {shlex.quote(c)} EXIT",
    "su -c": lambda c: f"su -c {shlex.quote(c)}",
    "script": lambda c: f"cat > zz.sh <<'EOX'\n{c}\nEOX\nsh zz.sh",
    "script made executable": lambda c: f"cat > zz.sh <<'EOX'\n{c}\nEOX\nchmod +x zz.sh && ./zz.sh",
    "sourced": _may_be_left(lambda c: f"cat > zz.sh <<'EOX'\n{c}\nEOX\n. ./zz.sh"),
    "here-document": lambda c: f"bash <<'EOX'\n{c}\nEOX\n",
    "here-string": lambda c: f"bash <<< {shlex.quote(c)}",
    "pipe into a shell": lambda c: f"printf '%s\\n' {shlex.quote(c)} | sh",
    "cat into a shell": lambda c: f"cat <<'EOX' | bash -s\n{c}\nEOX",
    "process substitution": _may_be_left(lambda c: f"source <(echo {shlex.quote(c)})"),
    "shell on a process substitution": lambda c: f"bash <(printf '%s\\n' {shlex.quote(c)})",
    "python": lambda c: f"python3 -c {shlex.quote(f'import os; os.system({c!r})')}",
    "python subprocess": lambda c: f"python3 - <<'EOX'\nimport subprocess\nsubprocess.run({c!r}, shell=True)\nEOX",
    "xargs sh -c": lambda c: f"echo 1 | xargs -n1 sh -c {shlex.quote(c)}",
    "find sh -c": lambda c: None if "{}" in c else f"find . -maxdepth 0 -exec sh -c {shlex.quote(c)} \\;",
    "watch": lambda c: f"watch {shlex.quote(c)}",
    "git alias": lambda c: f"git -c alias.zz={shlex.quote('!' + c)} zz",
    "subshell": lambda c: f"( {c}\n)",
    "group": lambda c: f"{{ {c}\n}}",
    "not": lambda c: f"! {{ {c}\n}}",
    "if": lambda c: f"if true; then {c}\nfi",
    "condition": lambda c: f"if {{ {c}\n}}; then :; fi",
    "else": lambda c: f"if false; then :; else {c}\nfi",
    "while": lambda c: f"while true; do {c}\nbreak; done",
    "until": lambda c: f"until false; do {c}\nbreak; done",
    "for": lambda c: f"for i in 1; do {c}\ndone",
    "case": lambda c: f"case x in x) {c}\n;; esac",
    "function": _has_locals(_may_be_left(lambda c: f"zz() {{ {c}\n}}; zz")),
    "function with a word": _has_locals(_may_be_left(lambda c: "bash -c " + shlex.quote(f"function zz {{\n{c}\n}}\nzz"))),
    "substitution": lambda c: f'echo "$({c}\n)"',
    "assigned substitution": lambda c: f"OUT=$({c}\n)",
    "pipeline": lambda c: f"true | {{ {c}\n}}",
    "background": lambda c: f"{{ {c}\n}} &",
    "after failure": lambda c: f"false || {{ {c}\n}}",
    "after success": lambda c: f"true && {{ {c}\n}}",
    "after a directory": lambda c: f"cd . && {{ {c}\n}}",
    "after set": lambda c: f"set -x\n{c}",
    "after a line": lambda c: f"echo one; echo two\n{c}",
    "after an export": lambda c: f"export A=1\n{c}",
    "after a comment": lambda c: f"# tidy up\n\n{c}",
    "before a line": lambda c: f"{c}\necho done",
    "before an or": lambda c: f"{{ {c}\n}} || true",
    "into cat": lambda c: f"{{ {c}\n}} 2>&1 | cat",
    "unheard": lambda c: f"{{ {c}\n}} > /dev/null 2>&1",
    "carriage returns": lambda c: None if "\n" in c else f"echo one\r\n{c}",
}

RELIEFS = (
    "X=/tmp/a", "rm() { :; }", "cd /tmp", "alias rm=echo", "exit", "return", "set -- x", "unset X", "export HOME=/tmp",
    "mkdir x && cd x", "D=build", "F=", "git() { :; }",
)  # fmt: skip

# ---- of the words of one command

SHELL_OWN = frozenset(
    (
        *(
            "if",
            "for",
            "while",
            "!",
            "time",
            "[[",
            "until",
            "case",
            "function",
            "{",
            "(",
            "coproc",
            "cd",
            "echo",
            "printf",
            "test",
        ),
        *(name for table in (RUNNING, SILENT) for names in table.values() for name in names if programs.find_row(name) is None),
    )
)
"""Words that a shell understands by itself: as a program of that name none of them does what it does there."""
PLAIN = frozenset(string.ascii_letters + string.digits + "-_./:@%+,=")


def simple_words(command: str) -> list[str] | None:
    """Returns the words as they are written, with their quotes, of one command without operators and expansions; None for all
    others."""
    words, word, quote = [], "", ""
    for letter in command.strip():
        if quote:
            quote = "" if letter == quote else quote
            if quote == '"' and letter in "$`\\!":
                return None
            word += letter
        elif letter in " \t":
            words += [word] if word else []
            word = ""
        elif letter in "\n|;&(){}<>`$#?[\\":
            return None
        else:
            quote = letter if letter in "'\"" else ""
            word += letter
    words += [word] if word else []
    fits = words and not quote and set(words[0]) <= PLAIN and "=" not in words[0] and words[0] not in SHELL_OWN
    return words if fits else None


def is_plain(word: str) -> bool:
    return bool(word) and set(word) <= PLAIN


def one_operand(words: list[str], chance: random.Random) -> int | None:
    """Returns the position of a plain word that is not an option."""
    places = [n for n, word in enumerate(words) if n and is_plain(word) and word[0] != "-" and "=" not in word]
    return chance.choice(places) if places else None


def name_by(form: str) -> Rewording:
    """Spells the program's name by `form`; a path of a program stays unchanged."""
    return lambda words, _: None if "/" in words[0] else form.format(name=words[0], rest=" ".join(words[1:]))


def of_operand(form: str) -> Rewording:
    """Spells one operand by `form`; text before a newline in it must precede the command."""
    before, newline, word = form.rpartition("\n")

    def reword(words: list[str], chance: random.Random) -> str | None:
        at = one_operand(words, chance)
        if at is None:
            return None
        spelling = word.format(word=words[at], first=words[at][0], others=words[at][1:])
        return before.format(word=words[at]) + newline + " ".join((*words[:at], spelling, *words[at + 1 :]))

    return reword


def hexadecimal(words: list[str], _: random.Random) -> str | None:
    name = "".join(f"\\x{ord(letter):02x}" for letter in words[0])
    return " ".join((f"$'{name}'", *words[1:]))


def octal_operand(words: list[str], chance: random.Random) -> str | None:
    at = one_operand(words, chance)
    if at is None:
        return None
    spelling = "$'" + "".join(f"\\{ord(letter):03o}" for letter in words[at]) + "'"
    return " ".join((*words[:at], spelling, *words[at + 1 :]))


def cut_name(joint: str, before: str = "") -> Rewording:
    """Splits the name into two halves, with `joint` between them."""

    def reword(words: list[str], chance: random.Random) -> str | None:
        if len(words[0]) < 2:
            return None
        at = chance.randrange(1, len(words[0]))
        line = " ".join((words[0][:at] + joint + words[0][at:], *words[1:]))
        return f"{before}; {line}" if before else line

    return reword


def when_plain(join: Callable[[list[str]], str | None]) -> Rewording:
    return lambda words, _: join(words) if all(map(is_plain, words)) else None


QUOTES: tuple[Callable[[str], str], ...] = (
    lambda w: w,
    shlex.quote,
    lambda w: f'"{w}"',
    lambda w: f"'{w}'",
    lambda w: w[0] + "''" + w[1:],
    lambda w: "\\" + w,
    lambda w: f"$'{w}'",
)


def requote(words: list[str], chance: random.Random) -> str:
    quoted = [chance.choice(QUOTES)(word) if is_plain(word) else word for word in words]
    return chance.choice(["  ", "\t", " \\\n ", " \\\n\t "]).join(quoted)


CLUSTERS = {
    "rm": "rRfivdI", "chmod": "Rvcf", "chown": "Rvcfh", "chgrp": "Rvcfh", "cp": "arRfpvuxn", "mv": "fvnu", "ln": "sfnv",
    "git clean": "fdxXqn", "tar": "xczvjp", "shred": "uzvf", "kill": "", "crontab": "ri", "wipefs": "af",
}  # fmt: skip
"""Letters that may share a dash, by program."""
LONG = {
    "rm": {"r": "recursive", "R": "recursive", "f": "force", "v": "verbose"},
    "chmod": {"R": "recursive", "v": "verbose"},
    "chown": {"R": "recursive", "v": "verbose"},
    "chgrp": {"R": "recursive"},
    "cp": {"r": "recursive", "a": "archive", "f": "force"},
    "mv": {"f": "force"},
    "ln": {"s": "symbolic", "f": "force"},
    "git clean": {"f": "force"},
    "git push": {"f": "force", "d": "delete"},
    "shred": {"u": "remove", "f": "force", "z": "zero"},
    "wipefs": {"a": "all", "f": "force"},
}
SHORTEST = {
    "--recursive": "--rec", "--force": "--forc", "--verbose": "--verb", "--archive": "--arch", "--symbolic": "--symb",
    "--delete": "--dele", "--remove": "--remo", "--hard": "--har", "--reference": "--ref", "--no-preserve-root": "--no-pres",
    "--all": "--al", "--zero": "--zer", "--quiet": "--quie", "--mirror": "--mirr",
}  # fmt: skip
GETOPT = frozenset(("rm", "chmod", "chown", "chgrp", "cp", "mv", "ln", "shred", "wipefs", "git clean", "git push", "git reset"))
"""Programs that take options after operands, and shortened ones."""


def by_program(words: list[str]) -> tuple[str, int]:
    """Returns the name that the tables know, and the number of its words."""
    name = words[0].rpartition("/")[2]
    return (f"{name} {words[1]}", 2) if name == "git" and len(words) > 1 else (name, 1)


def _before_the_end(words: list[str], start: int) -> range:
    """Returns the positions of options: none after `--`."""
    return range(start, words.index("--") if "--" in words else len(words))


def split_flags(words: list[str], _: random.Random) -> str | None:
    name, start = by_program(words)
    letters, spelled_words = CLUSTERS.get(name, ""), list(words)
    for n in reversed(_before_the_end(words, start)):
        word = words[n]
        if word[0] == "-" and len(word) > 2 and set(word[1:]) <= set(letters):
            spelled_words[n : n + 1] = [f"-{letter}" for letter in word[1:]]
    return " ".join(spelled_words) if spelled_words != words else None


def joined_flags(words: list[str], chance: random.Random) -> str | None:
    name, start = by_program(words)
    letters = CLUSTERS.get(name, "")
    short = [
        words[n]
        for n in _before_the_end(words, start)
        if words[n][0] == "-" and len(words[n]) > 1 and set(words[n][1:]) <= set(letters)
    ]
    if not short or "v" not in letters:
        return None
    flags = list("".join(word[1:] for word in short) + "v")
    chance.shuffle(flags)
    others = [word for n, word in enumerate(words[start:], start) if word not in short]
    return " ".join((*words[:start], "-" + "".join(flags), *others))


def long_flags(words: list[str], _: random.Random) -> str | None:
    name, start = by_program(words)
    names, spelled_words = LONG.get(name, {}), list(words)
    for n in reversed(_before_the_end(words, start)):
        word = words[n]
        if word[0] == "-" and word[1:2] != "-" and len(word) > 1 and set(word[1:]) <= set(names):
            spelled_words[n : n + 1] = [f"--{names[letter]}" for letter in word[1:]]
    return " ".join(spelled_words) if spelled_words != words else None


def shortened_flags(words: list[str], chance: random.Random) -> str | None:
    name, start = by_program(words)
    if name not in GETOPT:
        return None
    long = (long_flags(words, chance) or " ".join(words)).split(" ")
    unchanged = ("--force",) if name == "git push" else ()  # there are --force-with-lease and --force-if-includes too
    spelled_words = [SHORTEST.get(word, word) if n >= start and word not in unchanged else word for n, word in enumerate(long)]
    return " ".join(spelled_words) if spelled_words != words else None


def reorder_options(words: list[str], _: random.Random) -> str | None:
    name, start = by_program(words)
    if name not in GETOPT or "--" in words or any("=" in word for word in words):
        return None
    options = [word for word in words[start:] if word[0] == "-"]
    operands = [word for word in words[start:] if word[0] != "-"]
    if not options or not operands or name == "chmod":
        return None
    return " ".join((*words[:start], *operands, *options))


REWORDINGS: dict[str, Rewording] = {
    "quoted and spaced": requote,
    "backslash in front": name_by("\\{name} {rest}"),
    "backslash in the name": cut_name("\\"),
    "empty quotes in the name": cut_name("''"),
    "empty double quotes in the name": cut_name('""'),
    "line broken in the name": cut_name("\\\n"),
    "no argument in the name": cut_name("$@"),
    "empty argument in the name": cut_name("${1}"),
    "empty variable in the name": cut_name("${X}", "X="),
    "empty substitution in the name": cut_name("$(true)"),
    "name in hexadecimal": hexadecimal,
    "name by /bin": name_by("/bin/{name} {rest}"),
    "name by /usr/bin": name_by("/usr/bin/{name} {rest}"),
    "name by another folder": name_by("/opt/x/{name} {rest}"),
    "name by a way round": name_by("/usr/../bin/./{name} {rest}"),
    "name in a variable": name_by("X={name}; $X {rest}"),
    "name in a quoted variable": name_by('X={name}\n"${{X}}" {rest}'),
    "name in an exported variable": name_by("export X={name}; $X {rest}"),
    "name by default": name_by("${{NOTHING:-{name}}} {rest}"),
    "name from echo": name_by("$(echo {name}) {rest}"),
    "name from printf": name_by("`printf %s {name}` {rest}"),
    "name from quoted echo": name_by('"$(echo {name})" {rest}'),
    "name found": name_by("$(which {name}) {rest}"),
    "name found by command": name_by('"$(command -v {name})" {rest}'),
    "name in an array": name_by('X=({name} {rest}); "${{X[@]}}"'),
    "name as an argument": name_by('set -- {name} {rest}; "$@"'),
    "name of a function's argument": name_by('zz() {{ "$@"; }}; zz {name} {rest}'),
    "words in a variable": when_plain(lambda words: f"C='{' '.join(words)}'; $C"),
    "words from echo": when_plain(lambda words: f"$(echo {' '.join(words)})"),
    "words in braces": when_plain(lambda words: None if len(words) < 2 or "," in "".join(words) else f"{{{','.join(words)}}}"),
    "words by IFS": when_plain("${IFS}".join),
    "words from xargs": when_plain(lambda words: f"printf %s {shlex.quote(' '.join(words[1:]))} | xargs {words[0]}"),
    "words through parallel": when_plain(lambda words: f"parallel -N0 {' '.join(words)} ::: 1"),
    "words through watch": when_plain(lambda words: f"watch -n 5 {' '.join(words)}"),
    "words from printf and xargs": when_plain(lambda words: f"printf '%s\\n' {' '.join(words[1:])} | xargs -n 99 {words[0]}"),
    "words in a loop": name_by("for X in {name}; do $X {rest}; done"),
    "operand in a variable": of_operand("D={word}\n$D"),
    "operand in a quoted variable": of_operand('D={word}\n"${{D}}"'),
    "operand by default": of_operand("\n${{NOTHING:-{word}}}"),
    "operand from echo": of_operand("\n$(echo {word})"),
    "operand from a loop": of_operand("D=$(for i in {word}; do echo $i; done)\n$D"),
    "operand in pieces": of_operand('\n{first}""{others}'),
    "operand in dollar quotes": of_operand("\n$'{word}'"),
    "operand in octal": octal_operand,
    "flags split": split_flags,
    "flags joined": joined_flags,
    "flags long": long_flags,
    "flags shortened": shortened_flags,
    "flags last": reorder_options,
}

# ---- mentioned

Spelling = Callable[[str], str | None]


def quote_in(form: str) -> Spelling:
    return lambda c: form.format(shlex.quote(c))


MENTIONS: dict[str, Spelling] = {
    "echo": quote_in("echo {}"),
    "echo into a file": quote_in("echo {} > notes.md"),
    "echo onto a file": quote_in("echo {} >> docs/notes.md"),
    "echo through tee": quote_in("echo {} | tee -a notes.md"),
    "printf": quote_in("printf '%s' {}"),
    "printf through a pager": quote_in("printf '%s\\n' {} | sort | uniq -c | head -3"),
    "commit": quote_in("git commit -m {}"),
    "commit and push": quote_in("git add CHANGES.md && git commit -q -m {} && git push origin main"),
    "amended commit": quote_in("git commit --amend --message={}"),
    "commit of a document": ("git commit -F - <<'EOX'\n{}\nEOX").format,
    "commit of a substituted document": ("git commit -m \"$(cat <<'EOX'\nfix: say no\n\n{}\nEOX\n)\"").format,
    "tag": quote_in("git tag -a v1 -m {}"),
    "git log": quote_in("git log --oneline --grep={}"),
    "git log -S": quote_in("git log -p -S {} -- src"),
    "git grep": quote_in("git grep -n -F {}"),
    "git notes": quote_in("git notes add -m {}"),
    "stash message": quote_in("git stash push -u -m {}"),
    "grep": quote_in("grep -rn {} ."),
    "grep -F": quote_in("grep -rnF -- {} src tests | head"),
    "grep -e": quote_in("grep -qe {} README.md && echo found"),
    "rg": quote_in("rg -n --fixed-strings {} src"),
    "find by name": quote_in("find . -name {} -print"),
    "assignment": quote_in("X={}"),
    "exported": quote_in("export NOTE={}"),
    "array": quote_in("NOTES=({} b); echo ${{#NOTES[@]}}"),
    "a quoted variable printed": quote_in('X={}; echo "$X"'),
    "jq": quote_in("jq --arg x {} . f"),
    "jq -n": quote_in("jq -n --arg cmd {} '{{command: $cmd}}'"),
    "test": quote_in("[ {} = x ]"),
    "test in brackets": quote_in("[[ {} == *x* ]] && echo yes"),
    "case": quote_in("case {} in a*) echo a;; *) echo b;; esac"),
    "here-string": quote_in("wc -c <<< {}"),
    "read from a here-string": quote_in("read -r LINE <<< {}"),
    "body": quote_in("curl -d {} https://example.com"),
    "JSON body": lambda c: (
        "curl -s -X POST -H 'Content-Type: application/json' -d "
        + shlex.quote(json.dumps({"text": c}))
        + " https://example.com/api/notes"
    ),
    "JSON body from a document": lambda c: f"curl -s --json @- https://example.com/notes <<'EOX'\n{json.dumps({'q': c})}\nEOX",
    "issue": quote_in("gh issue create --title x --body {}"),
    "issue's title": quote_in("gh issue create --title {} --body ''"),
    "issue of a document": ("gh issue create --title x --body \"$(cat <<'EOX'\n{}\nEOX\n)\"").format,
    "pull request": quote_in("gh pr create --fill --title x --body {}"),
    "comment on a pull request": quote_in("gh pr comment 12 --body {}"),
    "body from standard input": ("gh pr create --title x --body-file - <<'EOX'\n{}\nEOX").format,
    "merge request": quote_in("glab mr create --title x --description {}"),
    "logger": quote_in("logger {}"),
    "notification": quote_in("notify-send done {}"),
    "document to a file": ("cat > notes.md <<'EOX'\n{}\nEOX\n").format,
    "document onto a file": ("cat <<'EOX' >> docs/guide.md\n## Never\n\n{}\nEOX\n").format,
    "document through tee": ("tee docs/guide.md > /dev/null <<'EOX'\n{}\nEOX\n").format,
    "document to grep": ("grep -c x <<'EOX'\n{}\nEOX\n").format,
    "python prints": lambda c: "python3 -c " + shlex.quote(f"print({c!r})"),
    "python document": lambda c: f"python3 - <<'EOX'\nnotes = [{c!r}]\nprint(len(notes), notes[0])\nEOX",
    "python writes": lambda c: "python3 -c " + shlex.quote(f"open('notes.md', 'w').write({c!r})"),
    "comment": lambda c: None if "\n" in c else f"true # {c}",
    "comment of its own": lambda c: None if "\n" in c else f"# {c}\nls -la",
    "help": quote_in("tldr {} 2>/dev/null || true"),
    "diff of two": quote_in("diff <(echo {}) <(echo b)"),
    "length": quote_in('X={}; echo "${{#X}}"'),
    "awk variable": quote_in("awk -v cmd={} 'index($0, cmd)' notes.md"),
    "annotation": quote_in("kubectl annotate pod web note={} --dry-run=client"),
    "test name": quote_in("python3 -m pytest -q -k {}"),
    "own checker": quote_in("toolgate explain -- {}"),
}
