"""Deleting a container's volumes: the data that was meant to outlive it.

A database in a container keeps everything there. `docker compose down` without `-v` keeps the volumes.
"""

from collections.abc import Iterator

from toolgate.flows.started_services import is_started_here
from toolgate.model.decision import Match
from toolgate.model.effect import Delete, Operation
from toolgate.model.rule import RuleContext

_ADVICE = "copy the data out first, and name the volume that is meant."


def check(operation: Operation | Delete, _options: None, context: RuleContext) -> Iterator[Match]:
    if isinstance(operation, Delete):
        for there, volume in operation.origin.site.mounts:
            if volume[:1] != "/" and _is_folder_emptied(operation, there.rstrip("/")):
                message = f"Deletes everything in the volume {volume}."
                yield Match(operation, message, instead=f"docker volume inspect {volume}", advice=_ADVICE)
    elif is_started_here(operation, context.effects):
        return
    elif operation.name == "container.delete-volume" and operation.get_flag("disposable") is not True:
        is_named = operation.target is not None and bool(operation.target.parts)
        what = f"the volume {operation.target.display_text}" if operation.target and is_named else "the project's volumes"
        instead = "docker volume ls" if is_named else "docker compose down"
        yield Match(operation, f"Deletes {what} and all data stored there.", instead=instead, advice=_ADVICE)
    elif operation.get_flag("volumes") is True:
        name = operation.target.display_text if operation.target else ""
        message = f"Deletes the volumes of {name or 'the containers'} and all data in them."
        yield Match(operation, message, instead=f"docker rm {name}".strip(), advice=_ADVICE)


def _is_folder_emptied(deletion: Delete, folder: str) -> bool:
    """Returns whether the deletion removes everything in the folder where a container mounts the volume."""
    place = deletion.place
    if place.path is not None:
        return deletion.recursive is not False and f"{folder}/".startswith(f"{place.path.rstrip('/')}/")
    return place.anchor == folder and place.rest in ("*", "**", "**/*", "?**")
