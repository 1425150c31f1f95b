"""Settings that make another program run something from now on, or use another server.

GROWS: a row is a program, the words with which it sets something, and the keys whose value is run, or is an address.
"""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import NamedTuple

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word


class SettingRow(NamedTuple):
    """`verbs`: the words before a key. `runs`, `asks`: globs of the keys whose values are programs, and addresses."""

    verbs: tuple[str, ...]
    runs: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()


_NPM = SettingRow(
    ("config set", "set", "c set"),
    ("node-options", "script-shell", "shell", "editor", "viewer", "browser", "init-module", "onload-script", "git", "yarnPath"),
    ("proxy", "https-proxy", "noproxy"),
)
SETTINGS: dict[str, SettingRow] = {
    **dict.fromkeys(("npm", "pnpm", "yarn"), _NPM),
    "aws": SettingRow(("configure set",), ("credential_process", "*.credential_process"), ("endpoint_url", "*.endpoint_url")),
    "gh": SettingRow(("config set",), ("pager", "editor", "browser")),
    "glab": SettingRow(("config set",), ("pager", "editor", "browser"), ("host", "api_host")),
    "go": SettingRow(("env -w",), ("CC", "CXX", "GOFLAGS", "AR", "FC"), ("GOPROXY", "GOSUMDB", "HTTP_PROXY", "HTTPS_PROXY")),
    "bundle": SettingRow(("config set", "config"), (), ("mirror.*", "http.proxy")),
    "poetry": SettingRow(("config",), (), ("repositories.*",)),
    "gcloud": SettingRow(("config set",), (), ("proxy/address", "api_endpoint_overrides/*")),
    "hg": SettingRow(("config --edit",), ()),
    "cargo": SettingRow(
        ("config set",), ("build.rustc-wrapper", "target.*.runner", "target.*.linker"), ("registry.*", "source.*")
    ),
    "conda": SettingRow(("config --set", "config --add"), (), ("channels", "default_channels", "channel_alias")),
    "dconf": SettingRow(("write",), ("*/command",), ("/system/proxy/*/host",)),
    "gsettings": SettingRow(("set",), ("*/command",), ("org.gnome.system.proxy*/host", "org.gnome.system.proxy/autoconfig-url")),
}
_GIT_ADDRESS_SETTINGS = (
    "url.*.insteadof",
    "url.*.pushinsteadof",
    "http.proxy",
    "http.*.proxy",
    "remote.*.proxy",
    "core.gitproxy",
    "remote.*.pushurl",
)


_EDITORS = ("code", "code-insiders", "codium", "cursor", "windsurf")
_COMMAND_OPTIONS = {
    "kubectl": ("--exec-command",),
    "cargo": ("--config",),
    **dict.fromkeys(_EDITORS, ("--add-mcp",)),
}
"""Options whose value is or contains a command that is run later."""


def find_option_values(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the commands and addresses in options of a program of this name that it uses later."""
    if name == "kubectl" and [word.text for word in argv[1:3]] == ["config", "set-cluster"]:
        yield from _effects_of_cluster(argv, context)
    options = _COMMAND_OPTIONS.get(name, ())
    for n, word in enumerate(argv[1:], 1):
        option, attached, value = word.partition("=")
        if option.text in options and (attached or n + 1 < len(argv)):
            yield Operation("setting.runs", context.origin, value if attached else argv[n + 1])
        elif name == "gh" and n == 3 and argv[1].text == "alias" and argv[2].text == "set" and len(argv) > 4:
            yield from (run_from_setting(argv[4].drop_first(1), context) if argv[4].starts_with("!") is True else ())
        elif name == "gh" and n == 3 and [each.text for each in argv[1:3]] == ["extension", "install"]:
            yield Operation("setting.extension", context.origin, word)
        elif option.text == "--install-extension" and name in _EDITORS and (attached or n + 1 < len(argv)):
            yield Operation("setting.extension", context.origin, value if attached else argv[n + 1])
        elif name == "docker" and word.starts_with("host=tcp://") is True:
            yield Operation("setting.redirects", context.origin, word.drop_first(len("host=")))


def _effects_of_cluster(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports the server that `kubectl config set-cluster` sets, and whether its certificate is not checked."""
    for word in argv[3:]:
        option, _, value = word.partition("=")
        if option.text == "--server" and value.parts:
            yield Operation("setting.redirects", context.origin, value)
        elif option.text == "--insecure-skip-tls-verify" and value.text != "false":
            yield Operation("setting.redirects", context.origin, option, (("unchecked", True),))


def find_settings(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields what a program of this name is set to run, or to use as server, from now on."""
    settings = SETTINGS.get(name)
    if settings is None:
        return
    words = [word for word in argv[1:] if word.starts_with("--location") is not True and word.text not in ("-g", "--global")]
    texts = [word.text for word in words]
    for verb in settings.verbs:
        parts = verb.split()
        if texts[: len(parts)] != parts or len(words) == len(parts):
            continue
        rest = words[len(parts) :]
        assignments = [(key, value) for key, assigned, value in (word.partition("=") for word in rest) if assigned]
        if name == "gsettings" and len(rest) > 2:  # a schema, a key of it, and a value in GVariant's notation
            assignments = [(rest[0] + known_word("/") + rest[1], known_word((rest[2].text or "").strip("'"), rest[2].src))]
        elif not assignments and len(rest) > 1:
            assignments = [(rest[0], rest[1])]
        for key, value in assignments:
            if value.parts:
                yield from _effects_of_setting(key.text or "", value, settings, context)
        return


def _effects_of_setting(key: str, value: Word, settings: SettingRow, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if any(fnmatchcase(key, each) for each in settings.runs):
        yield from run_from_setting(value, context)
    elif any(fnmatchcase(key, each) for each in settings.asks):
        yield Operation("setting.redirects", context.origin, value.partition(",")[0])
    elif skips_certificates(key, value):
        yield Operation("setting.redirects", context.origin, known_word(key), (("unchecked", True),))


_CERTIFICATE_CHECKS = (
    "strict-ssl",
    "http.sslverify",
    "http.*.sslverify",
    "ssl_verify",
    "http-verify-ssl",
    "core/disable_ssl_validation",
)


def skips_certificates(key: str, value: Word) -> bool:
    """Returns whether a setting switches the check of certificates off."""
    is_negated = "disable" in key
    off = ("true", "1", "yes", "on") if is_negated else ("false", "0", "no", "off")
    return any(fnmatchcase(key, each) for each in _CERTIFICATE_CHECKS) and (value.text or "").lower() in off


def run_from_setting(value: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Reports a value that is run from now on: as a lasting setting, and as the code that it is."""
    yield Operation("setting.runs", context.origin, value)
    yield Interpret("shell", value, context.origin, via=Carrier("a setting"), sure=None)


def redirect_git(name: str, value: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`url.ADDRESS.insteadOf`, a proxy, `remote.NAME.url`."""
    section, _, key = name.rpartition(".")
    if key in ("insteadof", "pushinsteadof") and section.startswith("url."):
        address = Word((section[4:],), src=value.src)
        yield Operation("setting.redirects", context.origin, address)
    elif section.startswith("remote.") and key in ("push", "mirror"):
        flags = (("force", value.starts_with("+")), ("mirror", key == "mirror" and value.text in ("true", "yes", "1")))
        yield Operation("git.push", context.origin, value, flags)
    elif section.startswith("remote.") and key == "url":
        yield Operation("git.remote", context.origin, Word((section[7:] + " ",)) + value)
    elif any(fnmatchcase(name, each) for each in _GIT_ADDRESS_SETTINGS):
        yield Operation("setting.redirects", context.origin, value)
    elif skips_certificates(name, value):
        yield Operation("setting.redirects", context.origin, known_word(name), (("unchecked", True),))
