"""Projects that a call fetches from a well-known forge or registry, and then builds, installs or tests.

Installing the package of the same address would run the same code.
"""

from toolgate.model.address import host_of
from toolgate.model.effect import Connect, Effects, Interpret, Run

KNOWN_HOSTS = (
    "pypi.org", "test.pypi.org", "files.pythonhosted.org", "download.pytorch.org", "pypi.nvidia.com", "conda.anaconda.org",
    "registry.npmjs.org", "registry.yarnpkg.com", "npm.pkg.github.com", "npm.jsr.io", "crates.io", "index.crates.io",
    "static.crates.io", "rubygems.org", "index.rubygems.org", "github.com", "codeload.github.com", "gitlab.com", "bitbucket.org",
    "cran.r-project.org", "cloud.r-project.org", "cran.rstudio.com", "packagemanager.posit.co", "bioconductor.org",
    "repo.maven.apache.org", "repo1.maven.org", "maven.google.com", "dl.google.com", "plugins.gradle.org", "api.nuget.org",
    "packagist.org", "repo.packagist.org", "hex.pm", "repo.hex.pm", "builds.hex.pm", "pub.dev", "proxy.golang.org",
    "goproxy.io", "goproxy.cn",
    "hackage.haskell.org", "opam.ocaml.org", "pkg.julialang.org", "luarocks.org", "www.cpan.org",
    "repo.anaconda.com", "repo.prefix.dev", "jsr.io", "cdn.cocoapods.org",
    "registry.npmmirror.com", "cdn.npmmirror.com", "pypi.tuna.tsinghua.edu.cn", "mirrors.tuna.tsinghua.edu.cn",
    "mirrors.ustc.edu.cn", "pypi.mirrors.ustc.edu.cn", "mirrors.aliyun.com", "maven.aliyun.com",
    "mirrors.cloud.tencent.com", "repo.huaweicloud.com",
    "mirrors.bfsu.edu.cn", "mirrors.sjtug.sjtu.edu.cn", "rsproxy.cn", "gems.ruby-china.com",
)  # fmt: skip
"""Registries of the ecosystems and their public mirrors, and the forges that projects are published on."""
_TREE_PROGRAMS = frozenset(("git", "gh", "glab", "hub", "tar", "bsdtar", "gtar", "unzip"))
"""Programs that write whole projects: a single file that is fetched by itself is no project."""


def is_built_project(code: Interpret, effects: Effects) -> bool:
    """Returns whether a program that builds, installs or tests a published project runs this code of it."""
    return code.of_project and is_of_published_project(code, effects)


def is_of_published_project(code: Interpret, effects: Effects) -> bool:
    """Returns whether code of unknown content belongs to a project that this call has cloned or unpacked from a well-known
    host."""
    return bool(code.file) and effects.derive(_FetchedProjects).is_published(code.code.src)


class _FetchedProjects:
    """What the commands of a call fetch, by the commands that a text comes from: a call may run many files of one project."""

    def __init__(self, effects: Effects) -> None:
        self._effects = effects
        self._known: dict[frozenset[int], bool] = {}

    def is_published(self, sources: frozenset[int]) -> bool:
        found = self._known.get(sources)
        if found is None:
            found = self._known[sources] = self._find_published(self._effects.commands_feeding(sources))
        return found

    def _find_published(self, commands: frozenset[int]) -> bool:
        targets = [each.target for each in self._effects.of_kind(Connect) if each.origin.command in commands]
        programs = {
            run.argv[0].text.rpartition("/")[2]
            for number in commands
            for run in self._effects.of_command(number)
            if isinstance(run, Run) and run.argv[0].text is not None
        }
        return (
            bool(targets)
            and not programs.isdisjoint(_TREE_PROGRAMS)
            and all(target.text is not None and host_of(target.text) in KNOWN_HOSTS for target in targets)
            and not any(target.starts_with("http://") for target in targets)
        )
