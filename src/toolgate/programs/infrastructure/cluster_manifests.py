"""Manifests applied to a cluster, from files, standard input and addresses, and pods with access to their node."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Carrier, Interpret, Operation, ReportedEffect
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import Word, known_word
from toolgate.programs.argv.options import Flags

_CLIENTS = frozenset(("kubectl", "oc", "k", "kubecolor", "microk8s.kubectl"))
_KUBECTL_OPTIONS = Flags(
    "-f,--filename= -p,--patch= -k,--kustomize= -n,--namespace= --context= -o,--output= --dry-run=? -l,--selector= --overrides= --profile= --image= --privileged --kubeconfig= --restart= -it -i -t"
)
_APPLYING_VERBS = ("apply", "create", "replace")
_NODE_ACCESS = re.compile(
    r"[\"']?privileged[\"']?\s*:\s*true|[\"']?host(?:PID|IPC|Network)[\"']?\s*:\s*true|[\"']?hostPath[\"']?\s*:\s*[\s{]*[\"']?path[\"']?\s*:\s*[\"']?(?:/|/etc|/var/run|/root|/home|/var/lib)[\"']?\s*(?:$|[},\n])"
    r"|docker\.sock|containerd\.sock",
    re.MULTILINE,
)
_EVERY_PEER = re.compile(r"\bingress:[ \t]*(?:\[[ \t]*\{[ \t]*\}[ \t]*\]|\n[ \t]*-[ \t]*\{[ \t]*\})")
_PUBLIC_SERVICE = re.compile(r"\btype:[ \t]*[\"']?(?:LoadBalancer|NodePort)\b")
_DATABASE_PORT = re.compile(r"\bport:[ \t]*(?:5432|3306|1433|1521|6379|27017|9200|9042|11211|5672|2379|5984|8086)\b")
_CLUSTER_ADMIN_BINDING = re.compile(r"ClusterRoleBinding(?:.|\n)*?name\s*:\s*[\"']?cluster-admin")


def find_manifests(name: str, argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of what a cluster client is told to apply."""
    if name in ("helm", "helm3") and any(word.text in ("install", "upgrade") for word in argv[1:3]):
        for word in argv[2:]:
            if word.starts_with("http") is True and word.contains("://") is True:
                yield Operation("package.source", context.origin, word)
    if name not in _CLIENTS:
        return
    ends = next((n for n, word in enumerate(argv) if word.text == "--"), len(argv))
    options = _KUBECTL_OPTIONS.parse(argv[:ends])
    verb = options.operands[0].text if options.operands else None
    if options.value_of("--dry-run") is not None and options.value_of("--dry-run") != known_word("none"):
        return
    if verb in _APPLYING_VERBS:
        for file in (*options.values_of("--filename"), *options.values_of("--kustomize")):
            yield from _apply_manifest(file, context)
    elif verb in ("run", "patch"):
        changes = any(_NODE_ACCESS.search(word.outline) for word in options.values_of("--overrides", "--patch"))
        if options.has_flag("--privileged") is True or changes:
            yield Operation("container.escape", context.origin, known_word("a privileged pod"))
    elif verb == "debug" and any((word.text or "").startswith(("node/", "nodes/")) for word in options.operands[1:2]):
        yield Operation("container.escape", context.origin, options.operands[1])


def _opens_to_everybody(document: str) -> bool:
    """Returns whether a manifest is a policy that lets everybody in, or a public service of a database's port."""
    if "NetworkPolicy" in document:
        return _EVERY_PEER.search(document) is not None
    return _PUBLIC_SERVICE.search(document) is not None and _DATABASE_PORT.search(document) is not None


def _apply_manifest(file: Word, context: ExecutionContext) -> Iterator[ReportedEffect]:
    if file.contains("://") is True:
        yield Operation("package.source", context.origin, file)
        return
    texts = (context.stdin,) if file.text == "-" else context.read_alternatives(file)
    for text in texts:
        if file.text == "-":
            yield Interpret("kubernetes", text, context.origin, via=Carrier("kubectl", "apply"))
        plain = "".join(part for part in text.parts if isinstance(part, str))
        if _NODE_ACCESS.search(plain):
            yield Operation("container.escape", context.origin, known_word("a pod of the manifest"))
        elif any(map(_opens_to_everybody, plain.split("\n---"))):
            yield Operation("network.expose", context.origin, known_word("a manifest that opens a port to everybody"))
        elif _CLUSTER_ADMIN_BINDING.search(plain):
            yield Operation("cloud.delete", context.origin, known_word("cluster-admin"), (("dry_run", False), ("rights", True)))
