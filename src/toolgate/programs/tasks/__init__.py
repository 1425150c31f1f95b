"""Programs that run a project's own code: the files they load, and what those run.

GROWS: a kind of file is one module with its rows. MODULES names its programs. A program may have a row of a family, too: then
both apply.
"""

MODULES: dict[str, str] = {
    "code_files": "vite vitest storybook webpack webpack-dev-server rollup rspack rsbuild tsup unbuild esbuild babel postcss tailwindcss"
    " eslint prettier stylelint commitlint jest mocha ava jasmine karma playwright cypress wdio next nuxt nuxi astro svelte-kit remix"
    " gatsby docusaurus vitepress eleventy vue-cli-service ng expo metro react-native gulp grunt hardhat truffle drizzle-kit knex sequelize"
    " semantic-release release-it changelogen graphql-codegen size-limit esbuild-runner tsx ts-node"
    " nox invoke inv fab scons gunicorn locust sphinx-build sphinx alembic mkdocs behave conan celery uvicorn"
    " rake bundle rspec cucumber guard cap fastlane pod thor rackup puma jekyll vagrant"
    " phpunit phpstan psalm php-cs-fixer rector pest robo dep phinx"
    " node nodejs bun gradle gradlew mix iex elixir rebar3 sbt",
    "python_tests": "pytest py.test unittest",
    "python_builds": "pip pip3 build flit uv",
    "command_keys": "nodemon mprocs process-compose bacon air goreleaser cargo-make makers gitlab-ci-local gitlab-runner devbox pm2"
    " buildkite-agent bk drone woodpecker-cli woodpecker circleci bitrise cirrus fly conda mdbook tmuxinator tmuxp",
    "named_scripts": "poe taskipy pdm hatch rye pixi pipenv composer turbo nx lerna",
    "command_files": "tox doit pre-commit pre_commit lefthook husky overcommit foreman honcho overmind goreman hivemind nf forego shoreman ultraman heroku devcontainer meson terraform tofu dotnet msbuild",
    "build_tools": "cargo go mvn mvnw lint-staged bazel bazelisk debuild dpkg-buildpackage gbp sbuild pdebuild",
    "local_workflows": "act gh",
    "xml_builds": "ant",
    "cmake_files": "cmake ctest",
    "script_files": "nim nimble zig dart flutter rdmd dub v vlang runghc runhaskell stack cabal dotnet-script csi csharprepl fsharpi"
    " fsi jbang amm mill lein boot crystal gdb lldb vim vi ex view gvim nvim kak tmux byobu screen vhs cram shelltest"
    " doitlive bats shellspec quarto Rscript R runme mdsh emacs emacsclient treon runipy"
    " jupytext marimo snapcraft charmcraft rockcraft makepkg abuild ebuild bitbake rpmbuild"
    " rpmspec mock nix-shell nix-build nix-instantiate nix guix packer luarocks brew snakemake nextflow tilt buck"
    " buck2 plz please pants mage earthly waf premake5 xmake tup redo redo-ifchange redo-always shake b2 bjam qmake"
    " qmake6 qmake-qt5 gyp gyp.py node-gyp autoconf autoreconf autom4te aclocal asciidoctor asciidoctor-pdf latexmk"
    " pdflatex xelatex lualatex latex tex pdftex luatex luahbtex xetex procmail mutt neomutt salt-call salt-ssh"
    " puppet chef-client chef-apply chef-solo pyinfra matlab octave octave-cli scilab scilab-cli maxima gp swipl"
    " gprolog yap sage stata stata-mp stata-se sas ghci",
    "notebooks": "papermill ploomber jupyter-execute jupyter-run jupyter jupyter-nbconvert",
    "playbooks": "ansible-playbook ansible-pull",
    "compose_files": "docker podman nerdctl docker-compose podman-compose",
}
MODULE_OF_PROGRAM: dict[str, str] = {name: module for module, names in MODULES.items() for name in names.split()}
