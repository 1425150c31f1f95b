"""Folders and files of each zone. `~` is the home folder, `./` the project; other paths are absolute.

Linux, macOS and Windows (under the names that Git Bash and WSL use) are listed together: a missing path does no harm.
"""

import re
from fnmatch import fnmatchcase
from functools import lru_cache

from . import designs
from .model.place import Zone

TREES: dict[Zone, str] = {
    "home": "~ /root",
    "system": "/bin /boot /efi /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /snap /sys /usr /var"
    " /System /Library /Applications /private/etc /private/var /cores /c/Windows /mnt/c/Windows /c/Program\\ Files",
    "system-data": "/usr/share /var /private/var",
    "credentials": "~/.ssh ~/.gnupg ~/.aws ~/.azure ~/.kube ~/.netrc ~/_netrc ~/.config/filezilla ~/.filezilla ~/.git-credentials ~/.pypirc ~/.npmrc ~/.docker/config.json"
    " ~/.config/gcloud ~/.config/gh/hosts.yml ~/.config/hub ~/.config/op ~/.config/doctl ~/.config/rclone/rclone.conf ~/.password-store"
    " ~/.local/share/keyrings ~/.pgpass ~/.my.cnf ~/.vault-token ~/.terraform.d/credentials.tfrc.json ~/.cargo/credentials ~/.cargo/credentials.toml"
    " ~/.gem/credentials ~/.composer/auth.json ~/.m2/settings-security.xml ~/.databrickscfg ~/.snowflake ~/.boto ~/.s3cfg ~/Library/Keychains"
    " ~/.claude/.credentials.json ~/.codex/auth.json ~/.gemini/oauth_creds.json ~/.cache/huggingface/token ~/.cache/huggingface/stored_tokens ~/.huggingface/token ~/.config/github-copilot"
    " /etc/shadow /etc/gshadow /etc/sudoers /etc/sudoers.d /etc/ssh /root/.ssh /var/run/secrets /run/secrets",
    "personal": "/etc/passwd /etc/group ~/.local/share/fish/fish_history ~/Library/Application\\ Support/Google/Chrome ~/Library/Application\\ Support/Firefox"
    " ~/Library/Application\\ Support/BraveSoftware ~/Library/Cookies ~/Library/Safari ~/Library/Messages ~/Library/Mail",
    "device": "/dev",
    "start-up": "~/.bashrc ~/.bash_profile ~/.bash_login ~/.bash_logout ~/.bash_aliases ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.zlogin ~/.zlogout"
    " ~/.config/powershell ~/Documents/PowerShell ~/Documents/WindowsPowerShell ~/.kshrc ~/.cshrc ~/.tcshrc ~/.login ~/.config/fish/config.fish ~/.config/fish/conf.d ~/.xprofile ~/.xinitrc ~/.xsession ~/.xsessionrc ~/.pam_environment"
    " ~/.config/autostart ~/.config/environment.d ~/.gitconfig ~/.config/git/config ~/.config/git/hooks /etc/gitconfig ~/.inputrc ~/.vimrc ~/.emacs ~/.claude.json ~/.direnvrc ~/.config/direnv ~/.config/systemd/user ~/.local/share/systemd/user"
    " ~/Library/LaunchAgents /Library/LaunchAgents /Library/LaunchDaemons /etc/profile /etc/profile.d /etc/bash.bashrc /etc/bashrc /etc/zsh /etc/zshrc /etc/zshenv"
    " /etc/environment /etc/ld.so.preload /etc/rc.local /etc/init.d /etc/systemd /lib/systemd /usr/lib/systemd /etc/xdg/autostart",
    "scheduler": "/etc/crontab /etc/cron.d /etc/cron.hourly /etc/cron.daily /etc/cron.weekly /etc/cron.monthly /var/spool/cron /var/spool/at /etc/anacrontab /etc/at.allow",
    "temporary": "/tmp /var/tmp /private/tmp /private/var/tmp /var/folders /private/var/folders /dev/shm"
    " ~/.cache ~/.npm/_cacache ~/.npm/_npx ~/.npm/_logs ~/Library/Caches ~/Library/Logs ~/Library/Developer/Xcode/DerivedData ~/.gradle/caches ~/.gradle/wrapper ~/.m2/repository ~/.m2/wrapper"
    " ~/.ivy2/cache ~/.cargo/registry ~/.cargo/git ~/go/pkg ~/.yarn/cache ~/.yarn/berry/cache ~/.pnpm-store ~/.local/share/pnpm/store ~/.nuget/packages"
    " /var/lib/apt/lists /var/cache/apt /var/cache/apk /var/cache/dnf /var/cache/yum"
    " ~/.julia/compiled ~/.julia/logs ~/.coursier/cache ~/.sbt/boot ~/.opam/download-cache ~/.ccache ~/.platformio/.cache ~/.arduino15/staging"
    " ~/.bun/install/cache ~/.terraform.d/plugin-cache ~/.nv/ComputeCache ~/.triton/cache ~/.android/cache ~/.gradle/daemon ~/.gradle/.tmp"
    " ~/.rustup/downloads ~/.rustup/tmp ~/.cabal/packages ~/.hex/packages ~/.node-gyp ~/.cpanm/work ~/.dartServer"
    " ~/.bundle/cache ~/.expo/cache ~/.composer/cache ~/.cocoapods/repos ~/.Trash ~/.local/share/Trash",
    "project": "./",
    "repository-data": "./.git",
}
EXACT: dict[Zone, str] = {
    "root": "/ /c /mnt/c",
    "home-parent": "/home /Users /c/Users /mnt/c/Users",
    "whole-tree": "/opt /srv /usr/local /mnt /media /Volumes /dev",
    "project-root": "./",
}
NOT_SYSTEM = "/var/lib/apt/lists /var/cache/apt /var/cache/apk /var/cache/dnf /var/cache/yum /usr/local /usr/src /var/tmp /var/www /private/var/tmp /private/var/folders /var/folders /tmp /private/tmp /run/user ./"
"""Trees within the system's that are not part of it."""

HARMLESS_DEVICES = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty /dev/stdin /dev/stdout /dev/stderr /dev/fd /dev/pts /dev/ptmx /dev/shm /dev/tcp /dev/udp"
HARMLESS_KINDS = (
    "/dev/tty*", "/dev/cu.*", "/dev/rfcomm*", "/dev/serial/*", "/dev/i2c-*", "/dev/spidev*", "/dev/gpiochip*", "/dev/video*", "/dev/snd/*",
    "/dev/dri/*", "/dev/input/*", "/dev/usb/*", "/dev/bus/usb/*", "/dev/hidraw*", "/dev/nvidia*", "/dev/kvm", "/dev/fuse", "/dev/net/tun",
)  # fmt: skip
"""Terminals, displays, boards: they hold no data that could be lost."""
PUBLIC_NAMES = (
    "*.pub",
    "*/known_hosts",
    "*/known_hosts.old",
    "*/.ssh/config",
    "*/.ssh/authorized_keys",
    "*/.aws/config",
    "/etc/ssh/ssh_config",
    "/etc/ssh/sshd_config",
)
"""In the credential trees, but not secret: reading them is fine, changing them is not."""

KEY_NAMES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk")
BROWSER_STORES = ("logins.json", "key4.db", "key3.db", "signons.sqlite", "cookies.sqlite", "Login Data", "Cookies", "Web Data")
START_UP_NAMES = ("opencode.json", "opencode.jsonc", "kilo.json", "kilo.jsonc", "usercustomize.py", "sitecustomize.py")
"""Files without a leading dot that name the programs and plugins of an agent's next session, or that each Python runs first."""
_BROWSERS = re.compile(
    r"/\.?(?:mozilla|firefox|google-chrome|chromium|Google/Chrome|BraveSoftware|microsoft-edge|Firefox)/", re.IGNORECASE
)
_APPLICATION_SESSIONS = re.compile(
    r"/(?:\.config|Application Support)/[^/]+/(?:(?:Default|Profile \d|Network|Partitions/[^/]+)/)*(?:Cookies|(?:Local|Session) Storage/.+)"
)
"""What applications built on a browser keep of a login: Slack, Discord, Teams."""
_PROCESS_ENVIRONMENT = re.compile(r"/proc/(?:self|thread-self|[\d*?\[\]-]+)/(?:task/[^/]+/)?environ")
"""All variables of another process, also of one whose number is not known."""
ENVIRONMENT_NAMES = (".env", ".env.*", "*.env", ".envrc")
RAILS_KEY = "master.key"
ENVIRONMENT_TEMPLATES = ("*.example", "*.sample", "*.template", "*.dist", "*.defaults")
_PERSONAL_NAMES = (
    "bash_history zsh_history sh_history psql_history mysql_history sqlite_history python_history node_repl_history rediscli_history mozilla thunderbird"
    " config/google-chrome config/chromium config/BraveSoftware config/microsoft-edge"
)
ZONES_BY_NAME: tuple[tuple[str, Zone], ...] = (
    ("/.claude/settings.json", "agent-settings"),
    ("/.claude/settings.local.json", "agent-settings"),
    ("/.claude/hooks", "agent-hooks"),
    ("/.copilot/hooks", "agent-settings"),
    ("/.github/hooks", "agent-settings"),
    ("/.claude/hooks/claude-safety-hook.sh", "agent-settings"),  # written by toolgate itself
    (f"/{designs.ENFORCER_SCRIPT}", "agent-settings"),
    (f"/{designs.STOP_SCRIPT}", "agent-settings"),
    *((file, "gate") for file in designs.GATE_FILES),
    *((f"/{folder}/config/{designs.TEAM_POLICY_FILE}", "team-policy") for folder in designs.TEAM_FOLDERS),
    ("/.toolgate", "gate"),
    *((f"/.{name}", "personal") for name in _PERSONAL_NAMES.split()),
    ("/.git/hooks", "start-up"),
    ("/.git/config", "start-up"),
    ("/.envrc", "start-up"),
    ("/.mcp.json", "start-up"),
    ("/.vscode/tasks.json", "start-up"),
    ("/.husky", "start-up"),
    ("/.git", "repository-data"),
)
"""Path suffixes that determine a zone in any folder."""


_HOME_FOLDER = re.compile(r"/(?:(?:home|Users|c/Users|mnt/c/Users)/[^/]+|root|\*\*?)/(.+)")
"""A home folder of anyone, or a glob that reaches it, with what lies beneath it."""
_CREDENTIALS_AT_HOME = tuple(each[2:] for each in TREES["credentials"].split() if each.startswith("~/"))


def _is_credential_of_anyone(path: str) -> bool:
    found = _HOME_FOLDER.fullmatch(path)
    return (
        found is not None
        and any(found[1] == each or found[1].startswith(f"{each}/") for each in _CREDENTIALS_AT_HOME)
        and not is_public(path)
    )


def by_name(path: str) -> frozenset[Zone]:
    """Returns the zones that names determine in any folder."""
    found: set[Zone] = set()
    if "/." in path or designs.SCRIPT_PATH_PART in path:  # every entry contains one of these
        for names, zone in ZONES_BY_NAME:
            at = path.find(names)
            if at >= 0 and path[at + len(names) : at + len(names) + 1] in ("", "/"):
                found.add(zone)
        if _is_credential_of_anyone(path):
            found.add("credentials")
    name = path.rpartition("/")[2]
    is_session = _APPLICATION_SESSIONS.search(path) is not None or (name in BROWSER_STORES and _BROWSERS.search(path) is not None)
    if name in KEY_NAMES or is_session or _PROCESS_ENVIRONMENT.fullmatch(path):
        found.add("credentials")
    elif name == RAILS_KEY or ("env" in (folded := name.lower()) and _is_environment(folded)):
        found.add("environment")
    elif name in START_UP_NAMES:
        found.add("start-up")
    elif "*" in name or "[" in name or "?" in name:
        found |= by_name_glob(name)  # as passed to a search
    return frozenset(found)


_ONE_CHARACTER = re.compile(r"\[([^]!^])\]")
"""Matches a class of one character, which is that character."""
_KEY_PREFIXES = ("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519")


def by_name_glob(name: str) -> frozenset[Zone]:
    """Returns the zones that a glob of names reaches, whatever else it finds: `.env*`, `.[e]nv`, `id_rsa*`."""
    name = _ONE_CHARACTER.sub(r"\1", name)
    if name.startswith(".env") and name[4:5] in ("*", "?", ".", "[") and not _matches_any(name, ENVIRONMENT_TEMPLATES):
        return frozenset(("environment",))
    if name.endswith(("/.env", "*.env")) or (name.startswith((".e", "?e")) and fnmatchcase(".env", name)):
        return frozenset(("environment",))
    return frozenset(("credentials",)) if name.startswith(_KEY_PREFIXES) and not name.endswith(".pub") else frozenset()


def may_find_secrets(pattern: str) -> bool:
    """Returns whether a glob of names may find a file for secrets: `*`, `*.key`."""
    return any(fnmatchcase(name, pattern) for name in (RAILS_KEY, "id_rsa", "production.env"))


GUARDED_BY_NAME = tuple(
    names
    for names, zone in ZONES_BY_NAME
    if zone in ("gate", "agent-settings", "agent-hooks", "team-policy") and "/bin/" not in names
)


def find_guarded_below(folder: str) -> list[str]:
    """Returns paths below a folder that are the gate's or a host's by name, in any folder: `x/.claude` has settings below it."""
    name = folder[folder.rfind("/") :]
    return [f"{folder}{names[len(name) :]}" for names in GUARDED_BY_NAME if names.startswith(f"{name}/")] if "." in name else []


def _is_environment(name: str) -> bool:
    return _matches_any(name, ENVIRONMENT_NAMES) and not _matches_any(name, ENVIRONMENT_TEMPLATES)


def _matches_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def is_public(path: str) -> bool:
    """Returns whether a path in the credential trees is not secret."""
    return _matches_any(path, PUBLIC_NAMES)


@lru_cache(1)
def _harmless_devices() -> tuple[str, ...]:
    return tuple(HARMLESS_DEVICES.split())


def is_harmless(path: str) -> bool:
    """Returns whether a device holds no data."""
    return _matches_any(path, HARMLESS_KINDS) or any(
        path == device or path.startswith(device + "/") for device in _harmless_devices()
    )
