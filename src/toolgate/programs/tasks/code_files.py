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
from toolgate.programs.argv.program import INFORMATION_OPTIONS, Program


class LoadRow(NamedTuple):
    """`files`: globs of what it always loads, from its working folder or the nearest parent with a match. `collected`: globs
    of the names it collects below that folder. `options`: options that name a file to load instead. `verbs`: the
    subcommands that load anything; all, if there is none."""

    files: tuple[str, ...]
    collected: tuple[str, ...] = ()
    options: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()


def load_code(row: LoadRow) -> Program:
    """Return a program that interprets the code that this row loads."""

    def report_effects(argv: tuple[Word, ...], seen: ExecutionContext) -> Iterator[ReportedEffect]:
        words = {word.text for word in argv[1:]}
        here = seen.resolve_place(known_word(".")).path
        if here is None or seen.site.machine != LOCAL or not words.isdisjoint(INFORMATION_OPTIONS):
            return
        if row.verbs and words.isdisjoint(row.verbs):
            return
        chosen = [value for value in _files_of_options(argv, row.options) if _language_of_file(value.tail) is not None]
        for file in chosen:
            yield from _interpret_file(file, display_path(file, here), seen)
        for path in () if chosen else _nearest_matches(row.files, here, seen):
            yield from _interpret_file(known_word(path), path, seen)
        for path in seen.list_written_files(here):
            pattern = next((each for each in row.collected if fnmatchcase(path.rpartition("/")[2], each)), None)
            if pattern is not None:
                of_test = _IS_TEST_PATTERN(pattern) is not None
                yield from (each._replace(of_test=of_test) for each in _interpret_file(known_word(path), path, seen))

    return Program(does=report_effects)


_IS_TEST_PATTERN = re.compile("test|spec|Test").search


def display_path(file: Word, here: str) -> str:
    """Return the path of a file from an option, for display."""
    return file.display_text if file.starts_with("/") is True else f"{here.rstrip('/')}/{file.display_text}"


def _files_of_options(argv: tuple[Word, ...], options: frozenset[str]) -> Iterator[Word]:
    for word, following in pairwise((*argv[1:], known_word(""))):
        name, attached, value = word.partition("=")
        if (name.text or "") in options:
            yield value if attached else following


def _nearest_matches(patterns: tuple[str, ...], here: str, seen: ExecutionContext) -> Iterator[str]:
    folder, top = here, seen.find_repository() or here
    while True:
        found = [
            path for pattern in patterns for path in _list_matches(folder, pattern, seen) if _language_of_file(path) is not None
        ]
        if found or folder in (top, "/"):
            yield from dict.fromkeys(found)
            return
        folder = folder.rpartition("/")[0] or "/"


def _list_matches(folder: str, pattern: str, seen: ExecutionContext) -> tuple[str, ...]:
    beneath = f"{folder.rstrip('/')}/"
    if "*" not in pattern:
        return (f"{beneath}{pattern}",) if seen.read_alternatives(known_word(f"{beneath}{pattern}")) else ()
    before, _, after = pattern.partition("*")
    return seen.list_files(
        Word((f"{beneath}{before}", glob_hole("*"), after) if after else (f"{beneath}{before}", glob_hole("*")))
    )


def _interpret_file(file: Word, path: str, seen: ExecutionContext) -> Iterator[Interpret]:
    """Interpret a file's code, once per possible content. Unread code is Opaque; unknown content that this call wrote is its
    own code."""
    language = _language_of_file(file.tail)
    name = path.rpartition("/")[2]
    for text in seen.read_followed_code(file) if language is not None else ():
        if text.text is not None or text.src:
            yield Interpret(language or "", text, seen.origin, via=Carrier(name), file=path)


def _language_of_file(path: str) -> str | None:
    """Return the language of a file by its name; None for data."""
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    return _BY_ENDING.get(name.rpartition(".")[2]) if "." in name else None


_BY_ENDING = {
    **dict.fromkeys("js mjs cjs ts mts cts jsx tsx".split(), "javascript"),
    **dict.fromkeys("rb gemspec ru".split(), "ruby"),
    **dict.fromkeys("gradle groovy kts sbt".split(), "jvm"),
    **dict.fromkeys("ex exs".split(), "beam"),
    "py": "python",
    "php": "php",
    "go": "go",
    "rs": "rust",
}
_BY_NAME = {
    **dict.fromkeys(
        "Rakefile Gemfile Guardfile Capfile Fastfile Podfile Thorfile Vagrantfile Brewfile Berksfile".split(), "ruby"
    ),
    **dict.fromkeys("SConstruct SConscript wscript".split(), "python"),
}


# ---- the table: programs | files always loaded | files collected | options that name the file | subcommands

_TABLE = """
vite vitest storybook | vite.config.* vitest.config.* vitest.setup.* .storybook/main.* | *.test.* *.spec.* | -c --config
webpack webpack-dev-server | webpack.config.* | | -c --config
rollup | rollup.config.* | | -c --config
rspack | rspack.config.* | | -c --config
rsbuild | rsbuild.config.* | | -c --config
tsup | tsup.config.* | | --config
unbuild | build.config.*
esbuild esbuild-runner | esbuild.config.*
babel | babel.config.* .babelrc.* | | --config-file
postcss | postcss.config.* .postcssrc.* | | --config
tailwindcss | tailwind.config.* postcss.config.* | | -c --config
eslint | eslint.config.* .eslintrc.* | | -c --config
prettier | prettier.config.* .prettierrc.* | | --config
stylelint | stylelint.config.* .stylelintrc.* | | --config
commitlint | commitlint.config.* .commitlintrc.* | | --config
jest | jest.config.* jest.setup.* babel.config.* | *.test.* *.spec.* | -c --config
mocha | .mocharc.* | *.test.* *.spec.* | --config --require -r
ava jasmine | ava.config.* | *.test.* *.spec.*
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
nox | noxfile.py | | -f --noxfile
invoke inv | tasks.py tasks/__init__.py
fab | fabfile.py fabfile/__init__.py
scons | SConstruct | SConscript | -f --file
doit | dodo.py | | -f --file
gunicorn | gunicorn.conf.py | | -c --config
locust | locustfile.py | | -f --locustfile
sphinx-build | conf.py docs/conf.py docs/source/conf.py
alembic | alembic/env.py migrations/env.py
behave | features/environment.py | *.py
waf | wscript
conan | conanfile.py
celery | celeryconfig.py
rake | Rakefile rakefile.rb Rakefile.rb | *.rake | -f --rakefile
bundle | Gemfile | *.gemspec
rspec | spec/spec_helper.rb spec/rails_helper.rb | *_spec.rb | -r --require
cucumber | features/support/env.rb | *.rb
guard | Guardfile
cap | Capfile config/deploy.rb
fastlane | fastlane/Fastfile Fastfile
pod | Podfile | *.podspec
thor | Thorfile
rackup | config.ru
puma | config/puma.rb config.ru | | -C --config
jekyll | | _plugins.rb
vagrant | Vagrantfile | | | up provision reload destroy validate ssh
phpunit pest | tests/bootstrap.php tests/Pest.php | *Test.php | --bootstrap
phpstan psalm | phpstan-bootstrap.php
php-cs-fixer | .php-cs-fixer.php .php-cs-fixer.dist.php | | --config
rector | rector.php | | -c --config
robo | RoboFile.php
dep | deploy.php | | -f --file
phinx | phinx.php | | -c --configuration
cargo | build.rs | *.rs | | build b run r test t check c bench clippy doc install publish package
go | | *.go | | test run generate build install vet
gradle gradlew | build.gradle build.gradle.kts settings.gradle settings.gradle.kts init.gradle | *.gradle *.kts | -b --build-file -I --init-script
mix | mix.exs config/config.exs | *.exs
rebar3 | rebar.config.script
sbt | build.sbt project/plugins.sbt | *.scala
mkdocs snakemake uvicorn | | hooks.py
"""


def _parse_table(table: str) -> Iterator[tuple[str, LoadRow]]:
    for line in table.strip().splitlines():
        names, files, collected, options, verbs = [cell.split() for cell in f"{line}||||".split("|")[:5]]
        row = LoadRow(tuple(files), tuple(collected), frozenset(options), frozenset(verbs))
        yield from ((name, row) for name in names)


LOADS: dict[str, LoadRow] = dict(_parse_table(_TABLE))
ROWS: dict[str, Program] = {name: load_code(row) for name, row in LOADS.items()}
