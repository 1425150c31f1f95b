"""Message queues, logs, data pipelines and distributed file systems: commands that delete data."""

from collections.abc import Iterator

from toolgate.locality import is_local_database
from toolgate.model.address import host_of
from toolgate.model.effect import Connect, Operation, PrintedOutput, Read, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, join_words, known_word
from toolgate.programs.argv.options import Flags
from toolgate.programs.argv.program import Program
from toolgate.programs.argv.subcommands import program_of_forms

_DROP_OPERATION, _DELETE_OPERATION = "database.drop", "database.delete"
_KAFKA = "--bootstrap-server= --zookeeper= --topic= --group= --command-config= --offset-json-file= --partitions= --force"
_HDFS = "-r -R -f -skipTrash -nonInteractive -force"


_KCAT = Flags("-b= -t= -P -C -L -Q -G= -p= -o= -c= -e -E -q -v -u -K= -D= -l -T -X= -F= -z= -d= -f= -J -s= -r= -H= -k= -Z -U")


def kcat(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`kcat -P -b BROKER FILE`: sends the files, or what it is given."""
    options = _KCAT.parse(argv)
    if options.has_flag("-P") is not False and options.has_flag("-C", "-L", "-Q") is not True:
        for file in options.operands:
            yield Read(context.resolve_place(file), context.origin)
        content = join_words(map(context.read, options.operands)) if options.operands else context.stdin
        for broker in options.values_of("-b"):
            yield Connect(broker, context.origin, content)
    yield PrintedOutput(context.unknown_output("kcat"))


def _queue_program(table: dict[str, str], options: str, server: str, *, default: bool) -> Program:
    """A client of a message queue. `server`: the option that names its server; `default`: whether a call
    without that option reaches this machine."""
    flags, program = Flags(options), program_of_forms(table, options)

    def report_effects(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
        named = flags.parse(argv).value_of(server)
        host = named if named is None or named.text is None or "," in named.text else known_word(host_of(named.text))
        local = is_local_database(None, host, context, default=default)
        for effect in program.effects_of_call(argv, context):
            yield effect._replace(flags=(*effect.flags, ("local", local))) if isinstance(effect, Operation) else effect

    return Program(does=report_effects)


def _hdfs_program() -> Program:
    """hdfs and hadoop: subcommands begin with a dash."""
    return program_of_forms(
        {_DROP_OPERATION: "namenode -format", _DELETE_OPERATION: "dfs|fs -rm -r|-R; dfs|fs -rmr; dfs|fs -expunge"},
        f"-rm -rmr -expunge -format {_HDFS}",
    )


_KAFKA_CONFIGS = Flags(
    f"--alter --describe --entity-type= --entity-name= --entity-default --all --add-config= --delete-config= --add-config-file= --help {_KAFKA}"
)


def kafka_configs(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """kafka-configs: lowering a topic's retention deletes the records beyond it."""
    options = _KAFKA_CONFIGS.parse(argv)
    settings = [word.outline for word in options.values_of("--add-config")]
    if options.has_flag("--alter") is True and any("retention." in each or "cleanup.policy=delete" in each for each in settings):
        yield Operation(
            _DELETE_OPERATION, context.origin, join_words(options.values_of("--add-config")), (("disposable", False),)
        )
    yield PrintedOutput(context.unknown_output("kafka-configs"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(
        ("kafka-topics", "kafka-topics.sh"),
        _queue_program(
            {_DROP_OPERATION: "--delete"}, f"--delete --list --describe --create {_KAFKA}", "--bootstrap-server", default=False
        ),
    ),
    **dict.fromkeys(
        ("kafka-consumer-groups", "kafka-consumer-groups.sh"),
        program_of_forms(
            {_DELETE_OPERATION: "--delete|--delete-offsets; --reset-offsets --execute"},
            f"--delete --delete-offsets --reset-offsets --execute --list --describe --to-earliest --to-latest --to-offset= {_KAFKA}",
        ),
    ),
    **dict.fromkeys(
        ("kafka-configs", "kafka-configs.sh"),
        Program(does=kafka_configs),
    ),
    **dict.fromkeys(
        ("kafka-storage", "kafka-storage.sh"),
        program_of_forms({_DROP_OPERATION: "format"}, "-t,--cluster-id= -c,--config= -g,--ignore-formatted"),
    ),
    **dict.fromkeys(
        ("kafka-streams-application-reset", "kafka-streams-application-reset.sh"),
        _queue_program(
            {_DELETE_OPERATION: "--application-id"},
            "--application-id= --input-topics= --bootstrap-server= --to-earliest --force",
            "--bootstrap-server",
            default=False,
        ),
    ),
    **dict.fromkeys(
        ("kafka-acls", "kafka-acls.sh"),
        program_of_forms({"cloud.delete": "--remove"}, f"--add --remove --list --allow-principal= --operation= {_KAFKA}"),
    ),
    **dict.fromkeys(
        ("kafka-delete-records", "kafka-delete-records.sh"), program_of_forms({_DELETE_OPERATION: "--offset-json-file"}, _KAFKA)
    ),
    "rpk": program_of_forms(
        {_DROP_OPERATION: "topic delete; cluster storage unmount", _DELETE_OPERATION: "group delete; topic trim-prefix"},
        "-X= -b,--brokers= -r,--regex",
    ),
    "rabbitmqadmin": _queue_program(
        {_DROP_OPERATION: "delete **; delete", _DELETE_OPERATION: "purge **; purge"},
        "-H,--host= -P,--port= -u,--username= -p,--password= -V,--vhost= -c,--config=",
        "--host",
        default=True,
    ),
    "nats": program_of_forms(
        {
            _DROP_OPERATION: "stream|str|s rm|del|delete; kv|object del|rm",
            _DELETE_OPERATION: "stream|str|s purge; kv purge; consumer|con rm",
        },
        "-s,--server= --context= --creds= -f,--force --user= --password=",
    ),
    "pulsar-admin": program_of_forms(
        {
            _DROP_OPERATION: "topics|namespaces|tenants|clusters|schemas delete; topics delete-partitioned-topic",
            _DELETE_OPERATION: "topics clear-backlog|truncate",
        },
        "--admin-url= --auth-plugin= --auth-params= -f,--force",
    ),
    **dict.fromkeys(
        ("zookeeper-shell", "zookeeper-shell.sh"), program_of_forms({_DROP_OPERATION: "* deleteall|rmr"}, "-zk-tls-config-file=")
    ),
    "memcflush": Program(operation=_DELETE_OPERATION),
    "nodetool": program_of_forms(
        {_DROP_OPERATION: "clearsnapshot|decommission|removenode|assassinate|truncatehints"},
        "-h,--host= -p,--port= -u= -pw= --all -t= --",
    ),
    "neo4j-admin": program_of_forms(
        {_DROP_OPERATION: "database delete; database load|restore --overwrite-destination=true"}, "--overwrite-destination="
    ),
    **dict.fromkeys(("zkCli.sh", "zkcli"), program_of_forms({_DROP_OPERATION: "deleteall|rmr"}, "-server= -timeout= -r")),
    **dict.fromkeys(("hdfs", "hadoop"), _hdfs_program()),
    "airflow": program_of_forms(
        {
            _DROP_OPERATION: "db reset",
            _DELETE_OPERATION: "db clean|drop-archived; dags delete; connections|variables|pools|users|roles delete",
        },
        "-y,--yes -r,--reset-dag-runs --clean-before-timestamp= -t,--tables=",
    ),
    "celery": program_of_forms(
        {_DELETE_OPERATION: "purge; amqp queue.delete|queue.purge|exchange.delete"},
        "-A,--app= -b,--broker= -f,--force -Q,--queues= -X=",
    ),
    "prefect": program_of_forms(
        {_DROP_OPERATION: "server database reset", _DELETE_OPERATION: "* delete; global-concurrency-limit delete"}, "-y,--yes"
    ),
    "dagster": program_of_forms({_DELETE_OPERATION: "run|asset|schedule wipe; run delete"}, "--noprompt --all"),
    "rq": program_of_forms({_DELETE_OPERATION: "empty"}, "-a,--all -u,--url= -c,--config="),
    "kcat": Program(does=kcat),
    "mlflow": program_of_forms({_DELETE_OPERATION: "gc"}, "--backend-store-uri= --older-than= --run-ids= --experiment-ids="),
}
