"""The paths of Claude Code's settings on every platform: paths of other platforms do no harm."""

from collections.abc import Mapping

MANAGED_FOLDERS = (
    "/etc/claude-code",
    "/Library/Application Support/ClaudeCode",
    "C:/Program Files/ClaudeCode",
)
MANAGED_PREFERENCES = "/Library/Managed Preferences/com.anthropic.claudecode.plist"

SECRET_FILES = (
    "~/.ssh/id_rsa", "~/.ssh/id_dsa", "~/.ssh/id_ecdsa", "~/.ssh/id_ed25519", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519_sk",
    "~/.gnupg/private-keys-v1.d/**", "~/.gnupg/secring.gpg", "~/.aws/credentials", "~/.azure/accessTokens.json",
    "~/.azure/msal_token_cache.json", "~/.kube/config", "~/.netrc", "~/_netrc", "~/.git-credentials", "~/.pypirc", "~/.npmrc",
    "~/.docker/config.json", "~/.pgpass", "~/.my.cnf", "~/.config/gcloud/application_default_credentials.json",
    "~/.config/gcloud/credentials.db", "~/.config/gh/hosts.yml", "~/.config/hub", "~/.config/op/**",
    "~/.config/rclone/rclone.conf", "~/.password-store/**", "~/.local/share/keyrings/**", "~/.vault-token",
    "~/.terraform.d/credentials.tfrc.json", "~/.cargo/credentials.toml", "~/.gem/credentials", "~/.composer/auth.json",
    "~/.databrickscfg", "~/.boto", "~/.s3cfg", "~/.claude/.credentials.json", "~/.codex/auth.json",
    "~/.gemini/oauth_creds.json",
)  # fmt: skip
"""Files that a mention (`@file`) would put into a conversation without a hook call: Claude Code's own rules deny them."""


DEPLOYED_SCRIPT = "claude-safety-hook.sh"
"""The script that `toolgate deploy` puts among a project's hooks, and registers."""


def own_folder(home: str, environ: Mapping[str, str]) -> str:
    return (environ.get("CLAUDE_CONFIG_DIR") or f"{home.rstrip('/')}/.claude").rstrip("/") or "/"


def settings_files(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns every file whose change could unhook the gate, and the folders of hook scripts (with a slash at the end)."""
    project = project.rstrip("/")
    managed = tuple(
        name for folder in MANAGED_FOLDERS for name in (f"{folder}/managed-settings.json", f"{folder}/managed-settings.d/")
    )
    return (
        f"{own_folder(home, environ)}/settings.json",
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
        f"{project}/.claude/hooks/{DEPLOYED_SCRIPT}",
        f"{project}/.claude/scheduled_tasks.json",  # its prompts arrive as if the user had typed them
        *managed,
        MANAGED_PREFERENCES,
        *hook_folders(home, project, environ),
    )


def environment_files(project: str) -> tuple[str, ...]:
    """Returns settings files of a project whose `env` the client adds to the environment of its hooks (seen with 2.1.328)."""
    return f"{project.rstrip('/')}/.claude/settings.json", f"{project.rstrip('/')}/.claude/settings.local.json"


def hook_folders(home: str, project: str, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the folders of scripts that people register as hooks. The client itself reads nothing in them."""
    return (f"{own_folder(home, environ)}/hooks/", f"{project.rstrip('/')}/.claude/hooks/")
