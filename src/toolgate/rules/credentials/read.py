r"""Reading private keys, tokens or password stores.

What an agent reads goes into the model's context, and from there into logs and requests. Programs that need a key are given its
path; a public key (`*.pub`) can be read.

Counts, names of profiles and keys of a JSON document are no secrets: `grep -c key ~/.netrc`, `grep '^\[' ~/.aws/credentials`,
`jq '.auths | keys' ~/.docker/config.json`, `yq .current-context ~/.kube/config`.

Source: credential places, by folder or file name. Sink: whatever the program does with them, above all the model. A program
without a description is taken to read every file that its arguments name.
"""

from collections.abc import Iterator

from toolgate.flows.credential_listings import shows_no_secret
from toolgate.flows.name_listings import shows_only_names
from toolgate.model.decision import Match
from toolgate.model.effect import Read
from toolgate.model.place import LOCAL
from toolgate.model.rule import RuleContext


def check(read_effect: Read, _options: None, context: RuleContext) -> Iterator[Match]:
    if read_effect.place.machine != LOCAL or read_effect.place.is_anywhere:
        return
    is_environment = (read_effect.place.path or "").startswith("/proc/")
    if is_environment and shows_only_names(read_effect.origin.command, context.effects, reads_file=True):
        return
    sure = read_effect.place.is_in("credentials")
    if sure is not False and not shows_no_secret(read_effect, context.effects):
        yield Match(
            read_effect,
            f"Reads {read_effect.place.display_text}, which holds secrets.",
            "let the program that needs them read them itself.",
            sure,
        )
