"""Programs that load code of the project: configuration written in code, build scripts, and collected tests.

Code that a program always loads is read. Of the files it collects (tests, sources), those are read that this call or an
earlier one of its session has written: a whole suite is too much to read for each run.
"""

import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise
from typing import NamedTuple

from toolgate.model.effect import Carrier, Interpret, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import Word, glob_hole, known_word
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program, combine_programs, program_name

from . import MODULES
from .referenced_files import find_referenced_files, select_section
from .source_programs import MAIN_CLASS


class LoadRow(NamedTuple):
    """`files`: globs of what it always loads, from its working folder or the nearest parent with a match. `collected`: globs
    of the names it collects below that folder. `options`: options that name a file to load instead. `verbs`: the
    subcommands that load anything; all, if there is none. `naming`: configuration whose words may name code to load, such as
    the value of `jest` in `package.json#jest`. `preloads`: options that name code to load besides."""

    files: tuple[str, ...]
    collected: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    naming: tuple[str, ...] = ()
    preloads: frozenset[str] = frozenset()

    @property
    def runs_tests(self) -> bool:
        """Whether this is the row of a test runner, by the names of what it collects or loads."""
        return any(map(_IS_TEST_PATTERN, (*self.collected, *self.files)))


def load_code(row: LoadRow) -> Program:
    """Returns a program that interprets the code that this row loads."""

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        runs_tests = row.runs_tests
        files = _find_environment_files(row, argv, context) if runs_tests else ()
        for code in _interpret_loaded_code(row, argv, context):
            yield code._replace(of_test=code.of_test or runs_tests, environment_files=files)

    return Program(does=report_effects)


_LOADS_ENVIRONMENT = "dotenv/config"


def _find_environment_files(row: LoadRow, argv: tuple[Word, ...], context: ExecutionContext) -> tuple[Word, ...]:
    """Returns the environment file that tests run with: `setupFiles: ["dotenv/config"]`, `mocha -r dotenv/config`."""
    here = context.resolve_place(known_word(".")).path
    found = list(_find_configurations(row.naming, here, context)) if here is not None else []
    texts = [text.text or "" for path in found for text in context.read_alternatives(known_word(path.partition("#")[0]))]
    is_loaded = any(_LOADS_ENVIRONMENT in text for text in (*texts, *(word.text or "" for word in argv)))
    return (known_word(".env"),) if is_loaded else ()


def _interpret_loaded_code(row: LoadRow, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[Interpret]:
    """Interprets the code that a row loads with a command line."""
    words = {word.text for word in argv[1:]}
    here = context.resolve_place(known_word(".")).path
    if here is None or context.site.machine != LOCAL or not words.isdisjoint(INFORMATION_OPTIONS):
        return
    if row.verbs and words.isdisjoint(row.verbs):
        return
    values = list(_values_of_options(argv, row.options))
    chosen = [value for value in values if _language_of_file(value.tail) is not None]
    for file in chosen:
        yield from _interpret_file(file, display_path(file, here), context)
    paths = [] if chosen else list(_nearest_matches(row.files, here, context))
    if row.naming:
        configurations = [display_path(value, here) for value in values] or _find_configurations(row.naming, here, context)
        paths += [path for each in configurations for path in _find_named_code(each, context)]
    for path in dict.fromkeys(paths):
        for code in _interpret_file(known_word(path), path, context):
            yield _pass_arguments(code, argv)
    for file in _values_of_options(argv, row.preloads):
        path_of_code = _complete_name(file, context)
        if context.read_alternatives(path_of_code):
            yield from _interpret_file(path_of_code, display_path(path_of_code, here), context)
    named = [(file, display_path(file, here)) for file in _find_operands(argv)] if row.collected else []
    written = [(known_word(path), path) for path in context.list_written_files(here)]
    collected = (each for each in written if _find_pattern(row, each[1]) is not None)
    for path, file in {path: file for file, path in (*named, *collected)}.items():
        of_test = _IS_TEST_PATTERN(_find_pattern(row, path) or "") is not None
        yield from (each._replace(of_test=of_test) for each in _interpret_file(file, path, context))


def _pass_arguments(code: Interpret, argv: tuple[Word, ...]) -> Interpret:
    """Returns code with the command line that names the tasks which run, if its program has tasks."""
    if _declares_tasks(code, argv):
        return code._replace(of_project=False, args=argv)
    return code._replace(args=argv) if program_name(argv) in ("rake", "gradle", "gradlew") else code


_TASK_PROGRAMS = ("fab", "invoke", "inv", "nox")
"""Programs whose arguments name the functions of the file that run."""
_TASK_DECLARATION = re.compile(r"^[ \t]*@(?:\w+\.)?(?:task|session)\b", re.MULTILINE)


def _declares_tasks(code: Interpret, argv: tuple[Word, ...]) -> bool:
    """Returns whether only declared functions can be run. Without a declaration, old versions of Fabric run any function."""
    return program_name(argv) in _TASK_PROGRAMS and _TASK_DECLARATION.search(code.code.text or "") is not None


def _find_pattern(row: LoadRow, path: str) -> str | None:
    """Returns the pattern by which a program collects a file."""
    return next((each for each in row.collected if _matches_end(path, each)), None)


def _matches_end(path: str, pattern: str) -> bool:
    """Returns whether the last parts of a path, as many as the pattern has, match it."""
    return fnmatchcase("/".join(path.split("/")[-pattern.count("/") - 1 :]), pattern)


_IS_TEST_PATTERN = re.compile(r"(?<![a-z])(?:test|spec)|Test|\[sS\]pec|features/").search


def display_path(file: Word, here: str) -> str:
    """Returns the path of a file from an option, for display."""
    return file.display_text if file.starts_with("/") is True else f"{here.rstrip('/')}/{file.display_text}"


def _find_operands(argv: tuple[Word, ...]) -> Iterator[Word]:
    """Yields the words that may name a test file: `tests/test_a.py::test_one`, `spec/a_spec.rb:12`."""
    for word in argv[1:]:
        name = _AFTER_FILE.sub("", word.text or "")
        if _language_of_file(name) is not None and not name.startswith("-"):
            yield known_word(name, word.src)


_AFTER_FILE = re.compile(r"(?:::?.*|\[.*)$")


def _complete_name(file: Word, context: ExecutionContext) -> Word:
    """Returns the file that a name means to a module loader: itself, or with an ending."""
    for ending in ("", ".js", ".cjs", ".rb"):
        full = file + known_word(ending)
        if _language_of_file(full.tail) is not None and context.read_alternatives(full):
            return full
    return file


def _find_configurations(names: tuple[str, ...], here: str, context: ExecutionContext) -> Iterator[str]:
    """Yields the nearest of these files, each with the key in it that matters: `/project/package.json#jest`."""
    keys = {name.partition("#")[0]: name.partition("#")[2] for name in names}
    folder, top = here, context.find_repository() or here
    while True:
        found = [path for name in keys for path in _list_matches(folder, name, context)]
        yield from (f"{path}#{keys.get(path.rpartition('/')[2], '')}".rstrip("#") for path in found)
        if found or folder in (top, "/"):
            return
        folder = folder.rpartition("/")[0] or "/"


def _find_named_code(configuration: str, context: ExecutionContext) -> Iterator[str]:
    path = configuration.partition("#")[0]
    for text in context.read_alternatives(known_word(path)):
        _, section = select_section(configuration, text.text or "")
        folder = path.rpartition("/")[0]
        yield from find_referenced_files(section, folder, context)


def _values_of_options(argv: tuple[Word, ...], options: frozenset[str]) -> Iterator[Word]:
    for word, following in pairwise((*argv[1:], known_word(""))):
        name, attached, value = word.partition("=")
        if (name.text or "") in options:
            yield value if attached else following


def _nearest_matches(patterns: tuple[str, ...], here: str, context: ExecutionContext) -> Iterator[str]:
    folder, top = here, context.find_repository() or here
    while True:
        found = [
            path
            for pattern in patterns
            for path in _list_matches(folder, pattern, context)
            if _language_of_file(path) is not None
        ]
        if found or folder in (top, "/"):
            yield from dict.fromkeys(found)
            return
        folder = folder.rpartition("/")[0] or "/"


def _list_matches(folder: str, pattern: str, context: ExecutionContext) -> tuple[str, ...]:
    beneath = f"{folder.rstrip('/')}/"
    if pattern.startswith("*/"):
        inside = context.list_files(Word((beneath, glob_hole("*"))))
        return tuple(path for each in inside for path in _list_matches(each, pattern[2:], context))
    if "*" not in pattern:
        return (f"{beneath}{pattern}",) if context.read_alternatives(known_word(f"{beneath}{pattern}")) else ()
    before, _, after = pattern.partition("*")
    return context.list_files(
        Word((f"{beneath}{before}", glob_hole("*"), after) if after else (f"{beneath}{before}", glob_hole("*")))
    )


def _interpret_file(file: Word, path: str, context: ExecutionContext) -> Iterator[Interpret]:
    """Interprets a file's code, once per possible content. Unread code is Opaque; unknown content that this call wrote is its
    own code."""
    language = _language_of_file(file.tail)
    name = path.rpartition("/")[2]
    for text in context.read_followed_code(file) if language is not None else ():
        if text.text is not None or text.src:
            yield Interpret(language or "", text, context.origin, via=Carrier(name), file=path, of_project=True)


def _language_of_file(path: str) -> str | None:
    """Returns the language of a file by its name; None for data."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    if name.endswith(".gradle.kts"):
        return "gradle"
    return _BY_ENDING.get(name.rpartition(".")[2]) if "." in name else None


_BY_ENDING = {
    **dict.fromkeys("js mjs cjs ts mts cts jsx tsx".split(), "javascript"),
    **dict.fromkeys("rb gemspec ru".split(), "ruby"),
    **dict.fromkeys("groovy kts sbt".split(), "jvm"),
    "gradle": "gradle",
    **dict.fromkeys("ex exs".split(), "beam"),
    "py": "python",
    "php": "php",
    "go": "go",
    "rake": "ruby",
    "rs": "rust",
}
_BY_NAME = {
    **dict.fromkeys(
        "Rakefile Gemfile Guardfile Capfile Fastfile Podfile Thorfile Vagrantfile Brewfile Berksfile".split(), "ruby"
    ),
    **dict.fromkeys("SConstruct SConscript wscript".split(), "python"),
}


# ---- the table: programs | files always loaded | files collected | options that name the file | subcommands
#      | configuration that names code | options that name code to load besides

_TABLE = """
vite storybook | vite.config.* postcss.config.* .storybook/main.* | | -c --config
vitest | vite.config.* vitest.config.* vitest.setup.* | *.test.* *.spec.* | -c --config | | vite.config.* vitest.config.* vitest.workspace.*
webpack webpack-dev-server | webpack.config.* babel.config.* postcss.config.* | | -c --config
rollup | rollup.config.* | | -c --config | | | -p --plugin
rspack | rspack.config.* | | -c --config
rsbuild | rsbuild.config.* | | -c --config
tsup | tsup.config.* | | --config
unbuild | build.config.*
esbuild esbuild-runner | esbuild.config.*
babel | babel.config.* .babelrc.* | | --config-file | | babel.config.json .babelrc .babelrc.json package.json#babel | --plugins --presets
postcss | postcss.config.* .postcssrc.* | | --config | | .postcssrc .postcssrc.json package.json#postcss | -u --use
tailwindcss | tailwind.config.* postcss.config.* | | -c --config
eslint | eslint.config.* .eslintrc.* | | -c --config | | .eslintrc .eslintrc.json .eslintrc.yml package.json#eslintConfig | -f --format --rulesdir
prettier | prettier.config.* .prettierrc.* | | --config | | .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.toml package.json#prettier | --plugin
stylelint | stylelint.config.* .stylelintrc.* | | --config | | .stylelintrc .stylelintrc.json .stylelintrc.yaml package.json#stylelint | --custom-formatter --custom-syntax
tsx ts-node | | | | | | -r --require --import --loader
commitlint | commitlint.config.* .commitlintrc.* | | --config
jest | jest.config.* jest.setup.* babel.config.* | *.test.* *.spec.* __tests__/* | -c --config | | jest.config.* package.json#jest | --setupFilesAfterEnv --globalSetup --reporters
mocha | .mocharc.* | *.test.* *.spec.* *.js *.mjs *.cjs *.ts | --config | | .mocharc.* package.json#mocha | --require -r --file
ava | ava.config.* | *.test.* *.spec.* *.js *.mjs *.ts | --config | | package.json#ava ava.config.*
jasmine | spec/support/jasmine.js spec/support/jasmine.mjs spec/helpers/*.js | *[sS]pec.* | --config | | spec/support/jasmine.json | --helper --require
karma | karma.conf.* | *.test.* *.spec.*
playwright | playwright.config.* | *.test.* *.spec.* | -c --config
cypress | cypress.config.* | *.cy.* | -C --config-file
wdio | wdio.conf.* | *.test.* *.spec.*
next | next.config.* postcss.config.* tailwind.config.* instrumentation.*
nuxt nuxi | nuxt.config.*
astro | astro.config.* | | --config
svelte-kit | svelte.config.* vite.config.*
remix | remix.config.* vite.config.*
gatsby | gatsby-config.* gatsby-node.*
docusaurus | docusaurus.config.* | | --config
vitepress | .vitepress/config.*
eleventy | .eleventy.* eleventy.config.* | | --config
vue-cli-service | vue.config.* babel.config.*
ng | | *.spec.ts
expo metro react-native | metro.config.* babel.config.* app.config.* | | --config
gulp | gulpfile.* | | -f --gulpfile
grunt | Gruntfile.* gruntfile.* | | --gruntfile
hardhat | hardhat.config.* | | --config
truffle | truffle-config.* | | --config
drizzle-kit | drizzle.config.* | | --config
knex | knexfile.* | | --knexfile
sequelize | .sequelizerc.*
lint-staged | lint-staged.config.* .lintstagedrc.* | | -c --config
semantic-release | release.config.* .releaserc.*
release-it | .release-it.* | | -c --config
changelogen | changelog.config.*
graphql-codegen | codegen.* | | -c --config
size-limit | .size-limit.*
pytest py.test | conftest.py tests/conftest.py test/conftest.py | test_*.py *_test.py conftest.py
unittest | | test*.py
nox | noxfile.py | | -f --noxfile
invoke inv | tasks.py tasks/__init__.py
fab | fabfile.py fabfile/__init__.py
scons | SConstruct site_scons/site_init.py SConscript | SConscript | -f --file
gunicorn | gunicorn.conf.py | | -c --config
locust | locustfile.py | | -f --locustfile
sphinx-build sphinx | conf.py docs/conf.py docs/source/conf.py doc/conf.py
alembic | alembic/env.py migrations/env.py
behave | features/environment.py features/steps/*.py | *.py
conan | conanfile.py
celery | celeryconfig.py
rake | Rakefile rakefile.rb Rakefile.rb rakelib/*.rake | *.rake | -f --rakefile | | | -r --require
bundle | Gemfile *.gemspec | *.gemspec | --gemfile
rspec | spec/spec_helper.rb spec/rails_helper.rb | *_spec.rb | | | .rspec | -r --require
cucumber | features/support/env.rb | *.rb
guard | Guardfile
cap | Capfile config/deploy.rb
fastlane | fastlane/Fastfile Fastfile
pod | Podfile | *.podspec
thor | Thorfile
rackup | config.ru
puma | config/puma.rb config.ru | | -C --config
jekyll | _plugins/*.rb
vagrant | Vagrantfile | | | up provision reload destroy validate ssh
phpunit pest | tests/bootstrap.php tests/Pest.php | *Test.php | | | phpunit.xml phpunit.xml.dist phpunit.dist.xml | --bootstrap --prepend
phpstan psalm | phpstan-bootstrap.php | | -c --configuration | | phpstan.neon phpstan.neon.dist psalm.xml | -a --autoload-file
php-cs-fixer | .php-cs-fixer.php .php-cs-fixer.dist.php | | --config
rector | rector.php | | -c --config
robo | RoboFile.php
dep | deploy.php | | -f --file
phinx | phinx.php | | -c --configuration
node nodejs | | *.test.[cm]js *.test.js *-test.js *_test.js test-*.js test/*.js test/*.mjs test/*.cjs | | --test
bun | | *.test.* *.spec.* *_test.* *_spec.* | | | bunfig.toml | -r --preload
cargo | build.rs */build.rs | *.rs | | build b run r test t check c bench clippy doc install publish package | Cargo.toml
go | | *.go | | test run generate build install
gradle gradlew | build.gradle build.gradle.kts settings.gradle settings.gradle.kts buildSrc/build.gradle buildSrc/build.gradle.kts */build.gradle */build.gradle.kts | *.gradle *.kts | | | build.gradle build.gradle.kts settings.gradle settings.gradle.kts | -I --init-script -b --build-file
mix | mix.exs config/config.exs | *.exs
iex elixir | mix.exs config/config.exs .iex.exs | *.exs | | mix
rebar3 | rebar.config.script
sbt | build.sbt project/plugins.sbt | *.scala
mkdocs | | hooks.py | -f --config-file | build serve gh-deploy | mkdocs.yml mkdocs.yaml
uvicorn | | hooks.py
"""


def _parse_table(table: str) -> Iterator[tuple[str, LoadRow]]:
    for line in table.strip().splitlines():
        names, files, collected, options, verbs, naming, preloads = [cell.split() for cell in f"{line}||||||".split("|")[:7]]
        row = LoadRow(tuple(files), tuple(collected), frozenset(options), frozenset(verbs), tuple(naming), frozenset(preloads))
        yield from ((name, row) for name in names)


LOADS: dict[str, LoadRow] = dict(_parse_table(_TABLE))
_LOADED_FILES = sorted({name.partition("*") for row in LOADS.values() for name in row.files})
_LOADED_NAMES = frozenset(start for start, glob, _ in _LOADED_FILES if not glob)
_SLASHES = range(1 + max(start.count("/") for start, _, _ in _LOADED_FILES))
_LOADED_STARTS = [
    tuple(start for start, glob, end in _LOADED_FILES if glob and not end and start.count("/") == n) for n in _SLASHES
]
_LOADED_ENDS = [[(start, end) for start, _, end in _LOADED_FILES if end and start.count("/") == n] for n in _SLASHES]


def language_of_loaded_file(path: str) -> str | None:
    """Returns the language of a file that a program of the table loads whenever it works on the project; None for others."""
    language = _language_of_file(path)
    if language is None:
        return None
    parts = path.split("/")
    for slashes in _SLASHES:
        name = "/".join(parts[-slashes - 1 :])
        if name in _LOADED_NAMES or name.startswith(_LOADED_STARTS[slashes]):
            return language
        if any(name.startswith(start) and name.endswith(end) for start, end in _LOADED_ENDS[slashes]):
            return language
    return None


_OWN_NAMES = MODULES["code_files"].split()
ROWS: dict[str, Program] = {name: load_code(row) for name, row in LOADS.items() if name in _OWN_NAMES}
ROWS |= {name: combine_programs(ROWS[name], MAIN_CLASS) for name in ("gradle", "gradlew")}
