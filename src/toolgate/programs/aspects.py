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

from . import FAMILY_OF, find_project_code
from .argv.conventions import guess_reads, reads_its_arguments

ASPECTS: dict[str, str] = {
    "infrastructure.credential_printers.find_printed_credentials": "age akeyless ansible-vault argocd atlas aws az bao"
    " berglas bw bws certutil cf chamber chef chezmoi clever cloudflared composer conjur consul convex copilot-cli databricks"
    " dcli dialog direnv docker doctl dokku doppler dotenvx eas eb ejson eksctl envchain eyaml firebase fly flyctl gallery-dl"
    " gcloud gh git glab gopass gpg gsutil hcp heroku hub ibmcloud infisical k kdialog keepassxc-cli keyctl keyring knife"
    " kubecolor kubectl kubeseal my_print_defaults kwallet-query launchctl lpass microk8s nerdctl netlify ngrok nmcli nomad npm oathtool oc op"
    " openssl pass passage pg_dumpall pnpm podman poetry ps pulumi rage railway rancher rbw rclone scalingo scw secret-tool"
    " security snow snyk sops ssh-askpass sst step stripe supabase systemctl systemd-ask-password tailscale talosctl tctl"
    " teller terraform tofu travis turso twilio vault vercel vlt wg whiptail wrangler yarn yc ykman youtube-dl yt-dlp zenity",
    "system.configured_programs.find_settings": "aws bundle cargo conda dconf gcloud gh glab go gsettings hg npm pnpm poetry yarn",
    "system.configured_programs.find_option_values": "cargo code code-insiders codium cursor docker gh kubectl windsurf",
    "packages.written_sources.find_written_sources": "buildah bun bundle bundler cargo docker dotnet gradle gradlew mvn mvnw npm pdm pip pip3"
    " pnpm podman poetry uv yarn",
    "packages.sources.find_added_sources": "R Rscript add-apt-repository apt apt-add-repository apt-get asdf brew bundle bundler claude composer conan copilot dnf"
    " docker dotnet flatpak gemini helm luarocks mise nerdctl nix nix-channel nuget opam pipx podman poetry qwen rpm terraform tofu uvx yum zypper",
    "infrastructure.cloud_access.find_access": "aliyun atlas aws az civo doctl exo fly flyctl gcloud gsutil hcloud heroku ibmcloud linode-cli mongocli"
    " neonctl oci openstack pscale rclone s3cmd s5cmd scw supabase tccli vercel vultr-cli yc",
    "argv.command_options.find_commands": "ack ag bat buildah cargo cscope delta fzf git k3s man microk8s minikube openvpn podman rg rke2 sk tcpdump wget",
    "argv.named_settings.find_settings_commands": "bb byobu dvc haproxy monit msmtp mutt neomutt nodemon ninja openvpn pm2 screen skaffold"
    " ssh sshd tmux wg-quick",
    "network.exposed_servers.find_open_configuration": "code-server",
    "network.exposed_servers.find_served_roots": "nginx caddy lighttpd httpd apache2 thttpd",
    "network.exposed_servers.find_debugger_of_variables": "java node npm npx pnpm yarn tsx ts-node gradle mvn kotlin scala",
    "network.text_messages.find_text_messages": "aws plivo twilio vonage",
    "system.desktop.find_recordings": "ffmpeg",
    "infrastructure.printed_settings.find_printed_settings": "terraform tofu docker docker-compose podman podman-compose",
    "infrastructure.production.find_production_push": "git",
    "infrastructure.open_rules.find_open_rules": "firebase",
    "databases.model_shells.find_production_changes": "artisan manage.py mix rails",
    "databases.build_goals.find_database_resets": "gradle gradlew mvn mvnw mvnd",
    "databases.rollbacks.find_remote_rollbacks": "alembic artisan dbmate diesel flask flyway knex liquibase mix rails rake sequelize sequelize-cli sqlx typeorm",
    "databases.forward_migrations.find_lossy_migrations": "alembic artisan dbmate diesel flask flyway knex manage.py prisma rails rake"
    " sequelize sequelize-cli sqlx typeorm",
    "infrastructure.cluster_manifests.find_manifests": "helm helm3 k kubecolor kubectl microk8s.kubectl oc",
}
_SERVICE_FAMILIES = ("infrastructure.", "databases.streams", "databases.clients", "databases.backups", "network.servers")
_DEPLOYING_FAMILIES = ("infrastructure.", "databases.frameworks")
_ASPECTS_BY_PROGRAM: dict[str, list[str]] = {}
for _aspect, _names in ASPECTS.items():
    for _name in _names.split():
        _ASPECTS_BY_PROGRAM.setdefault(_name, []).append(_aspect)
_RELEASE_WORDS = 3  # `bin/shop rpc CODE`: what starts a release of Elixir has the application's name
_may_open_access = re.compile(
    r"no-?auth|auth.none|token|nopw|allow-anon|None|security|accept-hosts|insecure|0\.0\.0\.0|\[::\]|=\*:|^:\d|[= ]:\d|bind_ip_all|LoadBalancer|NodePort"
).search
"""Matches every option that opens access to others (exposing.find_exposure)."""


def _may_be_service(name: str) -> bool:
    """Returns whether a program is the command line of a service, or has no row: it may be one."""
    family = FAMILY_OF.get(name)
    return family is None or family.startswith(_SERVICE_FAMILIES)


def find_aspects(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of these kinds that a program of this name has."""
    for aspect in _ASPECTS_BY_PROGRAM.get(name, ()):
        module, _, function = aspect.rpartition(".")
        yield from getattr(import_module(f"{__package__}.{module}"), function)(name, argv, context)
    if any(_may_open_access(word.tail) for word in argv[1:]):
        from .network.exposed_servers import find_exposure

        yield from find_exposure(name, argv, context)
    if _may_be_service(name):
        from .infrastructure.service_commands import find_service_acts

        yield from find_service_acts(name, argv, context)
    if name not in FAMILY_OF and len(argv) == _RELEASE_WORDS and argv[1].text in ("rpc", "eval"):
        from .databases.model_shells import run_release_code

        yield from run_release_code(argv, context)
    if (family := FAMILY_OF.get(name)) is None or family.startswith(_DEPLOYING_FAMILIES):
        from .infrastructure.production import find_production_changes

        yield from find_production_changes(name, family, argv, context)
    loading = find_project_code(name)
    yield from loading.effects_of_call(argv, context) if loading is not None else ()
    if reads_its_arguments(name):
        yield from (each for each in guess_reads(argv, context) if isinstance(each, Read))
