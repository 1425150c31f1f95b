"""Amazon's libraries for Ruby and PHP, whose methods are the command line's: `Aws::IAM::Client.new.delete_user(..)` is
`aws iam delete-user`.
"""

from __future__ import annotations

import re

from toolgate.languages.evaluation.client_acts import obtains_secret
from toolgate.languages.evaluation.shared_results import kebab_case, options_of_cloud_command
from toolgate.languages.evaluation.shared_state import Arguments, Evaluation
from toolgate.languages.evaluation.values import MapValue, Reference, Unknown, Value, unknown_of_kind
from toolgate.model.word import HoleKind, known_word

_CLIENT = re.compile(
    r"Aws\.(?P<service>\w+)\.Client\.new"
    r"|(?P<php>Iam|S3|Ssm|SecretsManager|Ec2|Rds|DynamoDb|Lambda|CloudFormation|Route53|Kms|Sqs|Sns|Ecs|Eks|Ecr|Efs|Organizations"
    r"|CloudTrail|CloudFront|ElastiCache|Redshift|OpenSearchService|CognitoIdentityProvider|GuardDuty|Backup|AutoScaling|Glue)Client\.new"
)


def call_cloud_client(evaluation: Evaluation, reference: Reference, arguments: Arguments) -> Value | None:
    """Reports a method of such a client as the command with its name, and returns its answer; None for another call."""
    receiver = reference.receiver
    found = _CLIENT.fullmatch(receiver.name) if isinstance(receiver, Unknown) else None
    openings = evaluation.report.openings
    if found is None or openings.local_service is not None or openings.simulates_cloud or evaluation.report.is_excused:
        return None
    method = reference.name.rpartition(".")[2]
    given = [entry for each in arguments.positional if isinstance(each, MapValue) for entry in each.known_entries]
    settings = [(str(name).replace("_", "-"), value) for name, value in (*given, *arguments.named.items())]
    if obtains_secret(method) or any(name.lower().replace("-", "") == "withdecryption" for name, _ in settings):
        return unknown_of_kind(HoleKind.SECRET)
    service = known_word((found["service"] or found["php"]).lower())
    verb = known_word(kebab_case(method).replace("_", "-"))
    evaluation.report.command(known_word("aws"), service, verb, *options_of_cloud_command(settings))
    return Unknown("the answer of a cloud service")
