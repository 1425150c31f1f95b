"""The issuer of a secret, and the hosts that may see it: a token belongs to the services of its issuer."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

HOSTS_OF_ISSUERS: dict[str, str] = {
    "github": "github.com githubusercontent.com ghcr.io ghe.com githubcopilot.com github.io",
    "gitlab": "gitlab.com gitlab.io",
    "bitbucket": "bitbucket.org atlassian.net atlassian.com",
    "atlassian": "atlassian.net atlassian.com bitbucket.org",
    "npm": "npmjs.org npmjs.com pkg.github.com",
    "pypi": "pypi.org pythonhosted.org",
    "aws": "amazonaws.com amazonaws.com.cn amazon.com api.aws aws.dev",
    "gcp": "googleapis.com google.com gcr.io pkg.dev run.app cloudfunctions.net appspot.com cloud.goog",
    "google": "googleapis.com google.com gcr.io pkg.dev run.app",
    "gemini": "googleapis.com google.com",
    "azure": "azure.com windows.net microsoftonline.com microsoft.com azurecr.io visualstudio.com azurewebsites.net azure.net "
    "azure-api.net",
    "anthropic": "anthropic.com claude.ai claude.com",
    "openai": "openai.com azure.com",
    "stripe": "stripe.com",
    "slack": "slack.com",
    "discord": "discord.com discordapp.com",
    "telegram": "telegram.org",
    "twilio": "twilio.com",
    "sendgrid": "sendgrid.com sendgrid.net",
    "digitalocean": "digitalocean.com digitaloceanspaces.com",
    "cloudflare": "cloudflare.com workers.dev cloudflarestorage.com",
    "heroku": "heroku.com herokuapp.com",
    "vercel": "vercel.com vercel.app",
    "netlify": "netlify.com netlify.app",
    "docker": "docker.io docker.com",
    "dockerhub": "docker.io docker.com",
    "huggingface": "huggingface.co hf.co hf.space",
    "hf": "huggingface.co hf.co hf.space",
    "sentry": "sentry.io",
    "datadog": "datadoghq.com datadoghq.eu ddog-gov.com",
    "dd": "datadoghq.com datadoghq.eu",
    "supabase": "supabase.co supabase.com supabase.in",
    "linear": "linear.app",
    "notion": "notion.com notion.so",
    "figma": "figma.com",
    "doppler": "doppler.com",
    "flyio": "fly.io fly.dev machines.dev",
    "fly": "fly.io fly.dev machines.dev",
    "mailgun": "mailgun.net",
    "shopify": "shopify.com myshopify.com",
    "okta": "okta.com oktapreview.com",
    "groq": "groq.com",
    "mistral": "mistral.ai",
    "cohere": "cohere.ai cohere.com",
    "replicate": "replicate.com",
    "openrouter": "openrouter.ai",
    "deepseek": "deepseek.com",
    "together": "together.ai together.xyz",
    "fireworks": "fireworks.ai",
    "cerebras": "cerebras.ai",
    "moonshot": "moonshot.ai moonshot.cn",
    "zhipu": "z.ai bigmodel.cn",
    "dashscope": "aliyuncs.com",
    "perplexity": "perplexity.ai",
    "xai": "x.ai",
    "gh": "github.com githubusercontent.com ghcr.io ghe.com githubcopilot.com",
    "codecov": "codecov.io",
    "sonar": "sonarcloud.io",
    "snyk": "snyk.io",
    "cargo": "crates.io",
    "crates": "crates.io",
    "rubygems": "rubygems.org",
    "terraform": "terraform.io hashicorp.com",
    "grafana": "grafana.net grafana.com",
    "pagerduty": "pagerduty.com",
    "newrelic": "newrelic.com nr-data.net",
    "launchdarkly": "launchdarkly.com",
    "airtable": "airtable.com",
    "hubspot": "hubspot.com hubapi.com",
    "square": "squareup.com",
    "paypal": "paypal.com",
    "plaid": "plaid.com",
    "databricks": "databricks.com azuredatabricks.net",
    "snowflake": "snowflakecomputing.com",
}
"""The first word of an issuer's variable names or token kinds, with the domains of its hosts."""

_NOT_AN_ISSUER = frozenset("api key private url encoded session access app my client user test prod dev database db".split())
_SECRET_NAME = re.compile(
    r"(?:.*_)?(?:TOKEN|SECRET|SECRET_?KEY|API_?KEY|APIKEY|ACCESS_?KEY|SECRET_ACCESS_KEY|PRIVATE_?KEY|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|PAT|AUTH_TOKEN"
    r"|CLIENT_SECRET|SERVICE_ROLE_KEY|SIGNING_KEY|ENCRYPTION_KEY|WEBHOOK_SECRET)(?:_.*)?|PGPASSWORD|MYSQL_PWD|DATABASE_URL|GH_TOKEN|MONGODB_URI|REDIS_URL"
)
_NOT_A_SECRET_NAME = re.compile(
    r".*(?:_URL|_FILE|_PATH|_DIR|_ID|_NAME|_EXPIRY|_EXPIRES|_TTL|_TYPE|_HOST|_LENGTH|_COUNT|_ENDPOINT|_ALGORITHM|_ALIAS)|.*PUBLIC.*|.*PUBLISHABLE.*"
)
_SECRET_URLS = ("DATABASE_URL", "REDIS_URL", "MONGODB_URI")
MIN_VALUE_LENGTH = 8  # characters of the value of a variable that counts as a secret
_PUBLIC_PREFIXES = ("VITE_", "NEXT_PUBLIC_", "REACT_APP_", "EXPO_PUBLIC_")  # a bundler puts these into public pages


class Secret(NamedTuple):
    """`issuer`: empty if unknown."""

    what: str
    issuer: str


@lru_cache(4096)
def secret_of_variable(name: str) -> Secret | None:
    """Returns the secret in a variable of this name; None for an ordinary name."""
    if name in _SECRET_URLS:
        return Secret(f"${name}", "")
    if (
        not name.isupper()
        or name.startswith(_PUBLIC_PREFIXES)
        or _NOT_A_SECRET_NAME.fullmatch(name)
        or not _SECRET_NAME.fullmatch(name)
    ):
        return None
    return Secret(f"${name}", issuer_of_name(name))


def sets_secret(name: str, value: str) -> bool:
    """Returns whether what a variable is set to is a secret, by its name or by a password in an address."""
    return bool(value) and (secret_of_variable(name) is not None or _HOLDS_PASSWORD(value) is not None)


_HOLDS_PASSWORD = re.compile(r"://[^/\s:@]*:[^/\s@]+@").search


def without_secrets(environ: Mapping[str, str]) -> Mapping[str, str]:
    """Returns an environment without its secrets: what is done with one is judged by the variable's name, and not by its value.
    The address of a database is kept, since it tells whether the database is a local one."""
    return {name: value for name, value in environ.items() if name in _SECRET_URLS or secret_of_variable(name) is None}


def has_secrets(environ: Mapping[str, str]) -> bool:
    """Returns whether an environment has a variable with a secret in it."""
    return any(len(value) >= MIN_VALUE_LENGTH and secret_of_variable(name) is not None for name, value in environ.items())


def issuer_of_name(name: str) -> str:
    """Returns the known issuer that the name begins with: `AWS_SECRET_ACCESS_KEY`, `github-token`."""
    first = re.split(r"[_-]", name.lower())[0]
    return first if first in HOSTS_OF_ISSUERS else ""


def is_marked(kind: str) -> bool:
    """Returns whether secrets of this kind are recognised by their own form, not by their context."""
    return kind not in ("password", "url-password", "token", "email", "secret")


_RUN_ANYWHERE = frozenset(("gitlab", "sonar", "sentry", "grafana"))
"""Services that their users run on hosts of their own, too."""


def belongs_to(issuer: str, host: str) -> bool:
    """Returns whether the host is one of the issuer's, or a server of one's own that has the name of what it runs."""
    ends = HOSTS_OF_ISSUERS.get(issuer, "").split()
    return any(host == end or host.endswith(f".{end}") for end in ends) or (
        issuer in _RUN_ANYWHERE and host.startswith(f"{issuer}.")
    )


def may_run_anywhere(issuer: str) -> bool:
    """Returns whether users run this service on hosts of their own, too."""
    return issuer in _RUN_ANYWHERE


def is_of_any_issuer(host: str) -> bool:
    """Returns whether the host is one of a known issuer: several of them speak the protocol of another."""
    return any(belongs_to(issuer, host) for issuer in HOSTS_OF_ISSUERS)
