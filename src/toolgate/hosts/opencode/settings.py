"""Registers the gate with OpenCode: a plugin file of its own."""

from collections.abc import Mapping

from toolgate.hosts.plugin_file import PluginRegistration

from .places import own_folder
from .wire import EVENTS, NAME

PLUGIN = """\
export const Toolgate = async (input) => {
  try {
    const { openCodePlugin } = await import(PACKAGE);
    return await openCodePlugin({ command: COMMAND })(input);
  } catch (problem) {
    const refuse = async () => {
      throw new Error(told(problem));
    };
    return { "tool.execute.before": refuse, "tool.execute.after": refuse };
  }
};
"""


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the plugin file of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/plugin/toolgate.js",
        "project": f"{project.rstrip('/')}/.opencode/plugin/toolgate.js",
    }[scope]


REGISTRATION = PluginRegistration(NAME, EVENTS, "opencode", (1, 18), locate_settings, PLUGIN)
"""The measured release line is 1.18."""
