"""Package registries: publishing and withdrawing packages."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, PrintedOutput, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, maybe_any
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program, program_name
from toolgate.programs.argv.subcommands import program_of_forms
from toolgate.programs.infrastructure.local_targets import unless_own_feed

from .sources import add_install_sources


def publish_by_verb(*verbs: str, dry: str = "-n,--dry-run") -> Program:
    """A package tool whose `verbs` publish something permanently. `dry`: its option for a trial."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        options = Flags(
            f"{dry} --allow-dirty -p,--package= --token= --registry= -r,--repository= -u,--username= --skip-existing -v,--verbose --yank --vers= -h,--help"
        ).parse(argv)
        action = maybe_any(word.is_any_of(*verbs) for word in options.operands[:1])
        if action is not False and options.has_flag("--help") is not True:
            yield Operation(
                "package.publish",
                context.origin,
                options.operands[-1],
                (("dry_run", options.has_flag("--dry-run")), ("removes", options.has_flag("--yank"))),
            )
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects)


_MAVEN = "-D= -P= -f,--file= -pl= -am -T= -B,--batch-mode -U -q,--quiet -X -e -o,--offline -ntp -s,--settings="


def publish_by_forms(forms: str, options: str = "", *, dry: str = "--dry-run=?", always: bool = False) -> Program:
    """A tool with subcommands that publish. `always`: every call publishes."""
    by_verb = unless_own_feed(program_of_forms({"package.publish": forms}, options, dry=dry))
    dry_names = tuple(name for token in dry.split() for name in token.partition("=")[0].split(","))

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        if {word.text for word in argv[1:]}.isdisjoint((*dry_names, "-h", "--help", "--version")):
            yield Operation("package.publish", context.origin, argv[0], (("dry_run", False), ("removes", False)))
        yield PrintedOutput(context.unknown_output(program_name(argv)))

    return Program(does=report_effects) if always else by_verb


ROWS: dict[str, Program] = {
    "cargo": add_install_sources(("install", "add"), publish_by_verb("publish", "yank", "owner")),
    "twine": publish_by_verb("upload"),
    "gem": add_install_sources(("install", "sources"), publish_by_verb("push", "yank", "owner")),
    "flit": publish_by_verb("publish"),
    **dict.fromkeys(
        ("mvn", "mvnw"),
        publish_by_forms("** deploy; ** deploy:deploy|deploy:deploy-file; ** release:perform|nexus-staging:release", _MAVEN),
    ),
    **dict.fromkeys(
        ("gradle", "gradlew"),
        publish_by_forms(
            "** publish|uploadArchives|publishPlugins|publishAllPublicationsTo*|publishToMavenCentral|publishToSonatype|publishAndRelease*|*:publish",
            "-P= -D= -p,--project-dir= -x= --info --stacktrace",
            dry="-m,--dry-run",
        ),
    ),
    "setup.py": publish_by_forms("** upload|register", "-r,--repository= -q -v"),
    "dart": publish_by_forms("pub publish|lish"),
    "flutter": publish_by_forms("pub|packages publish|pub"),
    "lein": publish_by_forms("deploy; release"),
    "conan": publish_by_forms("upload", "-r,--remote= -c,--confirm --all --only-recipe"),
    "cabal": publish_by_forms("upload", "--publish -d,--documentation -u= -p="),
    "stack": publish_by_forms("upload"),
    "opam": publish_by_forms("publish"),
    "luarocks": publish_by_forms("upload", "--api-key= --force"),
    "snapcraft": publish_by_forms("upload|push|release|promote"),
    "anaconda": publish_by_forms("upload|remove", "-t,--token= -u,--user="),
    "jsr": publish_by_forms("publish", "--allow-dirty --token="),
    "eas": program_of_forms(
        {
            "package.publish": "submit; update",
            "cloud.delete": "*:delete",
        },
        "-p,--platform= --profile= --latest --non-interactive",
    ),
    "fastlane": publish_by_forms(
        "deliver|supply|release|upload_to_app_store|upload_to_play_store; run deliver|supply|upload_to_app_store|upload_to_play_store; * release|deploy"
    ),
    "oras": publish_by_forms("push|attach; manifest delete; blob delete"),
    "nuget": publish_by_forms("push|delete", "-Source= -ApiKey= -s= -k="),
    "pod": publish_by_forms("trunk push|delete|deprecate; repo push", "--allow-warnings --verbose"),
    **dict.fromkeys(
        ("vsce", "ovsx"), publish_by_forms("publish|unpublish", "-p,--pat= -i,--packagePath= --pre-release -t,--target=")
    ),
    "goreleaser": publish_by_forms(
        "release", "-f,--config= --clean --rm-dist --timeout=", dry="--snapshot --skip-publish --skip=?"
    ),
    "semantic-release": publish_by_forms(
        "", "-b,--branches= -p,--plugins= -e,--extends= --no-ci --ci --debug", dry="-d,--dry-run", always=True
    ),
    "lerna": publish_by_forms("publish", "-y,--yes --conventional-commits --dist-tag=", dry=""),
    "changeset": publish_by_forms("publish", "--tag= --otp=", dry=""),
    "wxt": publish_by_forms("submit", "--chrome-zip= --firefox-zip= --edge-zip="),
    "web-ext": publish_by_forms("sign|submit", "-s,--source-dir= --api-key= --api-secret= --channel="),
    "chrome-webstore-upload": publish_by_forms("", dry="", always=True),
    "chrome-webstore-upload-cli": publish_by_forms("", dry="", always=True),
    **dict.fromkeys(
        ("release-it", "np"),
        publish_by_forms("", "--ci --any-branch --yolo", dry="--dry-run -d,--preview --release-version", always=True),
    ),
}
