"""What tells that a call of a server nobody knows changes nothing that others rely on.

Harmful acts of unknown servers have as many names as there are trades. Harmless ones say so: they write a note, a draft or a tag,
are somebody's own, a test or on this machine, or come from the tools with which software, texts and pictures are made.
"""

import re
from collections.abc import Iterable

from toolgate.model.address import host_of, is_loopback

from .names import split_words

Leaves = list[tuple[str, object]]
_FAMILIAR_SERVERS = frozenset(
    (
        "git github gitlab bitbucket gitea forgejo perforce svn mercurial filesystem fs ide vscode jetbrains idea eclipse "
        "cursor serena lsp language nx turborepo npm pypi cargo maven gradle code repl python node go gopls dart ocaml rust "
        "java shell terminal desktop commander tmux ssh jupyter notebook colab xcode xcodebuild ios android adb simulator "
        "emulator expo flutter ghidra ida gdb lldb wireshark postman openapi swagger semgrep sonarqube sonar snyk trivy eslint "
        "storybook chromatic testrail laravel rails django svelte next nuxt memory knowledge sequential thinking context "
        "deepwiki fetch search brave exa tavily perplexity firecrawl wikipedia arxiv zotero nasa docs documentation time "
        "weather maps taskmaster wolfram calculator math playwright puppeteer browser chrome devtools selenium figma canva miro "
        "excalidraw drawio mermaid lucid sketch penpot blender unity unreal godot roblox minecraft ableton lightroom photoshop "
        "gimp davinci qgis spotify elevenlabs replicate comfyui image pdf word excel powerpoint notion obsidian linear jira "
        "confluence atlassian asana trello clickup monday todoist ticktick airtable coda evernote logseq google workspace "
        "gdrive drive sheets calendar gmail outlook office onedrive sharepoint dropbox slack discord teams telegram zendesk "
        "intercom freshdesk hubspot salesforce wordpress ghost contentful sanity strapi email mail postgres postgresql mysql "
        "mariadb sqlite mongodb mongo redis valkey duckdb bigquery snowflake databricks clickhouse supabase neon planetscale "
        "firebase firestore dynamodb elasticsearch opensearch pinecone qdrant chroma weaviate milvus neo dbt airflow dagster "
        "prefect kafka rabbitmq database db dbhub sql huggingface hf wandb mlflow langsmith ollama openai docker podman "
        "kubernetes k kubectl helm aws awslabs gcp gcloud azure terraform pulumi vercel netlify cloudflare heroku railway "
        "render digitalocean smarthome smartthings hue sentry datadog grafana newrelic posthog amplitude mixpanel loki "
        "prometheus home homeassistant ros n zapier make stripe paypal square shopify twilio composio rube toolbox evm solana "
        "foundry hardhat ci jenkins buildkite circleci teamcity devops devserver crowdin lokalise weblate transifex phrase"
    ).split()
)
"""Words in the names of servers whose tools are judged by their verbs alone. GROWS: a word for each."""
_MARKS = frozenset(
    (
        "note notes comment comments remark memo annotation annotations log journal diary entry draft drafts outline sketch "
        "glossary glossar suggestion proposal description label labels tag tags keyword keywords title rename category bookmark "
        "bookmarks favorite favourite favorites wishlist watchlist playlist checklist todo todos task tasks ticket tickets "
        "issue card view filter layout dashboard template report summary transcript translation quote estimate my mine me own "
        "personal private internal scratch playground sandbox demo test tests testing uat qa staging dev development local "
        "localhost preview mock fake dummy sample example training rehearsal simulation simulate simulated sim scenario "
        "planning whatif dry lab containerlab build compile lint format coverage benchmark bench profile debug trace screenshot "
        "symbol code snippet file files folder artifact diagram chart plot slide image render node element shape track clip "
        "scene object cell page embedding embed prompt experiment type layer sql query hover completion diagnostics reload "
        "refresh scan check notiz notieren entwurf merken suche lesen anzeigen liste abrufen rechner vorschlag kommentar "
        "termine brouillon simuler lire chercher consulter lister extraire statistiques commentaire borrador plantilla favorito "
        "leer buscar consultar listar nota comentario bozza rascunho concept merkliste undo redo load quiz frage trim pack "
        "encode transcode review reviewer suite expectations validation"
    ).split()
)
"""Words of acts that write something down, belong to whoever asks, or are for making software, texts and pictures."""
_MARKS_OF_VALUES = frozenset(
    (
        "my mine me own personal private internal scratch playground sandbox demo test tests testing uat qa staging dev "
        "development local localhost preview mock fake dummy sample example training rehearsal simulation sim scenario planning "
        "draft entwurf brouillon borrador lab mein meine meins rascunho homologacao"
    ).split()
)
"""Those that count in a value, too."""
_UNDONE_KEYS = frozenset(
    (
        "publish published public live print start run send notify commit submit execute confirm signed enregistrer publier "
        "envoyer executar ejecutar freigeben buchen senden veroeffentlichen"
    ).split()
)
"""Arguments that say, where they are false, that the last step is left to somebody."""
_OWN_KEYS = frozenset("private isprivate privat privada prive personal draft isdraft".split())
_MAX_NAME = 80  # characters; longer values are text
_INFINITIVE = re.compile(r"\w{2,}(?:(?<!ung)(?<!heit)(?<!keit)(?<!schaft)(?<!ion)(?<!fahrt)en|ern|eln|ar|er|ir|re)").fullmatch
"""Matches a word with the ending of a verb in German or in a Romance language: `loeschen`, `ejecutar`, `envoyer`."""
_MAX_ARGUMENTS = 4


def is_familiar(server_words: Iterable[str]) -> bool:
    """Returns whether one of these words of a server's name is that of a service whose tools are known."""
    return not _FAMILIAR_SERVERS.isdisjoint(server_words)


def asks_for_thing(words: Iterable[str], leaves: Leaves) -> bool:
    """Returns whether a tool is named after a thing alone, and is told by a few names and figures which it is: `occupancy`,
    `departures`. A verb, a switch that is on, a long text or a file say that something is done."""
    if len({key for key, _ in leaves}) > _MAX_ARGUMENTS or any(map(_INFINITIVE, words)) or not _ACTS.isdisjoint(words):
        return False
    return not any(
        value is True or (isinstance(value, str) and (len(value) > _MAX_NAME or "/" in value or "@" in value or value == "*"))
        for _, value in leaves
    )


_ACTS = frozenset(
    "flash burn uplink erase fire arm abandon admin command import override clean mutate control action launch eject "
    "jettison inject brick fuse punish ground scram trip unmask reclassify expunge abort accelerate activate amend annul "
    "appoint arrest ban bill blacklist block boot bypass cease commandeer condemn confiscate cut deactivate debit "
    "decommission decrypt deduct degrade delist demolish demote deport deprive derate detach detain detonate disclose "
    "disconnect disenroll disengage dispose divest downgrade drain elevate embargo encrypt engage escalate evict exclude "
    "exempt exhaust expel expire expose extinguish fail flag flatten flood force forfeit freeze garnish halt hijack "
    "ignite impose impound incinerate interrupt invalidate kill land leave liquidate lower maneuver neutralise notify "
    "offload operate oust park penalize pledge press procure prohibit promote purge raise reassign reconfigure recreate "
    "reduce reinstall relinquish relocate remit reopen reprice reprogram reroute retire retract revert sack sanction "
    "scrap seal seize sell sever shed shock shred shut silence sink slash spin starve steer strip suppress surrender "
    "suspend terminate throttle transact transmit unfreeze unlock unseal vacate vent waive withdraw withhold wreck".split()
)
"""English verbs, many of which are nouns as well."""


def has_harmless_mark(words: Iterable[str], leaves: Leaves) -> bool:
    """Returns whether the name of an act or an argument tells that nothing is changed on which others rely. `words`: those of the
    server, the tool and the act."""
    if any(word in _MARKS or word.removesuffix("s") in _MARKS for word in words):
        return True
    if any((value is False and key in _UNDONE_KEYS) or (value is True and key in _OWN_KEYS) for key, value in leaves):
        return True
    texts = [value.partition("@")[0] for _, value in leaves if isinstance(value, str) and len(value) <= _MAX_NAME]
    if any("://" in value and is_loopback(host_of(value)) for value in texts):
        return True
    return any(not _MARKS_OF_VALUES.isdisjoint(split_words(value)) for value in texts if "://" not in value and value[:1] != "/")
