"""Queues, logs and big file systems: what is deleted there."""

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


ROWS: dict[str, Program] = {
    **dict.fromkeys(
        ("kafka-topics", "kafka-topics.sh"), tool({_DROP: "--delete"}, f"--delete --list --describe --create {_KAFKA}")
    ),
    **dict.fromkeys(
        ("kafka-consumer-groups", "kafka-consumer-groups.sh"), tool({_DELETE: "--delete"}, f"--delete --list --describe {_KAFKA}")
    ),
    **dict.fromkeys(("kafka-delete-records", "kafka-delete-records.sh"), tool({_DELETE: "--offset-json-file"}, _KAFKA)),
    "rpk": tool(
        {_DROP: "topic delete; cluster storage unmount", _DELETE: "group delete; topic trim-prefix"},
        "-X= -b,--brokers= -r,--regex",
    ),
    "rabbitmqctl": tool(
        {_DROP: "reset|force_reset|stop_app|delete_vhost|delete_queue", _DELETE: "purge_queue|delete_user|forget_cluster_node"},
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
    "kcat": tool({}, "-b= -t= -C -P -L -e -o= -p= -G="),
}
