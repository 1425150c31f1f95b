"""Files that are copied between this machine and a container or a pod."""

from collections.abc import Iterator

from toolgate.model.effect import Read, ReportedEffect, Write
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word
from toolgate.programs.files.coreutils import possible_destinations


def copy_container_files(source: Word, target: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of a copy on this machine. `container:path` is there, and `-` is a stream. A folder comes with
    everything in it."""
    _, is_there, path = source.partition(":")
    if source.text != "-" and not is_there:
        yield Read(context.resolve_place(source), context.origin)
    if target.text != "-" and not target.partition(":")[1]:
        content = context.unknown_output(f"the content of {source.display_text}")
        for destination in possible_destinations(path if is_there else source, target, several=False, context=context):
            yield Write(context.resolve_place(destination), content, None, context.origin)
            context.record_folder_contents(destination, content)
