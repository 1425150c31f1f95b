"""Hooks in the format of several hosts: `hooks.EVENT` is a list of groups, each with a matcher and a list of handlers."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from toolgate.model.host import Steps

IsOwnHandler = Callable[[object], bool]
Entry = tuple[str, Mapping[str, object], Mapping[str, object]]
"""The event, the group and the handler of a gate entry."""


def iter_groups(settings: object) -> Iterator[tuple[str, int, object]]:
    """Yields event, place in its list, and group."""
    hooks = settings.get("hooks") if isinstance(settings, Mapping) else None
    for event, every in hooks.items() if isinstance(hooks, Mapping) else ():
        for number, group in enumerate(every if isinstance(every, list) else ()):
            yield event, number, group


def list_handlers(group: object) -> list[object]:
    found = group.get("hooks") if isinstance(group, Mapping) else None
    return found if isinstance(found, list) else []


def iter_own_handlers(settings: object, is_ours: IsOwnHandler) -> Iterator[Entry]:
    for event, _, group in iter_groups(settings):
        for handler in list_handlers(group):
            if isinstance(group, Mapping) and isinstance(handler, Mapping) and is_ours(handler):
                yield event, group, handler


def iter_own_entries(settings: object, is_ours: IsOwnHandler) -> Iterator[Steps]:
    """Yields what to remove: a whole group where it holds nothing else, otherwise single handlers."""
    for event, number, group in iter_groups(settings):
        every = list_handlers(group)
        mine = [place for place, handler in enumerate(every) if is_ours(handler)]
        if mine and len(mine) == len(every):
            yield ("hooks", event, number)
        else:
            yield from (("hooks", event, number, "hooks", place) for place in mine)


def iter_weaknesses(
    entries: Iterable[Entry],
    split_command: Callable[[Mapping[str, object]], tuple[str, ...]],
    iter_handler_weaknesses: Callable[[Mapping[str, object]], Iterable[str]],
) -> Iterator[str]:
    """Yields what keeps calls from gate entries, each with its event. The last word of a handler's command is the event that the
    gate is called for."""
    seen: set[str] = set()
    for event, group, handler in entries:
        called_for = split_command(handler)[-1]
        if called_for != event:
            yield f"hooks.{event}: the gate is called for {called_for}, another event"
        if event in seen:
            yield f"hooks.{event}: the gate is registered twice"
        seen.add(event)
        if group.get("matcher") not in (None, "", "*"):
            yield f"hooks.{event}: a `matcher` keeps tools from the gate"
        yield from (f"hooks.{event}: {problem}" for problem in iter_handler_weaknesses(handler))


def remove_own_handlers(settings: Mapping[str, object], is_ours: IsOwnHandler) -> dict[str, object]:
    """Returns the settings without the gate's entries. Lists that held nothing else stay, empty."""
    hooks = settings.get("hooks")
    if not isinstance(hooks, Mapping):
        return dict(settings)
    kept = {
        event: [*_iter_remaining_groups(every, is_ours)] if isinstance(every, list) else every for event, every in hooks.items()
    }
    return {**settings, "hooks": kept}


def _iter_remaining_groups(every: list[object], is_ours: IsOwnHandler) -> Iterator[object]:
    for group in every:
        found = list_handlers(group)
        others = [handler for handler in found if not is_ours(handler)]
        if others or not found:
            yield {**group, "hooks": others} if isinstance(group, Mapping) and len(others) < len(found) else group


def append_groups(settings: Mapping[str, object], additions: Iterable[tuple[Steps, object]]) -> dict[str, object]:
    """Returns the settings with each group at the end of its event's list."""
    hooks = settings.get("hooks")
    lists: dict[str, object] = dict(hooks) if isinstance(hooks, Mapping) else {}
    for (_, event), group in additions:
        entries = lists.get(str(event))
        lists[str(event)] = [*entries, group] if isinstance(entries, list) else [group]
    return {**settings, "hooks": lists}
