"""Redis and its forks: commands that empty a store, or replace its keys with another server's."""

import re
from collections.abc import Iterator

from toolgate.locality import is_local_database
from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Hole, HoleKind, Word, join_words, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, program_name
from toolgate.safeguards import Setting, find_weakened

REDIS = Flags(
    "-h,--host= -p,--port= -s,--socket= -a,--pass= --user= --askpass -u,--uri= -r,--repeat= -i,--interval= -n,--db= -2 -3 -x -X= -d= -D= -c -e --tls --sni="
    " --cacert= --cacertdir= --cert= --key= --insecure --raw --no-raw --csv --json --quoted-json --show-pushes= --stat --latency --latency-history --lru-test= --replica"
    " --rdb=write --functions-rdb=write --pipe --pipe-timeout= --bigkeys --memkeys --hotkeys --scan --pattern= --count= --quoted-pattern= --intrinsic-latency= --eval=read"
    " --ldb --no-auth-warning --verbose --cluster-yes --cluster= --help --version"
)

_EMPTIES = re.compile(r"(?is)flush(?:all|db)|call\(\s*['\"](?:keys|scan)\b.*call\(\s*['\"](?:del|unlink)\b").search
"""Matches a script in Lua that empties a store, or deletes the keys that it lists."""


def redis(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = REDIS.parse(argv, stop=True)
    if options.has_flag("--help", "--version") is True:
        return
    verb, rest = options.value_of("--cluster"), list(argv[options.rest :])
    if verb is not None:  # a command for all nodes of a cluster, or about one of them
        if verb.text == "del-node":
            yield Operation("database.drop", context.origin, join_words(rest), (("disposable", False),))
        elif verb.text == "call" and rest[1:]:
            yield from _redis_command(rest[1:], context)
        return
    lines = [rest] if options.rest < len(argv) else []
    file = options.value_of("--eval")
    contents = (
        (context.stdin,)
        if file is not None and file.text in ("-", "/dev/stdin")
        else context.read_alternatives(file)
        if file
        else ()
    )
    texts = [content.text or "" for content in contents]
    if not lines and file is None and context.stdin.text is not None:
        lines = [[known_word(word) for word in line.split()] for line in context.stdin.text.split("\n") if line.strip()]
    local = _is_local_redis(options, context)
    for words in lines:
        yield from _redis_command(words, context, local=local)
        if words[0].text is not None and words[0].text.lower() in ("eval", "evalsha", "fcall"):
            texts += [word.text or "" for word in words[1:2]]
    for text in texts:
        if _EMPTIES(text):
            flags = (("disposable", False), ("local", local))
            yield Operation("database.delete", context.origin, known_word("every key (in a script)"), flags)
    own = context.unknown_output(program_name(argv))
    lists_keys = options.has_flag("--scan") is True or any(words and (words[0].text or "").upper() == "KEYS" for words in lines)
    yield PrintedOutput(Word((Hole("**", "each key", kind=HoleKind.RECORD),), src=own.src) if lists_keys else own)


def _is_local_redis(options: ParsedOptions, context: ExecutionContext) -> bool:
    """Returns whether the server is on this machine and without a password: a password marks data worth a question."""
    if (
        options.value_of("--pass", "--user") is not None
        or options.has_flag("--askpass", "--tls") is True
        or context.get_variables("REDISCLI_AUTH")
    ):
        return False
    return is_local_database(options.value_of("--uri"), options.value_of("--host", "--socket"), context, default=True)


def _redis_command(words: list[Word], context: ExecutionContext, *, local: bool = False) -> Iterator[ReportedEffect]:
    verb, second = ((word.text or "").upper() for word in [*words, EMPTY, EMPTY][:2])
    if verb in ("FLUSHALL", "FLUSHDB"):
        flags = (("disposable", False), ("local", local))
        yield Operation("database.delete", context.origin, known_word(f"every key ({verb.lower()})"), flags)
    elif verb in ("DEL", "UNLINK") and any(map(_stands_for_many, words[1:])):
        flags = (("disposable", False), ("local", local))
        yield Operation("database.delete", context.origin, known_word("every key that was listed"), flags)
    elif (verb, second) == ("MODULE", "LOAD") and len(words) > 2:
        yield Operation("setting.runs", context.origin, words[2])
    elif verb == "CONFIG" and second == "SET" and len(words) > 3 and (words[2].text or "").lower() == "dir":
        yield Write(context.resolve_place(words[3]), None, True, context.origin)
    elif verb == "CONFIG" and second == "SET" and (weakened := find_weakened(_list_settings(words[2:]))):
        yield Operation("safeguard.weaken", context.origin, known_word(weakened), (("dry_run", False), ("local", local)))
    elif (verb, second) in (("CLUSTER", "RESET"), ("CLUSTER", "FLUSHSLOTS"), ("FUNCTION", "FLUSH")):
        yield Operation("database.delete", context.origin, known_word(f"{verb} {second}".lower()), (("disposable", False),))
    elif verb in ("REPLICAOF", "SLAVEOF") and second not in ("NO", ""):
        yield Operation(
            "database.delete",
            context.origin,
            known_word("every key: the other server's take their place"),
            (("disposable", False),),
        )
    elif verb == "SHUTDOWN" or (verb == "DEBUG" and second in ("SEGFAULT", "PANIC", "OOM", "RESTART", "CRASH-AND-RECOVER")):
        yield Operation("service.control", context.origin, known_word("redis"), (("stop", True), ("user", False)))


def _stands_for_many(word: Word) -> bool:
    """Returns whether a word is a list of keys, or each of those that were listed."""
    return word.text is None and (
        word.splits or any(isinstance(part, Hole) and part.kind is HoleKind.RECORD for part in word.parts)
    )


_EMPTIED = {"save": ("backups by save",), "requirepass": ("protection by requirepass",)}
"""Settings that protect something unless they are empty."""


def _list_settings(words: list[Word]) -> list[Setting]:
    """Returns the pairs of `CONFIG SET`. Without points in time to save at, nothing is saved."""
    pairs = zip(words[::2], words[1::2], strict=False)
    return [
        (_EMPTIED[name.text], "off") if value.text == "" and name.text in _EMPTIED else ((name.text or "",), value.text)
        for name, value in pairs
    ]


ROWS: dict[str, Program] = dict.fromkeys(("redis-cli", "valkey-cli", "keydb-cli"), Program(does=redis))
