"""Registers the gate with Cline: a plugin file of its own, which runs in a process beside the client.

Files of hooks are not used: their exit codes are ignored, and they can only end the whole run.
"""

from collections.abc import Mapping

from toolgate.hosts.formats.plugin_file import PluginRegistration

from .places import own_folder
from .wire import EVENTS, NAME

PLUGIN = """\
let loaded;
let place;
const gate = () => (loaded ??= import(PACKAGE).then(({ clineHooks }) => clineHooks({ command: COMMAND, place: () => place })));

export default {
  name: "toolgate",
  manifest: { capabilities: ["hooks"] },
  setup: (_api, context) => {
    place = context;
  },
  hooks: {
    beforeRun: async (context) => gate().then((hooks) => hooks.beforeRun(context)).catch(() => {}),
    beforeTool: async (context) =>
      gate().then((hooks) => hooks.beforeTool(context)).catch((problem) => ({ skip: true, reason: told(problem) })),
    afterTool: async (context) =>
      gate()
        .then((hooks) => hooks.afterTool(context))
        .catch((problem) => ({ result: { ...context.result, output: told(problem) } })),
  },
};
"""


def locate_settings(scope: str, home: str, project: str, environ: Mapping[str, str]) -> str:
    """Returns the plugin file of a scope. Raises KeyError for an unknown scope."""
    return {
        "user": f"{own_folder(home, environ)}/plugins/toolgate.js",
        "project": f"{project.rstrip('/')}/.cline/plugins/toolgate.js",
    }[scope]


REGISTRATION = PluginRegistration(NAME, EVENTS, "cline", (3, 0), locate_settings, PLUGIN)
"""The measured release line is 3.0."""
