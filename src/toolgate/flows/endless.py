"""Commands whose output has no end, and commands that are repeated without end."""

import re

from toolgate.model.effect import Effects, Operation, Origin, Read, Run, Write

ENDLESS_DEVICES = ("/dev/zero", "/dev/urandom", "/dev/random")
"""Devices without an end of file."""

_PASSING_PROGRAMS = frozenset(
    "cat tac tr tee split csplit openssl base64 base32 xxd od hexdump gzip pigz bzip2 xz zstd lz4 brotli pv mbuffer buffer"
    " rev nl fold paste cut expand unexpand iconv gpg gpg2 age sponge ts sort shuf uniq"
    " nohup setsid nice ionice stdbuf unbuffer env time sudo doas script chrt taskset command".split()
)
"""Programs that read their input to its end and pass it on, and those that start another program and pass on what it prints."""
_REPEATING_PROGRAMS = ("xargs", "parallel")


def list_endless_commands(effects: Effects) -> frozenset[int]:
    """Returns the commands that print without end: those that start to, and those that pass on what such a command prints."""
    passing = {run.origin.command for run in effects.of_kind(Run) if run.argv and run.argv[0].file_name in _PASSING_PROGRAMS}
    endless = {each.origin.command for each in effects.of_kind(Operation) if each.name == "output.endless"}
    endless |= {
        each.origin.command
        for each in effects.of_kind(Read)
        if each.place.path in ENDLESS_DEVICES and each.origin.command in passing
    }
    endless |= _list_redirected_loops(effects)
    flows = effects.flows - _list_flows_through_files(effects) if endless else effects.flows
    found = endless
    while found:
        found = {to for source, to in flows if source in found and to in passing} - endless
        endless |= found
    return frozenset(endless)


def _list_flows_through_files(effects: Effects) -> set[tuple[int, int]]:
    """Returns the flows from what filled a file to what reads it later: a file ends, whatever it was filled from."""
    filled: dict[object, list[tuple[int, frozenset[int]]]] = {}
    for write in effects.of_kind(Write):
        if write.content is not None:
            filled.setdefault(_name_place(write), []).append((write.origin.command, write.content.src))
    return {
        (source, read.origin.command)
        for read in effects.of_kind(Read)
        for number, sources in filled.get(_name_place(read), ())
        if number < read.origin.command
        for source in sources
    }


def _name_place(effect: Read | Write) -> object:
    """Returns what tells a file from others: its path, or the words of a path with unknown parts."""
    return effect.place.path or (effect.place.word, effect.place.base)


def _list_redirected_loops(effects: Effects) -> set[int]:
    """Returns what takes the whole output of loops that neither end nor wait: `while :; do date; done > file`."""
    loops = [each.origin for each in effects.derive(_list_endless_loops) if each.get_flag("waits") is False]
    if not loops:
        return set()
    runs = effects.of_kind(Run)
    repeated = {run.origin.command for run in runs if any(_encloses(loop, run.origin) for loop in loops)}
    return {to for source, to in effects.flows if source in repeated} - {run.origin.command for run in runs}


def is_repeated_without_end(run: Run, effects: Effects) -> bool:
    """Returns whether a loop that neither ends nor waits runs it, or `xargs` for each word of an output without end. Every run of
    an agent, and every request to a model, costs money, however long a loop waits between them."""
    may_wait = starts_agent(run, effects) or asks_model(run)
    loops = (each for each in effects.derive(_list_endless_loops) if may_wait or each.get_flag("waits") is False)
    if any(_encloses(loop.origin, run.origin) for loop in loops):
        return True
    if not any(carrier.program in _REPEATING_PROGRAMS for carrier in run.origin.via):
        return False
    endless = effects.derive(list_endless_commands)
    return bool(endless) and not endless.isdisjoint(effects.commands_feeding(frozenset((run.origin.command,))))


def is_repeated_for_long(run: Run, effects: Effects) -> bool:
    """Returns whether a loop of a thousand rounds or more runs it."""
    return any(each.name == "loop.long" and _encloses(each.origin, run.origin) for each in effects.of_kind(Operation))


def asks_model(run: Run) -> bool:
    """Returns whether a command sends a request to a service that bills each answer of a model."""
    return any(_ASKS_MODEL(word.outline) for word in run.argv[1:])


def starts_agent(run: Run, effects: Effects) -> bool:
    """Returns whether a command starts a coding agent."""
    own = effects.of_command(run.origin.command)
    return any(isinstance(each, Operation) and each.name == "agent.start" for each in own)


_ASKS_MODEL = re.compile(
    r"https://(?:api\.(?:openai|anthropic|deepseek|stability|elevenlabs|replicate)\.\w+|api\.(?:mistral|cohere|x)\.ai|api\.groq\.com"
    r"|api\.together\.xyz|openrouter\.ai|generativelanguage\.googleapis\.com)/"
).match
"""Matches the address of a service that bills each answer of a model."""


def _list_endless_loops(effects: Effects) -> tuple[Operation, ...]:
    return tuple(each for each in effects.of_kind(Operation) if each.name == "loop.endless")


def _encloses(loop: Origin, inner: Origin) -> bool:
    return loop.file == inner.file and loop.span[0] <= inner.span[0] and inner.span[1] <= loop.span[1]
