"""Message queues, logs, data pipelines and distributed file systems: commands that delete data."""

from collections.abc import Iterator

from toolgate.model.effect import Operation, Prints, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, joined

from .options import Flags
from .program import Program
from .verbs import tool

_DROP, _DELETE = "database.drop", "database.delete"
_KAFKA = "--bootstrap-server= --zookeeper= --topic= --group= --command-config= --offset-json-file= --partitions= --force"
_HDFS = "-r -R -f -skipTrash -nonInteractive -force"


def _file_system() -> Program:
    """hdfs and hadoop: subcommands begin with a dash."""
    return tool(
        {_DROP: "namenode -format", _DELETE: "dfs|fs -rm -r|-R; dfs|fs -rmr; dfs|fs -expunge"},
        f"-rm -rmr -expunge -format {_HDFS}",
    )


_CONFIGS = Flags(
    f"--alter --describe --entity-type= --entity-name= --entity-default --all --add-config= --delete-config= --add-config-file= --help {_KAFKA}"
)


def kept_shorter(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """kafka-configs: lowering a topic's retention deletes the records beyond it."""
    given = _CONFIGS.read(argv)
    settings = [word.shown for word in given.all("--add-config")]
    if given.flag("--alter") is True and any("retention." in each or "cleanup.policy=delete" in each for each in settings):
        yield Operation(_DELETE, seen.origin, joined(given.all("--add-config")), (("disposable", False),))
    yield Prints(seen.output("kafka-configs"))


ROWS: dict[str, Program] = {
    **dict.fromkeys(
        ("kafka-topics", "kafka-topics.sh"), tool({_DROP: "--delete"}, f"--delete --list --describe --create {_KAFKA}")
    ),
    **dict.fromkeys(
        ("kafka-consumer-groups", "kafka-consumer-groups.sh"),
        tool(
            {_DELETE: "--delete|--delete-offsets; --reset-offsets --execute"},
            f"--delete --delete-offsets --reset-offsets --execute --list --describe --to-earliest --to-latest --to-offset= {_KAFKA}",
        ),
    ),
    **dict.fromkeys(
        ("kafka-configs", "kafka-configs.sh"),
        Program(does=kept_shorter),
    ),
    **dict.fromkeys(
        ("kafka-storage", "kafka-storage.sh"), tool({_DROP: "format"}, "-t,--cluster-id= -c,--config= -g,--ignore-formatted")
    ),
    **dict.fromkeys(
        ("kafka-streams-application-reset", "kafka-streams-application-reset.sh"),
        tool({_DELETE: "--application-id"}, "--application-id= --input-topics= --bootstrap-server= --to-earliest --force"),
    ),
    **dict.fromkeys(
        ("kafka-acls", "kafka-acls.sh"),
        tool({"cloud.delete": "--remove"}, f"--add --remove --list --allow-principal= --operation= {_KAFKA}"),
    ),
    **dict.fromkeys(("kafka-delete-records", "kafka-delete-records.sh"), tool({_DELETE: "--offset-json-file"}, _KAFKA)),
    "rpk": tool(
        {_DROP: "topic delete; cluster storage unmount", _DELETE: "group delete; topic trim-prefix"},
        "-X= -b,--brokers= -r,--regex",
    ),
    "rabbitmqctl": tool(
        {
            _DROP: "reset|force_reset|stop_app|stop|shutdown|delete_vhost|delete_queue",
            _DELETE: "purge_queue|delete_user|clear_permissions|forget_cluster_node",
        },
        "-n,--node= -p,--vhost= -q,--quiet -t,--timeout= --if-empty --if-unused",
    ),
    "rabbitmqadmin": tool(
        {_DROP: "delete **; delete", _DELETE: "purge **; purge"},
        "-H,--host= -P,--port= -u,--username= -p,--password= -V,--vhost= -c,--config=",
    ),
    "nats": tool(
        {_DROP: "stream|str|s rm|del|delete; kv|object del|rm", _DELETE: "stream|str|s purge; kv purge; consumer|con rm"},
        "-s,--server= --context= --creds= -f,--force --user= --password=",
    ),
    "pulsar-admin": tool(
        {
            _DROP: "topics|namespaces|tenants|clusters|schemas delete; topics delete-partitioned-topic",
            _DELETE: "topics clear-backlog|truncate",
        },
        "--admin-url= --auth-plugin= --auth-params= -f,--force",
    ),
    **dict.fromkeys(("zookeeper-shell", "zookeeper-shell.sh"), tool({_DROP: "* deleteall|rmr"}, "-zk-tls-config-file=")),
    "memcflush": Program(operation=_DELETE),
    "nodetool": tool(
        {_DROP: "clearsnapshot|decommission|removenode|assassinate|truncatehints"}, "-h,--host= -p,--port= -u= -pw= --all -t= --"
    ),
    "neo4j-admin": tool(
        {_DROP: "database delete; database load|restore --overwrite-destination=true"}, "--overwrite-destination="
    ),
    **dict.fromkeys(("zkCli.sh", "zkcli"), tool({_DROP: "deleteall|rmr"}, "-server= -timeout= -r")),
    **dict.fromkeys(("hdfs", "hadoop"), _file_system()),
    "airflow": tool(
        {_DROP: "db reset", _DELETE: "db clean|drop-archived; dags delete; connections|variables|pools|users|roles delete"},
        "-y,--yes -r,--reset-dag-runs --clean-before-timestamp= -t,--tables=",
    ),
    "celery": tool(
        {_DELETE: "purge; amqp queue.delete|queue.purge|exchange.delete"}, "-A,--app= -b,--broker= -f,--force -Q,--queues= -X="
    ),
    "prefect": tool({_DROP: "server database reset", _DELETE: "* delete; global-concurrency-limit delete"}, "-y,--yes"),
    "dagster": tool({_DELETE: "run|asset|schedule wipe; run delete"}, "--noprompt --all"),
    "rq": tool({_DELETE: "empty"}, "-a,--all -u,--url= -c,--config="),
    "kcat": tool({}, "-b= -t= -C -P -L -e -o= -p= -G="),
}
