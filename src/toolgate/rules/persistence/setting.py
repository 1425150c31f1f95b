"""Setting a command that another program runs from now on, or a server that replaces its usual one.

A pager, a helper, a mirror: the setting applies unnoticed to every later call, of this project or of all. Well-known editors,
pagers and helpers pass, as do programs of the system and of the project; a command in a temporary folder, or one that sends
something over the network, asks, and so do a server that the project does not work with and an extension of an editor by a
publisher that is not well known.

Sinks: `git config core.sshCommand|pager|editor|fsmonitor|diff.external|credential.helper|url.*.insteadOf`, `npm config set
node-options|script-shell`, `aws configure set credential_process`, `code --install-extension`, and similar settings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from toolgate.flows.destinations import find_destination, find_own_hosts
from toolgate.model.decision import Match
from toolgate.model.effect import Operation
from toolgate.model.rule import RuleContext

_TEMPORARY_PATH = re.compile(r"(?:^|[\s='\"!(])/(?:private/)?(?:tmp|var/tmp|dev/shm|run/user)/")
_NETWORK_CLIENT = re.compile(r"(?:^|[\s;|&(!=\"'])(?:curl|wget|nc|ncat|socat|telnet|ssh\s+[^-\s]|scp|ftp)\b")
_CODE_EVALUATION = re.compile(r"\b(?:eval|base64\s+-(?:d|D)|python3?\s+-c|perl\s+-e|(?:ba|z|da)?sh\s+-c)\b")

_PUBLISHERS = frozenset(
    "ms-python ms-vscode ms-vscode-remote ms-azuretools ms-dotnettools ms-toolsai ms-kubernetes-tools ms-playwright github golang"
    " rust-lang redhat hashicorp dbaeumer esbenp editorconfig vscodevim vscjava eamodio bradlc svelte vue prisma denoland biomejs"
    " charliermarsh tamasfe llvm-vs-code-extensions dart-code shopify sorbet julialang scala-lang haskell ocamllabs elixir-lsp"
    " streetsidesoftware yzhang anthropic openai google googlecloudtools amazonwebservices docker mongodb graphql"
    " astro-build".split()
)
"""Publishers whose extensions most people know."""

_TOOL_SERVERS = tuple(
    "linear.app sentry.dev notion.com atlassian.com figma.com stripe.com githubcopilot.com vercel.com cloudflare.com context7.com"
    " asana.com intercom.com paypal.com squareup.com supabase.com neon.tech webflow.com canva.com exa.ai tavily.com deepwiki.com"
    " microsoft.com posthog.com netlify.com prisma.io monday.com hubspot.com grafana.com datadoghq.com hf.co api.aws"
    " pulumi.com circleci.com buildkite.com semgrep.ai snyk.io slack.com airtable.com zapier.com".split()
)
"""Domains of services that developers use, whose servers offer tools to agents."""

_ADVICE = "set it for one command only, or let the user set it."


@dataclass(frozen=True, slots=True)
class Options:
    """`trusted`: hosts, or suffixes of host names, that may replace others."""

    trusted: tuple[str, ...] = ()


def check(setting: Operation, options: Options, context: RuleContext) -> Iterator[Match]:
    if setting.target is None:
        return
    text = setting.target.text or setting.target.head
    if setting.get_flag("unchecked") is True:
        message = f"From now on, the keys or certificates of servers are not checked: {setting.target.display_text}."
        yield Match(setting, message, "add the server's key or certificate to those that are trusted.")
    elif setting.name == "setting.redirects":
        destination = find_destination(setting.target, find_own_hosts(context.world, context.scene.cwd), options.trusted)
        if destination.kind in ("foreign", "drop") or (text.startswith("http://") and destination.kind == "known"):
            message = f"From now on, {setting.target.display_text} is asked instead of another server."
            yield Match(setting, message, _ADVICE)
    elif setting.name == "setting.server":
        destination = find_destination(setting.target, find_own_hosts(context.world, context.scene.cwd), options.trusted)
        is_known = destination.kind not in ("foreign", "drop") or any(
            destination.host.endswith(f".{each}") for each in _TOOL_SERVERS
        )
        if not is_known or (text.startswith("http://") and destination.kind not in ("loopback", "near")):
            message = f"From now on, agents use the tools of {setting.target.display_text}, which receives what they send."
            yield Match(setting, message, "let the user add the server.")
    elif setting.name == "setting.extension":
        if text.partition(".")[0].lower() not in _PUBLISHERS or "/" in text or text.endswith(".vsix"):
            message = f"From now on, the user's editor runs {setting.target.display_text}, outside this session."
            yield Match(setting, message, _ADVICE)
    elif _TEMPORARY_PATH.search(text):
        message = f"From now on, another program runs {setting.target.display_text}, which is in a temporary folder."
        yield Match(setting, message, _ADVICE)
    elif _NETWORK_CLIENT.search(text) or _CODE_EVALUATION.search(text):
        yield Match(setting, f"From now on, another program runs {setting.target.display_text}.", _ADVICE)
