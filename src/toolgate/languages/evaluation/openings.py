"""The databases and services that a text opens: in memory, in a temporary folder, on this machine, or elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from toolgate.locality import (
    is_in_development,
    is_local_database,
    is_named_production,
    is_remote_database,
    names_azure_emulator,
    names_production,
)
from toolgate.model.address import all_lead_here, host_of, is_loopback
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Word, known_word
from toolgate.temporary_folders import is_temporary_path

from .cluster_contexts import belongs_to_cluster, chooses_local_cluster
from .emulators import AMAZON_ADDRESS, belongs_to_provider, is_cloud_database, is_emulated
from .likely_values import LikelyValues
from .opened_addresses import ADDRESS_KEYS, HOST_AND_PORT, iter_addresses, iter_settings, list_addresses
from .opening_names import is_opening, names_database, opens_something_else
from .operated_pages import OperatedPage
from .project_databases import find_project_address
from .shared_state import Arguments
from .simulated_modules import find_simulated_effects
from .stand_ins import (
    chooses_payment_tests,
    is_stand_in,
    is_test_key,
    keeps_mail,
    opens_payments,
    simulates_cloud,
    simulates_requests,
)
from .values import (
    ClassValue,
    Function,
    Reference,
    Unknown,
    Value,
    stands_in,
    text_of,
    truth_of,
    word_of,
)

_OF_AMAZON = re.compile(r"\bboto|\baws|@aws-sdk")
_PART_NAME = re.compile(r"\.(?:Database|Collection)$")
"""Matches methods that give a part of what is open: `client.Database("app")`."""
_LOCAL_NAME = re.compile(r"(?:connect_to_|connectTo)(?:local|embedded)$", re.IGNORECASE)
_MEMORY_NAME = re.compile(r"(?:^|\.)(?:duckdb\.connect|EphemeralClient)$")
_IN_MEMORY = re.compile(r":memory:$|^sqlite(?:\+\w+)?://$|^(?:cache\+)?memory://")
_DATABASE_URL = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|valkey|amqps?|clickhouse|libsql)(?:\+\w+)?://"
)
_FILE_OF_PROJECT = re.compile(r"(?:\./)?(?:[\w-][\w.-]*/)*[\w-][\w.-]*\.(?:db|db3|sqlite|sqlite3|duckdb)")
_BASE_KEYS = ("api_base", "apibase", "base_url", "baseurl", "endpoint_url")
"""Names of settings that hold where a library sends its requests."""
_OPENED_BY_SETTINGS = ("knex", "sequelize.Sequelize", "typeorm.DataSource", "objection.Model.knex")
_FIRST_PARTS = ("base_url", "baseurl", "prefixurl", "prefix_url")
_RELATIVE = re.compile(r"/(?!/)|(?!(?:mail|sftp|localhost)$)[\w-]+(?:/[^.:]*)?$")
"""Matches an address without a host."""
_DATABASE_VARIABLE = "DATABASE_URL"
_DATABASE_SETTINGS = ("database_uri", "database_url", "broker_url")
"""Ends of an application's settings that name its database or its broker: `SQLALCHEMY_DATABASE_URI`."""
_MAIL_TRANSPORTS = ("createTransport", "yagmail.SMTP", "redmail.EmailSender", "envelopes.SMTP")
_DATABASE_KEYS = ("dbname", "database", "db")
_is_example = re.compile(r"(?:[./@]|^)example\.(?:com|org|net|edu)\b|\.(?:example|invalid|test)(?=[:/?]|$)").search
"""Matches an address that standards keep for examples and tests."""
_MAX_SETTING = 1_000  # characters of a text


class LocalService(NamedTuple):
    """A service of this machine, by what the call that opened it was given."""

    database: Word | None
    host: Word | None


class Openings:
    """What was opened so far. Relief requires that all of it is in memory, or on this machine."""

    def __init__(self, context: ExecutionContext) -> None:
        self._seen = context
        self._in_memory = False
        self._elsewhere = False
        self._local: LocalService | None = None
        self.production: Word | None = None
        """The address of a database that names itself production, or that a variable of such a name holds."""
        self.environment_file: Word | None = None
        """The environment file whose variables the code has loaded."""
        self.settings: dict[str, Word] = {}
        """Where a library of Go finds the program's settings: a file, or its name, form and folder."""
        self._remote: Word | None = None
        """The address, or the host, of a database of another machine."""
        self.simulates_cloud = False
        self.simulates_requests = False
        self.uses_local_base = False
        """Whether Amazon's library talks to a simulation."""
        self.keeps_mail = False
        """Whether mails are kept in memory, in files or on the terminal."""
        self.uses_test_account = False
        """Whether the key of a provider that was given last is for its test mode."""
        self.page = OperatedPage()
        self._base: Word | None = None
        """The address to which a client's paths are relative."""
        self.simulated: frozenset[str] = frozenset()
        """The kinds of effects that a test has replaced."""
        self.uses_local_cluster = False
        """Whether the cluster that was chosen last is on this machine."""
        self.likely = LikelyValues(context)
        self.variables: dict[str, Word] = {}
        """The variables that the code has set for itself."""

    def _list_own_variables(self) -> dict[str, Word]:
        """Returns the variables that the code has set for itself, and those of environment files that nothing else sets."""
        return {**self.likely.list_loaded_variables(), **self.variables}

    @property
    def is_in_memory(self) -> bool:
        """Whether all databases opened so far are in memory or in new temporary folders, where deleting loses nothing."""
        return self._in_memory and not self._elsewhere and self._local is None

    @property
    def is_on_another_machine(self) -> bool:
        """Returns whether a database was opened that is known to be on another machine, or to be production's."""
        given = self._seen.get_variables(_DATABASE_VARIABLE) if self._local is None else ()
        is_given = any(is_remote_database(each, None, self._seen) for each in given)
        return is_given or self.production is not None or self._remote is not None

    @property
    def opens_another_machine(self) -> bool:
        """Whether a call has opened a database of another machine by an address that is no example, or by a variable of
        production."""
        is_given = self.production is not None and self.production.text is None
        return is_given or (self._remote is not None and not _is_example(self._remote.outline))

    @property
    def pays_nobody(self) -> bool:
        """Whether payments go to a provider's test mode, or to a server of this machine."""
        return self.uses_test_account or self.uses_local_base

    def harms_nobody(self, library: str) -> bool:
        """Returns whether the methods of this library's client change nothing outside of this process, or only what the provider
        keeps for tests. A simulation of Amazon's services, or a payment provider's key for tests, says nothing of others."""
        is_for_tests = self.uses_test_account and "stripe" in library
        return self.is_in_memory or is_for_tests or self.simulates_library(library)

    def is_library_local(self, library: str) -> bool:
        """Returns whether what the methods of this library's client change is on this machine."""
        return self.local_service is not None or (self.uses_local_cluster and belongs_to_cluster(library))

    def simulates_library(self, library: str) -> bool:
        """Returns whether a simulation answers this library."""
        return self.simulates_cloud and _OF_AMAZON.search(library) is not None

    def emulates(self, argv: list[Word]) -> bool:
        """Returns whether a command stands for a call of a provider's library that talks to an emulator on this machine."""
        return self.local_service is not None and belongs_to_provider(argv)

    @property
    def local_service(self) -> LocalService | None:
        """Returns the service that was opened last, if all of them are on this machine."""
        return None if self._elsewhere else self._local

    @property
    def database_arguments(self) -> tuple[Word, ...]:
        """Returns the database and the host as arguments of code for it; none if nothing certain is known of it. A database that
        names itself production, or that is on another machine, is one of them."""
        if self.production is not None:
            return (self.production,)
        if self._remote is not None:
            return (self._remote,) if "://" in self._remote.outline or "=" in self._remote.outline else (EMPTY, self._remote)
        service = self.local_service
        return () if service is None else tuple(each if each is not None else EMPTY for each in service)

    @contextmanager
    def forget_addresses(self) -> Iterator[None]:
        """Forgets at the end of a test which databases of other machines it has opened: the next one uses its own."""
        before = self.production, self._remote
        try:
            yield
        finally:
            self.production, self._remote = before

    def note_call(self, name: str | None, arguments: Arguments, *, is_method: bool = False) -> None:
        """Records a call that may open a database. `name` is None for an unknown function."""
        arguments = self._find_likely_arguments(name, arguments)
        for key, value in iter_settings(arguments):
            self.note_setting(key, value)
            if key in _FIRST_PARTS and (given := word_of(value)).head.startswith("http"):
                self._base = known_word(given.text.rstrip("/")) if given.text is not None else given
        self.simulates_cloud |= name is not None and simulates_cloud(name)
        self.simulates_requests |= name is not None and simulates_requests(name)
        if name is not None:
            self._note_choices(name, arguments)
        if _is_in_this_process(name, arguments):
            self._in_memory = True
        elif name is not None and _LOCAL_NAME.search(name):
            self._local = LocalService(None, known_word("localhost"))
        elif _opens_temporary_file(name, arguments, self._seen):
            self._in_memory = True
        elif name is not None and is_emulated(name, self._list_own_variables, self._seen) and not any(iter_addresses(arguments)):
            self._local = LocalService(None, known_word("localhost"))
        elif name == "aws-sdk.config.update":
            self.variables.update((AMAZON_ADDRESS, each) for each in iter_addresses(arguments))
        elif self._opens(name, arguments, is_method=is_method):
            addresses = list_addresses(arguments)
            self.production = next((each for each in addresses if names_production(each)), self.production)
            self._remote = self._find_remote_address(addresses, arguments) or self._remote
            service = self._find_local_service(addresses, arguments)
            self._note_cloud_database(name, service)
            if service is None:
                self._elsewhere = True
            else:
                self._local = service
        elif name is not None and is_emulated(name, self._list_own_variables, self._seen) is False:
            service = self._find_local_service(list(iter_addresses(arguments)), arguments)
            self._local = service or self._local
            self._elsewhere |= service is None and not self.simulates_library(name)
            self._note_cloud_database(name, service)

    def _note_cloud_database(self, name: str | None, service: LocalService | None) -> None:
        """Records a database that only a provider runs, unless the call leads to a service of this machine."""
        if name is not None and service is None and is_cloud_database(name):
            self._remote = self._remote or known_word("a database of a provider")

    def _find_likely_arguments(self, name: str | None, arguments: Arguments) -> Arguments:
        """Returns what a call is given in this call; the database of the project's settings for a client that names none."""
        likely = self.likely.find_arguments(arguments)
        address = find_project_address(name, arguments, self._list_own_variables, self._seen)
        return likely if address is None or any(iter_addresses(likely)) else Arguments((address,))

    def _note_choices(self, name: str, arguments: Arguments) -> None:
        """Records a call that chooses a cluster, a page or settings, or replaces a module."""
        self.page.note_call(name, arguments)
        if name.endswith("SandBoxMode"):
            self.keeps_mail = any(truth_of(value) is True for value in arguments.all_values())
        if name.endswith(_MAIL_TRANSPORTS) and (servers := list(iter_addresses(arguments))):
            self.keeps_mail = all_lead_here([each.text or "" for each in servers])
        self.simulated |= find_simulated_effects(name, arguments)
        chosen = chooses_local_cluster(name, arguments, self._seen)
        self.uses_local_cluster = self.uses_local_cluster if chosen is None else chosen
        self.uses_test_account |= chooses_payment_tests(name, arguments)
        if opens_payments(name):
            hosts = [text_of(value) or "" for key, value in iter_settings(arguments) if key == "host"]
            self.uses_local_base = all(map(is_loopback, hosts)) if hosts else self.uses_local_base
        if name in _OPENED_BY_SETTINGS and any(map(_is_production_settings, arguments.positional)):
            self.production = known_word("the settings of production")

    def load_environment_file(self, file: Word) -> None:
        """Records that the code sets the variables that an environment file names."""
        self.environment_file = file
        self.likely.load_file(file)

    def resolve_address(self, address: Word) -> Word:
        """Returns the whole address of a request whose client was given its first part: `axios.create({baseURL: ..})`."""
        if self._base is None or not _RELATIVE.match(address.head):
            return address
        return self._base + (address if address.head.startswith("/") else known_word("/") + address)

    def note_setting(self, key: str, value: Value) -> None:
        """Records a setting of a library: `stripe.api_key = ..`, `override_settings(EMAIL_BACKEND=..)`."""
        value = self.likely.find(value)
        self.note_database(key, value)
        text = _short_text(value)
        keeps = keeps_mail(key, text, truth_of(value) is True)
        self.keeps_mail = self.keeps_mail if keeps is None else keeps
        if text is not None and is_test_key(text):
            self.uses_test_account = True
        elif key.replace("_", "") == "apikey":
            self.uses_test_account = False
        elif key in _BASE_KEYS and text is not None and is_loopback(host_of(text)):
            self._local = LocalService(None, known_word(host_of(text)))
            self.uses_local_base = True

    def note_service(self, address: Value | None) -> None:
        """Records a client of a provider's service, by the address that it is given. Without one it uses the address of the
        configuration before it, or else the provider's own."""
        found = self._find_local_service([word_of(address)], Arguments()) if address is not None else None
        self._local = found or self._local
        self._elsewhere |= found is None and (address is not None or self._local is None)

    def note_database(self, key: str, value: Value) -> None:
        """Records a setting that names the database of an application: `app.config["SQLALCHEMY_DATABASE_URI"] = ..`."""
        if key.lower().endswith(_DATABASE_SETTINGS):
            self.note_call("database.connect", Arguments((value,)))

    def _opens(self, name: str | None, arguments: Arguments, *, is_method: bool) -> bool:
        if name is None:
            return not _decorates(arguments)
        if opens_something_else(name) or (is_method and _PART_NAME.search(name)):
            return False
        if is_opening(name):
            return not is_method or bool(arguments.positional) or any(True for _ in iter_addresses(arguments))
        named = any(True for _ in iter_addresses(arguments))
        if any(_DATABASE_URL.match(text_of(value) or "") for _, value in iter_settings(arguments)):
            return True
        if name in _OPENED_BY_SETTINGS and named:
            return True
        return _is_constructor(name) and (named or any(_is_here(word) for word in list_addresses(arguments)))

    def _find_remote_address(self, addresses: list[Word], arguments: Arguments) -> Word | None:
        """Returns the URL or the host of another machine that is given as such, and not as the name of a file."""
        settings = list(iter_settings(arguments))
        if any(key in _DATABASE_KEYS and is_in_development(text_of(value) or "") for key, value in settings):
            return None
        named = [word_of(value) for key, value in settings if key in ADDRESS_KEYS]
        for address in (*named, *(each for each in addresses if "://" in each.outline or "host=" in each.outline)):
            host = known_word(address.outline.partition(":")[0])
            is_host = "://" not in address.outline and "=" not in address.outline
            if is_remote_database(None if is_host else address, host if is_host else None, self._seen):
                return address
        return None

    def _find_local_service(self, addresses: list[Word], arguments: Arguments) -> LocalService | None:
        database = next((word_of(value) for key, value in iter_settings(arguments) if key in _DATABASE_KEYS), None)
        service: LocalService | None = None
        for given in addresses:
            text = given.text or ""
            if names_azure_emulator(text):
                return LocalService(None, known_word("localhost"))
            address = known_word(host_of(text)) if HOST_AND_PORT.fullmatch(text) else given
            if _FILE_OF_PROJECT.fullmatch(text) and is_local_database(address, None, self._seen):
                return LocalService(address, known_word("localhost"))
            is_plain = "://" not in text and "=" not in text
            service = LocalService(database if is_plain else address, address if is_plain else None)
            if not text or not is_local_database(service.database, service.host, self._seen):
                return None
        return service


def _is_production_settings(value: Value) -> bool:
    """Returns whether a value is a part of settings that is named production: `require("./knexfile").production`."""
    return isinstance(value, Unknown | Reference) and is_named_production(value.name.rpartition(".")[2])


def _decorates(arguments: Arguments) -> bool:
    """Returns whether an unknown function is given a function or a class alone, as a decorator is: it opens nothing."""
    return len(arguments.all_values()) == 1 and all(isinstance(each, Function | ClassValue) for each in arguments.positional)


def _is_here(word: Word) -> bool:
    return is_loopback(host_of(word.text or ""))


def _is_in_this_process(name: str | None, arguments: Arguments) -> bool:
    """Returns whether a call opens a database in memory, or what the code itself has started."""
    given = arguments.all_values()
    if any(_IN_MEMORY.search(_short_text(value) or "") or stands_in(value) for value in given):
        return True
    return name is not None and (is_stand_in(name) or (_MEMORY_NAME.search(name) is not None and not given))


def _opens_temporary_file(name: str | None, arguments: Arguments, context: ExecutionContext) -> bool:
    """Returns whether a call opens a database in a temporary folder, of the system or one that the code itself has made."""
    if name is None or not names_database(name):
        return False
    addresses = list_addresses(arguments)
    return any(addresses) and all(is_temporary_path(each, context) for each in addresses)


def _short_text(value: Value) -> str | None:
    """Returns a text that may be a setting: a whole file or page is none."""
    text = text_of(value)
    return text if text is not None and len(text) <= _MAX_SETTING else None


def _is_constructor(name: str) -> bool:
    return name.removesuffix(".new").rpartition(".")[2][:1].isupper()


def is_reopened(function: Reference | Unknown, arguments: Arguments) -> bool:
    """Returns whether a call without arguments, such as `engine.connect()`, uses what an earlier call opened, or a method belongs
    to what stands in for a service."""
    if stands_in(function):
        return True
    made_by = function.receiver if isinstance(function, Reference) and not arguments.all_values() else None
    return isinstance(made_by, Unknown) and is_opening(made_by.name)
