"""Registers the gate with OpenCode and the clients that are built from it: a plugin file of its own."""

from collections.abc import Mapping

from .opencode_places import OpenCodePlaces
from .plugin_file import PluginRegistration
from .plugin_wire import PluginWire

_PLUGIN = """\
export const Toolgate = async (input) => {
  try {
    const { FACTORY } = await import(PACKAGE);
    return await FACTORY({ command: COMMAND })(input);
  } catch (problem) {
    const refuse = async () => {
      throw new Error(told(problem));
    };
    return { "tool.execute.before": refuse, "tool.execute.after": refuse };
  }
};
"""


def build_registration(
    wire: PluginWire, places: OpenCodePlaces, program: str, oldest: tuple[int, ...], factory: str
) -> PluginRegistration:
    """Returns what registers the gate with a client. `oldest`: its measured release line. `factory`: the function of
    `clients/node` that makes its plugin."""

    def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
        """Returns the plugin file of a scope. Raises KeyError for an unknown scope."""
        return {
            "user": f"{places.own_folder(home, environ)}/plugin/toolgate.js",
            "project": f"{project.rstrip('/')}/{places.dot_folders[0]}/plugin/toolgate.js",
        }[scope]

    return PluginRegistration(wire.host, wire.events, program, oldest, locate_settings, _PLUGIN.replace("FACTORY", factory))
