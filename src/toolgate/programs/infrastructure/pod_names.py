"""The name of a pod, with the cluster that it is in if that is production's."""

from toolgate.locality import is_named_production
from toolgate.programs.argv.options import ParsedOptions


def name_pod(name: str, options: ParsedOptions) -> str:
    """Returns a pod's name with the context and the namespace before it that say production: `prod/web-5`."""
    named = (value.text or "" for value in (options.value_of("--context"), options.value_of("--namespace")) if value is not None)
    return "/".join((*(place for place in named if is_named_production(place)), name))
