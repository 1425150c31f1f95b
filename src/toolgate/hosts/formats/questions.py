"""Tools with which an agent asks its user."""

from toolgate.model.action import AskUser

from .payload import ToolInput


def parse_questions(tool_input: ToolInput) -> AskUser:
    """Reads `questions` with a text each, or one `question`. None of it decides the effect."""
    questions = tool_input.fields.get("questions", [tool_input.fields])
    rows = [each for each in questions if isinstance(each, dict)] if isinstance(questions, list) else []
    return AskUser(tuple(str(each.get("question", "")) for each in rows))
