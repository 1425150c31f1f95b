"""Manifests applied to a cluster, from files, standard input and addresses, and pods with access to their node."""

import re
from collections.abc import Iterator

from toolgate.model.effect import Interpret, Operation, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, known

from .options import Flags

_CLIENTS = frozenset(("kubectl", "oc", "k", "kubecolor", "microk8s.kubectl"))
_FLAGS = Flags(
    "-f,--filename= -k,--kustomize= -n,--namespace= --context= -o,--output= --dry-run=? -l,--selector= --overrides= --profile= --image= --privileged --kubeconfig= --restart= -it -i -t"
)
_APPLIES = ("apply", "create", "replace")
_REACHES_THE_NODE = re.compile(
    r"[\"']?privileged[\"']?\s*:\s*true|[\"']?host(?:PID|IPC)[\"']?\s*:\s*true|[\"']?hostPath[\"']?\s*:\s*[\s{]*[\"']?path[\"']?\s*:\s*[\"']?(?:/|/etc|/var/run|/root|/home|/var/lib)[\"']?\s*(?:$|[},\n])"
    r"|docker\.sock|containerd\.sock",
    re.MULTILINE,
)
_GIVES_ALL = re.compile(r"ClusterRoleBinding(?:.|\n)*?name\s*:\s*[\"']?cluster-admin")


def find_manifests(name: str, argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """Yield the effects of what a cluster client is told to apply."""
    if name in ("helm", "helm3") and any(word.text in ("install", "upgrade") for word in argv[1:3]):
        for word in argv[2:]:
            if word.starts("http") is True and word.contains("://") is True:
                yield Operation("package.source", seen.origin, word)
    if name not in _CLIENTS:
        return
    ends = next((n for n, word in enumerate(argv) if word.text == "--"), len(argv))
    given = _FLAGS.read(argv[:ends])
    verb = given.operands[0].text if given.operands else None
    if given.value("--dry-run") is not None and given.value("--dry-run") != known("none"):
        return
    if verb in _APPLIES:
        for file in (*given.all("--filename"), *given.all("--kustomize")):
            yield from _applied(file, seen)
    elif verb == "run":
        overrides = any(_REACHES_THE_NODE.search(word.shown) for word in given.all("--overrides"))
        if given.flag("--privileged") is True or overrides:
            yield Operation("container.escape", seen.origin, known("a privileged pod"))
    elif verb == "debug" and any((word.text or "").startswith(("node/", "nodes/")) for word in given.operands[1:2]):
        yield Operation("container.escape", seen.origin, given.operands[1])


def _applied(file: Word, seen: Seen) -> Iterator[Reported]:
    if file.contains("://") is True:
        yield Operation("package.source", seen.origin, file)
        return
    texts = (seen.stdin,) if file.text == "-" else seen.contents(file)
    for text in texts:
        if file.text == "-":
            yield Interpret("kubernetes", text, seen.origin, via="kubectl apply")
        plain = "".join(part for part in text.parts if isinstance(part, str))
        if _REACHES_THE_NODE.search(plain):
            yield Operation("container.escape", seen.origin, known("a pod of the manifest"))
        elif _GIVES_ALL.search(plain):
            yield Operation("cloud.delete", seen.origin, known("cluster-admin"), (("dry_run", False), ("rights", True)))
