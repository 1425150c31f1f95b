"""WordPress's command line: resets, PHP that runs inside a site, and accounts that may do everything."""

import re
from collections.abc import Iterator

from toolgate.locality import has_local_settings, is_in_development, is_local_host
from toolgate.model.address import host_of
from toolgate.model.effect import Interpret, Operation, ReportedEffect, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, combine_programs, make_carrier
from toolgate.programs.argv.subcommands import match_forms, parse_forms
from toolgate.temporary_folders import is_temporary_path

from .frameworks import reset_program

_OPTIONS = (
    "--path= --url= --ssh= --http= --user= --require= --exec= --context= --skip-plugins=? --skip-themes=? --allow-root --yes"
    " --force --role= --format= --quiet --debug=? --color --use-include --network --porcelain"
)
_FLAGS = Flags(_OPTIONS)
_RIGHTS = parse_forms(
    {
        "cloud.delete": "user create|update ** --role=administrator; user set-role|add-role * administrator; super-admin add;"
        " option update|set|add users_can_register 1; option update|set|add default_role administrator"
    }
)
"""Subcommands that let somebody do everything, or anybody register."""
_KEPT = ("post", "user", "comment", "term", "media", "site", "menu")
_CARRIERS = ("docker", "docker-compose", "vagrant")
"""Schemes of `--ssh` that lead into a container of this machine."""
_LOCAL_DOMAINS = (".test", ".local", ".localhost", ".ddev.site", ".lndo.site", ".wip", ".invalid")
_SETTINGS = ("wp-config.php", "wp-config-local.php", ".env", ".env.local")
_WIDENS_RIGHTS = re.compile(
    r"(?i)->\s*(?:set|add)_role\s*\(\s*['\"]administrator|['\"]role['\"]\s*=>\s*['\"]administrator|\bgrant_super_admin\s*\("
    r"|\bupdate_(?:site_)?option\s*\(\s*['\"](?:users_can_register['\"]\s*,\s*(?:['\"]?1|true)|default_role['\"]\s*,\s*['\"]administrator)"
)
"""Matches PHP that makes an account an administrator, or opens the registration."""


def report_site_calls(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the PHP that `wp eval` and `wp shell` run inside the site, and what a call changes at a site of others."""
    options = _FLAGS.parse((*argv[:1], *_read_site_options(argv, context), *argv[1:]))
    is_local = _is_local_site(options, context)
    codes = _list_codes(_list_operands(options), context)
    for code, file in codes:
        via, site = make_carrier(argv, "eval"), _find_server(options)
        yield Interpret("php", code, context.origin, via=via, site=site, file=file, of_test=is_local)
    if is_local or not _leads_elsewhere(options, context):
        return
    for _, target in match_forms(_RIGHTS, options, len(options.operands) - len(_list_operands(options))):
        yield Operation("cloud.delete", context.origin, target, (("rights", True),))
    if any(_WIDENS_RIGHTS.search(code.outline) for code, _ in codes):
        yield Operation("cloud.delete", context.origin, known_word("what accounts may do"), (("rights", True),))
    if _deletes_listed(_list_operands(options)):
        flags = (("disposable", False), ("local", False))
        yield Operation("database.delete", context.origin, known_word("everything that was listed"), flags)


def _read_site_options(argv: tuple[Word, ...], context: ExecutionContext) -> list[Word]:
    """Returns the options that `wp-cli.yml` sets, unless the call names a site itself."""
    if any(word.starts_with("@") is True or word.head.partition("=")[0] in _SITE_OPTIONS for word in argv[1:]):
        return []
    found: list[Word] = []
    for file in _SETTINGS_OF_TOOL:
        for text in context.read_alternatives(known_word(file)):
            found += [known_word(f"--{match['name']}={match['value']}") for match in _SETTING.finditer(text.text or "")]
    return found


_SITE_OPTIONS = ("--ssh", "--url", "--http", "--path")
_SETTINGS_OF_TOOL = ("wp-cli.yml", "wp-cli.local.yml")
_SETTING = re.compile(r"^(?P<name>ssh|url|http):[ \t]*[\"']?(?P<value>[^\s\"'#]+)", re.MULTILINE)


def _list_operands(options: ParsedOptions) -> list[Word]:
    """Returns the operands without the alias of a site."""
    return [word for word in options.operands if word.starts_with("@") is not True]


def _list_codes(operands: list[Word], context: ExecutionContext) -> list[tuple[Word, str]]:
    """Returns the PHP that a call runs, with the file of each."""
    verb, file = [word.text for word in operands[:1]], operands[1:2]
    if verb == ["eval"]:
        return [(word, "") for word in file]
    if verb == ["eval-file"] and file and file[0].text not in ("-", "/dev/stdin"):
        return [(code, file[0].display_text) for code in context.read_alternatives(file[0])]
    return [(context.stdin, "")] if verb in (["eval-file"], ["shell"]) and context.stdin.parts else []


def _deletes_listed(operands: list[Word]) -> bool:
    """Returns whether a call deletes what another command listed: `wp post delete $(wp post list --format=ids)`."""
    names = [word.text for word in operands[:2]]
    is_deletion = names[:1] != [None] and names[1:] == ["delete"] and names[0] in _KEPT
    return is_deletion and any(word.text is None for word in operands[2:])


def _find_server(options: ParsedOptions) -> Site | None:
    server = options.value_of("--ssh")
    return None if server is None or _is_container(server) else Site(f"ssh:{server.display_text}")


def _is_container(server: Word) -> bool:
    return server.head.partition(":")[0] in _CARRIERS


def _iter_names(options: ParsedOptions) -> Iterator[str]:
    """Yields the hosts of the site, and its alias."""
    yield from (host_of(url.outline) for option in ("--url", "--http") for url in options.values_of(option))
    yield from (word.outline.removeprefix("@") for word in options.operands[:1] if word.starts_with("@") is True)
    yield from (host_of(server.outline) for server in options.values_of("--ssh") if not _is_container(server))


def _names_local_site(name: str, context: ExecutionContext) -> bool:
    return is_local_host(name, context) or name.endswith(_LOCAL_DOMAINS) or is_in_development(name)


def _leads_elsewhere(options: ParsedOptions, context: ExecutionContext) -> bool:
    """Returns whether others use the site: it is on a server, or its address is no name of this machine."""
    return context.site.machine != LOCAL or not all(_names_local_site(name, context) for name in _iter_names(options))


def _is_local_site(options: ParsedOptions, context: ExecutionContext) -> bool:
    """Returns whether the site is this machine's own, by its address, its folder or its settings."""
    if _leads_elsewhere(options, context):
        return False
    folders = list(options.values_of("--path"))
    is_named = any(True for _ in _iter_names(options)) or any(map(_is_container, options.values_of("--ssh")))
    is_temporary = bool(folders) and all(is_temporary_path(folder, context) for folder in folders)
    return is_named or is_temporary or (not folders and has_local_settings(_SETTINGS, context))


ROWS: dict[str, Program] = {
    "wp": combine_programs(
        reset_program("db reset|drop|clean; site empty|delete", "--path= --url= --ssh= --user= --allow-root --yes"),
        Program(does=report_site_calls),
    )
}
