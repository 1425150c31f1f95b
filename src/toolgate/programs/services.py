"""Package registries: publishing and withdrawing packages."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, some

from .options import Flags
from .program import Program, via
from .sources import installing
from .verbs import tool


def publisher(*verbs: str) -> Program:
    """A package tool whose `verbs` publish something permanently."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = Flags(
            "-n,--dry-run --allow-dirty -p,--package= --token= --registry= -r,--repository= -u,--username= --skip-existing -v,--verbose --yank --vers= -h,--help"
        ).read(argv)
        action = some(word.equals(*verbs) for word in given.operands[:1])
        if action is not False and given.flag("--help") is not True:
            yield Operation(
                "package.publish",
                seen.origin,
                given.operands[-1],
                (("dry_run", given.flag("--dry-run")), ("removes", given.flag("--yank"))),
            )
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


_MAVEN = "-D= -P= -f,--file= -pl= -am -T= -B,--batch-mode -U -q,--quiet -X -e -o,--offline -ntp -s,--settings="


def publishes(forms: str, options: str = "", *, dry: str = "--dry-run=?", always: bool = False) -> Program:
    """A tool with subcommands that publish. `always`: every call publishes."""
    by_verb = tool({"package.publish": forms}, options, dry=dry)
    dry_names = tuple(name for token in dry.split() for name in token.partition("=")[0].split(","))

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        if {word.text for word in argv[1:]}.isdisjoint((*dry_names, "-h", "--help", "--version")):
            yield Operation("package.publish", seen.origin, argv[0], (("dry_run", False), ("removes", False)))
        yield Prints(seen.output(via(argv)))

    return Program(does=does) if always else by_verb


ROWS: dict[str, Program] = {
    "cargo": installing(("install", "add"), publisher("publish", "yank", "owner")),
    "twine": publisher("upload"),
    "gem": installing(("install", "sources"), publisher("push", "yank", "owner")),
    "flit": publisher("publish"),
    **dict.fromkeys(
        ("mvn", "mvnw"),
        publishes("** deploy; ** deploy:deploy|deploy:deploy-file; ** release:perform|nexus-staging:release", _MAVEN),
    ),
    **dict.fromkeys(
        ("gradle", "gradlew"),
        publishes(
            "** publish|uploadArchives|publishPlugins|publishAllPublicationsTo*|publishToMavenCentral|publishToSonatype|publishAndRelease*|*:publish",
            "-P= -D= -p,--project-dir= -x= --info --stacktrace",
            dry="-m,--dry-run",
        ),
    ),
    "setup.py": publishes("** upload|register", "-r,--repository= -q -v"),
    "dart": publishes("pub publish|lish"),
    "flutter": publishes("pub|packages publish|pub"),
    "lein": publishes("deploy; release"),
    "conan": publishes("upload", "-r,--remote= -c,--confirm --all --only-recipe"),
    "cabal": publishes("upload", "--publish -d,--documentation -u= -p="),
    "stack": publishes("upload"),
    "opam": publishes("publish"),
    "luarocks": publishes("upload", "--api-key= --force"),
    "snapcraft": publishes("upload|push|release|promote"),
    "anaconda": publishes("upload|remove", "-t,--token= -u,--user="),
    "jsr": publishes("publish", "--allow-dirty --token="),
    "eas": tool(
        {
            "package.publish": "submit; update",
            "cloud.delete": "*:delete",
        },
        "-p,--platform= --profile= --latest --non-interactive",
    ),
    "fastlane": publishes("deliver|supply|release|upload_to_app_store|upload_to_play_store; * release|deploy"),
    "oras": publishes("push|attach; manifest delete; blob delete"),
    "nuget": publishes("push|delete", "-Source= -ApiKey= -s= -k="),
    "pod": publishes("trunk push|delete|deprecate; repo push", "--allow-warnings --verbose"),
    **dict.fromkeys(("vsce", "ovsx"), publishes("publish|unpublish", "-p,--pat= -i,--packagePath= --pre-release -t,--target=")),
    "goreleaser": publishes("release", "-f,--config= --clean --rm-dist --timeout=", dry="--snapshot --skip-publish --skip=?"),
    "semantic-release": publishes(
        "", "-b,--branches= -p,--plugins= -e,--extends= --no-ci --ci --debug", dry="-d,--dry-run", always=True
    ),
    "lerna": publishes("publish", "-y,--yes --conventional-commits --dist-tag=", dry=""),
    "changeset": publishes("publish", "--tag= --otp=", dry=""),
    **dict.fromkeys(
        ("release-it", "np"),
        publishes("", "--ci --any-branch --yolo", dry="--dry-run -d,--preview --release-version", always=True),
    ),
}
