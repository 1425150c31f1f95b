"""The environment in which a framework runs, by the variables and the environment file that name it."""

from toolgate.environment_files import read_assignments
from toolgate.locality import is_local_address, is_named_production
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.place import LOCAL
from toolgate.model.word import known_word

_ENVIRONMENTS = {
    "ruby": ("RAILS_ENV", "RACK_ENV", "HANAMI_ENV"),
    "php": ("APP_ENV", "WP_ENV", "CAKE_ENV"),
    "beam": ("MIX_ENV",),
}
"""The variables that name a framework's environment, by language."""
_DATABASES = ("DATABASE_URL", "DB_HOST")


def runs_in_production(language: str, context: ExecutionContext) -> bool:
    """Returns whether this call, or the project's environment file, has a framework use the database of production."""
    if context.site.machine != LOCAL and is_named_production(context.site.machine):
        return True
    names = _ENVIRONMENTS.get(language, ())
    values = [value for name in names for value in context.get_variables(name)]
    if not values and language == "php":
        loaded = read_assignments((known_word(".env"),), context)
        values = [loaded[name] for name in names if name in loaded]
    is_local = [is_local_address(value, context) for name in _DATABASES for value in context.get_variables(name)]
    return any(value.text in ("production", "prod", "live") for value in values) and not (is_local and all(is_local))
