"""Edits of a file by replacing a text."""

from toolgate.model.action import EditFile, Replacement
from toolgate.model.errors import BadPayload

from .payload import ToolInput


def parse_edit(given: ToolInput, path: str, every: str = "replace_all") -> EditFile:
    """Returns the edit of the file under the key `path`. `every`: the key that says whether each occurrence is replaced."""
    replaces_all = given.fields.get(every, False)
    if not isinstance(replaces_all, bool):
        raise BadPayload(f"{given.tool}: `{every}` is neither true nor false")
    return EditFile(
        given.read_path(path), (Replacement(given.read_string("old_string"), given.read_string("new_string"), replaces_all),)
    )


def parse_notebook_edit(given: ToolInput) -> EditFile:
    """Returns the edit of one cell. The call does not hold its former contents: the old text is empty."""
    source = given.read_string("new_source", "")
    is_code = given.read_string("cell_type", "code") == "code" and given.read_string("edit_mode", "replace") != "delete"
    return EditFile(given.read_path("notebook_path"), (Replacement("", source),), source if is_code else "")
