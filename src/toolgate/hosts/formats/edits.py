"""Edits of a file by replacing a text."""

from toolgate.model.action import EditFile, Replacement
from toolgate.model.errors import BadPayload

from .payload import ToolInput


def parse_edit(tool_input: ToolInput, path: str, every: str = "replace_all") -> EditFile:
    """Returns the edit of the file under the key `path`. `every`: the key that says whether each occurrence is replaced."""
    replaces_all = tool_input.fields.get(every, False)
    if not isinstance(replaces_all, bool):
        raise BadPayload(f"{tool_input.tool}: `{every}` is neither true nor false")
    return EditFile(
        tool_input.read_path(path),
        (Replacement(tool_input.read_string("old_string"), tool_input.read_string("new_string"), replaces_all),),
    )


def parse_notebook_edit(tool_input: ToolInput) -> EditFile:
    """Returns the edit of one cell. The call does not hold its former contents: the old text is empty."""
    source = tool_input.read_string("new_source", "")
    is_code = tool_input.read_string("cell_type", "code") == "code" and tool_input.read_string("edit_mode", "replace") != "delete"
    return EditFile(tool_input.read_path("notebook_path"), (Replacement("", source),), source if is_code else "")
