"""Effects that many programs have besides those of their rows: printing credentials, setting what runs later, opening access,
loading code.

GROWS: an aspect is one module with a `find_...` function. ASPECTS names its programs, so that it is imported for them alone.
"""

import re
from collections.abc import Iterator
from importlib import import_module

from toolgate.model.effect import Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word

from . import find_project_code
from .argv.conventions import guess_reads, reads_its_arguments

ASPECTS: dict[str, str] = {
    "infrastructure.credential_printers.find_printed_credentials": "age akeyless ansible-vault argocd aws az bao bw bws certutil cf chamber chezmoi conjur consul copilot-cli"
    " databricks docker doctl doppler dotenvx eas eksctl envchain firebase fly flyctl gcloud gh git glab gopass gpg hcp heroku hub infisical k"
    " keepassxc-cli keyctl keyring kubecolor kubectl kubeseal kwallet-query launchctl lpass nerdctl netlify ngrok nomad npm oc op openssl pass podman ps"
    " pulumi rage railway rancher rbw secret-tool security snow sops step stripe supabase systemctl tctl terraform tofu twilio vault vercel vlt wg wrangler",
    "system.configured_programs.find_settings": "aws bundle cargo conda dconf gcloud gh glab go helm hg npm pnpm poetry yarn",
    "system.configured_programs.find_option_values": "cargo code code-insiders codium cursor docker kubectl windsurf",
    "packages.sources.find_added_sources": "R Rscript add-apt-repository apt-add-repository brew composer conan dotnet flatpak helm luarocks"
    " nix-channel nuget opam pipx poetry uvx",
    "infrastructure.cloud_access.find_access": "aliyun atlas aws az civo doctl exo gcloud gsutil hcloud ibmcloud linode-cli mongocli neonctl oci"
    " openstack pscale scw supabase tccli vultr-cli yc",
    "argv.command_options.find_commands": "ack ag bat cargo cscope delta fzf git k3s man microk8s minikube rg rke2 sk wget",
    "infrastructure.cluster_manifests.find_manifests": "helm helm3 k kubecolor kubectl microk8s.kubectl oc",
}
_ASPECTS_BY_PROGRAM: dict[str, list[str]] = {}
for _aspect, _names in ASPECTS.items():
    for _name in _names.split():
        _ASPECTS_BY_PROGRAM.setdefault(_name, []).append(_aspect)
_may_open_access = re.compile(
    r"no-?auth|auth.none|token|nopw|allow-anon|None|security|accept-hosts|insecure|0\.0\.0\.0|\[::\]|bind_ip_all"
).search
"""Matches every option that opens access to others (exposing.find_exposure)."""


def find_aspects(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of these kinds that a program of this name has."""
    for aspect in _ASPECTS_BY_PROGRAM.get(name, ()):
        module, _, function = aspect.rpartition(".")
        yield from getattr(import_module(f"{__package__}.{module}"), function)(name, argv, context)
    if any(_may_open_access(word.tail) for word in argv[1:]):
        from .network.exposed_servers import find_exposure

        yield from find_exposure(name, argv, context)
    loading = find_project_code(name)
    yield from loading.effects_of_call(argv, context) if loading is not None else ()
    if reads_its_arguments(name):
        yield from (each for each in guess_reads(argv, context) if isinstance(each, Read))
