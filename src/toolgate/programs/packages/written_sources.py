"""Sources of packages in settings that the same call has written, when it runs the package manager, or builds the image, that reads
them.

The address of a registry in a file that stood there before is its author's choice; one that this call wrote is the call's.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from toolgate.model.effect import Operation
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word


class SettingsOfManager(NamedTuple):
    """`files`: relative to the working directory or the home folder. `options`: name another one. `address`: the pattern of an
    address in them."""

    files: tuple[str, ...]
    options: tuple[str, ...]
    address: re.Pattern[str]


_ASSIGNED = re.compile(
    r"""(?mi)^\s*["']?(?:@[\w-]+:)?(?:registry|index|url|default|(?:extra-)?index-url|find-links|npmRegistryServer|mirror|proxy|local-registry)["']?"""
    r"""\s*[=:]\s*(?:\{[^}\n]*url\s*=\s*)?["']?(?:sparse\+|registry\+)?(https?://[^"'\s,}]+)"""
)
_MAVEN = re.compile(
    r"<(?:mirror|repository|pluginRepository)>(?:(?!</(?:mirror|repository)>).){0,600}?<url>\s*(https?://[^<\s]+)", re.DOTALL
)
_NUGET = re.compile(r'<add\s+key="[^"]*"\s+value="(https?://[^"]+)"', re.IGNORECASE)
_GEM = re.compile(r"""(?m)^\s*source[ (]+["'](https?://[^"']+)|BUNDLE_MIRROR__\w+:\s*["']?(https?://[^"'\s]+)""")
_GRADLE = re.compile(r"""\b(?:url|uri)\s*[=(]?\s*(?:uri)?\(?\s*["'](https?://[^"']+)""")
_IMAGE = re.compile(
    r"(?:--(?:extra-)?index-url|--registry|--source|--find-links|\s-i|config\s+set\s+(?:global\.)?(?:registry|index-url)|mirror\.\S+"
    r"|(?:PIP_(?:EXTRA_)?INDEX_URL|UV_INDEX_URL|UV_DEFAULT_INDEX|NPM_CONFIG_REGISTRY|npm_config_registry|GOPROXY))[\s=]+[\"']?(https?://[^\s\"']+)"
)
_PIP = SettingsOfManager((".config/pip/pip.conf", ".pip/pip.conf", "pip.conf"), (), _ASSIGNED)
_UV = SettingsOfManager(("uv.toml", "pyproject.toml", ".config/uv/uv.toml"), ("--config-file",), _ASSIGNED)
_MVN = SettingsOfManager((".m2/settings.xml", "pom.xml"), ("-s", "--settings", "-gs"), _MAVEN)
_DOCKER = SettingsOfManager(("Dockerfile",), ("-f", "--file"), _IMAGE)
_SETTINGS: dict[str, SettingsOfManager] = {
    "bun": SettingsOfManager(("bunfig.toml", ".bunfig.toml", ".npmrc"), ("-c", "--config"), _ASSIGNED),
    "cargo": SettingsOfManager((".cargo/config.toml", ".cargo/config"), ("--config",), _ASSIGNED),
    **dict.fromkeys(("npm", "pnpm"), SettingsOfManager((".npmrc",), ("--userconfig", "--globalconfig"), _ASSIGNED)),
    "yarn": SettingsOfManager((".yarnrc.yml", ".yarnrc", ".npmrc"), (), _ASSIGNED),
    **dict.fromkeys(("pip", "pip3"), _PIP),
    **dict.fromkeys(("uv", "poetry", "pdm"), _UV),
    **dict.fromkeys(("mvn", "mvnw"), _MVN),
    **dict.fromkeys(
        ("gradle", "gradlew"), SettingsOfManager(("build.gradle", "build.gradle.kts", "settings.gradle"), ("-I",), _GRADLE)
    ),
    "dotnet": SettingsOfManager(("nuget.config", "NuGet.Config", "NuGet.config"), ("--configfile",), _NUGET),
    **dict.fromkeys(("bundle", "bundler"), SettingsOfManager(("Gemfile", ".bundle/config"), (), _GEM)),
    **dict.fromkeys(("docker", "podman", "buildah"), _DOCKER),
}
_NOT_READING = frozenset(("config", "--version", "-v", "help", "--help", "run", "ps", "pull", "push", "exec", "logs", "images"))


def find_written_sources(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Operation]:
    """Yields the sources in settings that this call has written before it runs the program that reads them."""
    settings = _SETTINGS.get(name)
    words = [word.text or "" for word in argv[1:]]
    if settings is None or not words or words[0] in _NOT_READING:
        return
    named = [argv[n + 2] for n, word in enumerate(words[:-1]) if word in settings.options]
    home = [known_word(f"{context.home}/{file}") for file in settings.files]
    for path in named or [*map(known_word, settings.files), *home]:
        for text in context.read_alternatives(path):
            for found in settings.address.finditer(text.text or "") if text.src else ():
                address = next(filter(None, found.groups()))
                yield Operation("package.source", context.origin, known_word(address, text.src))
