"""Clusters and infrastructure: deletions, and commands that run inside."""

import re
from collections.abc import Iterator

from toolgate.locality import is_local_cluster
from toolgate.model.effect import Interpret, Operation, Prints, Read, Reported, Run, Site, Write
from toolgate.model.seen import Seen
from toolgate.model.word import EMPTY, Maybe, Word, joined, known

from .convention import written
from .options import Flags, Given
from .program import Program, via
from .verbs import changes_at_provider, tool

KUBECTL = Flags(
    "-n,--namespace= -f,--filename= -k,--kustomize= -l,--selector= --context= --kubeconfig=read --cluster= --user= --as= --as-group= --token= -o,--output= -A,--all-namespaces"
    " --all --force --grace-period= --now --dry-run=? --wait=? -R,--recursive -c,--container= -i,--stdin -t,--tty -w,--watch --replicas= --current-replicas= --cascade=?"
    " --timeout= --request-timeout= -it -s,--server= --prune --prune-allowlist= --image= --command --rm --restart= --env= --overrides= --port= --labels= --field-selector="
    " --sort-by= -v,--v= --ignore-daemonsets --delete-emptydir-data --delete-local-data --pod-selector= --disable-eviction --field-manager= --server-side --validate=?"
    " -p,--patch= --type= --tail= --since= --previous --follow -q,--quiet --target= --profile= --to-revision= -h,--help --insecure-skip-tls-verify --ignore-not-found=?"
)


_KUBECTL_CHANGES = changes_at_provider(
    rights="create clusterrolebinding|rolebinding --clusterrole=cluster-admin; certificate approve"
)


def kubectl(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = KUBECTL.read(argv)
    if given.flag("--help") is True:
        return
    yield from _KUBECTL_CHANGES(argv, seen) if _is_dry(given) is not True else ()
    verb = given.operands[0].text if given.operands else None
    for file in given.all("--filename"):
        if file.text not in ("-", None) and "://" not in file.shown:
            yield Read(seen.place(file), seen.origin)
    if verb in ("exec", "run", "debug"):
        yield from _inside(argv, given, seen)
        return
    if verb == "cp":
        yield from _copied(given, seen)
    elif _takes_away(verb, given):
        rest = given.operands[1:]
        flags: tuple[tuple[str, Maybe], ...] = (
            ("dry_run", _is_dry(given)),
            ("all", given.flag("--all", "--all-namespaces")),
            ("scale", verb == "scale"),
            ("local", _is_local(given, seen)),
        )
        yield Operation("kubernetes.delete", seen.origin, joined(rest) if rest else None, flags)
    yield Prints(seen.output(via(argv)))


def _is_local(given: Given, seen: Seen) -> bool:
    """Tell whether the call names a cluster of this machine, and no other server or user."""
    if given.value("--server", "--cluster", "--user", "--token", "--as") is not None or given.strange:
        return False
    named = (*given.operands, *given.all("--namespace", "--filename", "--selector"))
    return is_local_cluster(given.value("--context"), given.value("--kubeconfig"), named, seen)


def _takes_away(verb: str | None, given: Given) -> bool:
    match verb:
        case "delete" | "drain" | "cordon":
            return True
        case "patch":
            return any(_EMPTIES.search(word.shown) for word in given.all("--patch"))
        case "adm":
            return any(word.text in ("drain", "prune") for word in given.operands[1:2])
        case "taint":
            return any(word.tail.endswith(":NoExecute") for word in given.operands[1:])
        case "replace":
            return given.flag("--force") is not False
        case "apply":
            return given.flag("--prune") is True
        case "scale":
            return any(word.text == "0" for word in given.all("--replicas"))
        case _:
            return False


_EMPTIES = re.compile(r"finalizers[\"' ]*:\s*(null|\[\s*\])|\breplicas[\"' ]*:\s*0\b|metadata/finalizers")
"""A patch that removes finalizers, or scales to zero."""


def _is_dry(given: Given) -> Maybe:
    value = given.value("--dry-run")
    if value is not None and value.equals("none", "false") is not False:
        return False
    return given.flag("--dry-run")


def _inside(argv: tuple[Word, ...], given: Given, seen: Seen) -> Iterator[Reported]:
    """`kubectl exec POD -- CMD`, `kubectl run NAME --image=x -- CMD`."""
    ends = [n for n, word in enumerate(argv) if word.text == "--"]
    command = argv[ends[0] + 1 :] if ends else tuple(given.operands[2:])
    name = given.operands[1].shown if len(given.operands) > 1 else "?"
    if command:
        sure = None if given.strange and not ends else True
        verb = given.operands[0].shown
        site = Site(f"container:{'running' if verb == 'exec' else 'pod'}/{name}")
        yield Run(tuple(command), seen.origin, f"{via(argv)} {verb}", site, known("/"), sure=sure)


def _copied(given: Given, seen: Seen) -> Iterator[Reported]:
    if len(given.operands) == 3:
        _, source, target = given.operands
        if not source.partition(":")[1]:
            yield Read(seen.place(source), seen.origin)
        if not target.partition(":")[1]:
            yield Write(seen.place(target), seen.output(f"what {source.shown} holds"), None, seen.origin)


TERRAFORM = Flags(
    "-chdir= -auto-approve -destroy -target= -var= -var-file=read -state= -lock=? -input=? -no-color -refresh=? -parallelism= -out= -replace= -force -json -upgrade"
    " -reconfigure -migrate-state -backend-config= -lock-timeout= -compact-warnings -detailed-exitcode -refresh-only --terragrunt-non-interactive --terragrunt-working-dir="
    " --working-dir= --non-interactive --all -a --queue-include-dir= --config= --log-level= -h,-help,--help -v,-version,--version"
)
_DESTROYING = known("a plan that destroys")
_TERRAGRUNT = ("run-all", "run", "stack", "exec")


def terraform(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """terraform, tofu, terragrunt."""
    given = TERRAFORM.read(argv)
    words = [word for word in given.operands if word.text not in _TERRAGRUNT]
    if given.flag("--help", "--version") is True or not words:
        return
    verb, second = words[0].text, words[1].text if len(words) > 1 else None
    approved = given.flag("-auto-approve")
    for file in given.all("-out"):
        plan = _DESTROYING if verb == "plan" and given.flag("-destroy") is True else None
        yield written(file, False, seen)._replace(content=plan, append=False)
    if verb == "apply" and any(content.text == _DESTROYING.text for word in words[1:] for content in seen.contents(word)):
        yield Operation("infrastructure.destroy", seen.origin, joined(words[:2]), (("approved", True),))
    if verb in ("destroy", "destroy-all") or (verb == "apply" and given.flag("-destroy") is not False):
        yield Operation("infrastructure.destroy", seen.origin, words[0], (("approved", approved),))
    elif verb == "apply" and approved is True and len(words) == 1:
        yield Operation("infrastructure.destroy", seen.origin, words[0], (("approved", True), ("unseen", True)))
    elif (
        (verb == "state" and second in ("rm", "push", "replace-provider"))
        or (verb == "workspace" and second == "delete")
        or (verb in ("taint", "force-unlock") and second is not None)
    ):
        yield Operation("infrastructure.destroy", seen.origin, joined(words[:3]), (("approved", True), ("record", True)))
    yield Prints(seen.output(via(argv)))


ANSIBLE = Flags(
    "-m,--module-name= -a,--args= -i,--inventory= -b,--become --become-user= --become-method= -u,--user= -k,--ask-pass -K,--ask-become-pass -f,--forks= -l,--limit="
    " -C,--check -D,--diff -e,--extra-vars= -o,--one-line -t,--tree= -v,--verbose -vv -vvv -B,--background= -P,--poll= -c,--connection= -T,--timeout= --private-key="
    " --vault-password-file= --ask-vault-pass -J -M,--module-path= --list-hosts --playbook-dir= --syntax-check -h,--help --version"
)
_SHELLS = ("shell", "command", "raw", "win_shell", "win_command")


def ansible(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`ansible HOSTS -m MODULE -a ARGUMENTS`: one task on many machines."""
    given = ANSIBLE.read(argv)
    module, task = given.value("--module-name") or known("command"), given.value("--args") or EMPTY
    if given.operands and given.flag("--check", "--list-hosts", "--syntax-check", "--help") is not True:
        site = Site(f"ssh:{given.operands[0].shown}", "root" if given.flag("--become") is True else "")
        name = (module.text or "").rpartition(".")[2]
        if name in _SHELLS:
            yield Interpret("shell", task, seen.origin, via="ansible", site=site)
        elif name in ("reboot", "shutdown"):
            yield Operation("power.off", seen.origin, given.operands[0])
        else:
            yield from _task(name, dict(each.split("=", 1) for each in task.shown.split() if "=" in each), site, seen)
    yield Prints(seen.output("ansible"))


def _task(module: str, settings: dict[str, str], site: Site, seen: Seen) -> Iterator[Reported]:
    """Yield the effects of a module with `name=value` settings."""
    state = settings.get("state")
    name = settings.get("path") or settings.get("dest") or settings.get("name") or ""
    if module == "file" and state == "absent":
        yield Run((known("rm"), known("-rf"), known(name)), seen.origin, "ansible", site)
    elif module in ("service", "systemd", "systemd_service") and state == "stopped":
        yield Run((known("systemctl"), known("stop"), known(name)), seen.origin, "ansible", site)
    elif module in ("filesystem", "lvg", "lvol", "parted") and (state == "absent" or module == "filesystem"):
        yield Operation("disk.destroy", seen.origin, known(settings.get("dev") or settings.get("device") or name))
    elif module.endswith("_db") and state == "absent":
        yield Operation("database.drop", seen.origin, known(name), (("disposable", False),))
    elif (state in ("absent", "terminated") and module not in _EDITS) or settings.get("flush") == "yes":
        yield Operation("infrastructure.destroy", seen.origin, known(f"{module} {name}".strip()))


_EDITS = ("lineinfile", "blockinfile", "ini_file", "pip", "npm", "gem", "git_config", "alternatives")
"""Modules for which `absent` removes a line or a library."""
_HELM = "-n,--namespace= --kube-context= --kubeconfig= --keep-history --no-hooks --timeout= --wait -f,--values= --set= --debug -a,--all"
_KUBERNETES = "kubernetes.delete"
_DESTROY = "infrastructure.destroy"
_DRY = "--dry-run=? --dryrun"


_HELM_FORMS = tool({_KUBERNETES: "uninstall|delete|del|un", "package.publish": "push"}, _HELM)


def helm(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(_HELM).read(argv)
    named = (*given.operands, *given.all("--namespace"))
    local = not given.strange and is_local_cluster(given.value("--kube-context"), given.value("--kubeconfig"), named, seen)
    for effect in _HELM_FORMS.effects(argv, seen):
        is_loss = isinstance(effect, Operation) and effect.name == _KUBERNETES
        yield effect._replace(flags=(*effect.flags, ("local", local))) if isinstance(effect, Operation) and is_loss else effect


def destroys(forms: str, options: str = "", *, dry: str = _DRY) -> Program:
    return tool({_DESTROY: forms}, options, dry=dry)


_INSTANCES = destroys(
    "delete; storage|image|network|profile|project|snapshot delete; storage volume delete",
    "-f,--force --project= -i,--interactive",
)
_EXEC = Flags(
    "--project= --cwd= --env= --mode= --user= --group= -t,--force-interactive -T,--force-noninteractive -n,--disable-stdin -q,--quiet"
)


def instances(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """lxc, incus: `exec INSTANCE -- COMMAND` runs in the instance."""
    if len(argv) > 3 and argv[1].text == "exec":
        words = [word for word in argv[2:] if word.text != "--"]
        rest = words[_EXEC.read(tuple(words), start=0, stop=True).rest :]
        if len(rest) > 1:
            yield Run(tuple(rest[1:]), seen.origin, via(argv, "exec"), Site(f"container:running/{rest[0].shown}"))
    else:
        yield from _INSTANCES.effects(argv, seen)


_VAGRANT_SSH = Flags("-c,--command= -p,--plain -t,--tty -h,--help")
_VAGRANT = destroys(
    "destroy; box remove|prune; snapshot delete",
    "-f,--force --parallel -g,--graceful --provider= --box-version= --all",
    dry="-n,--dry-run",
)


def vagrant(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """`vagrant ssh [NAME] -c CODE` runs on the virtual machine."""
    if len(argv) > 1 and argv[1].text in ("ssh", "powershell", "winrm"):
        for code in _VAGRANT_SSH.read(argv).all("--command"):
            yield Interpret("shell", code, seen.origin, via="vagrant ssh", site=Site("ssh:vagrant"))
    else:
        yield from _VAGRANT.effects(argv, seen)


AWS_COPILOT = destroys("app|env|svc|job|pipeline|task delete", "-n,--name= -e,--env= -a,--app= --yes")
"""Amazon's program, which has the same name as GitHub's agent."""
ROWS: dict[str, Program] = {
    **dict.fromkeys(("kubectl", "oc", "k", "kubecolor", "microk8s.kubectl"), Program(does=kubectl)),
    "ansible": Program(does=ansible),
    "kubeadm": tool({_KUBERNETES: "reset"}, "-f,--force --cri-socket="),
    "rke": tool({_KUBERNETES: "remove"}, "--config= --force"),
    "talosctl": tool({_KUBERNETES: "reset; cluster destroy"}, "-n,--nodes= -e,--endpoints= --context="),
    "microk8s": tool({_KUBERNETES: "reset"}, "--destroy-storage"),
    "skaffold": tool({_KUBERNETES: "delete"}, "-f,--filename= -p,--profile= -n,--namespace="),
    "devspace": tool({_KUBERNETES: "purge; reset **"}, "-n,--namespace= --kube-context="),
    "okteto": tool(
        {_KUBERNETES: "destroy; down --volumes; namespace|preview delete|destroy"}, "-v,--volumes -n,--namespace= -f,--file="
    ),
    "tilt": tool({_KUBERNETES: "down"}, "-f,--file= -n,--namespace= --context= --delete-namespaces"),
    "werf": tool({_KUBERNETES: "dismiss|purge; host purge"}, "--env= --repo= --with-namespace --with-hooks"),
    "kluctl": tool({_KUBERNETES: "delete|prune"}, "-t,--target= -y,--yes -a,--arg="),
    "clusterctl": tool(
        {_KUBERNETES: "delete"}, "--all --include-crd --include-namespace --infrastructure= -b,--bootstrap= --kubeconfig="
    ),
    "vcluster": tool({_KUBERNETES: "delete"}, "-n,--namespace= --context="),
    "virtctl": tool({_KUBERNETES: "stop|restart|pause|migrate-cancel"}, "-n,--namespace= --force --grace-period="),
    "argo": tool(
        {_KUBERNETES: "delete; archive|cron|template|cluster-template delete; terminate|stop"}, "-n,--namespace= --all --older="
    ),
    "tkn": tool({_KUBERNETES: "* delete|rm; * cancel"}, "-n,--namespace= -f,--force --all"),
    "docker-machine": destroys("rm", "-f,--force -y"),
    "ctr": tool(
        {"container.remove": "images|image|i rm|delete|remove; containers|container|c rm|delete; snapshots rm"},
        "-n,--namespace= -a,--address=",
    ),
    "buildah": tool({"container.prune": "rm -a|--all; rmi -a|--all; prune"}, "-a,--all -f,--force"),
    **dict.fromkeys(("helm", "helm3"), Program(does=helm)),
    "helmfile": tool({_KUBERNETES: "destroy|delete"}, "-f,--file= -e,--environment= -n,--namespace= -l,--selector="),
    "argocd": tool(
        {_KUBERNETES: "app|appset|proj|cluster|repo delete|rm|delete-resource; app sync --prune"},
        "--server= --auth-token= --grpc-web -y,--yes -p= -l,--selector=",
    ),
    "flux": tool({_KUBERNETES: "delete **; uninstall"}, "-n,--namespace= --context= -s,--silent"),
    "velero": tool(
        {_KUBERNETES: "backup|restore|schedule|backup-location|snapshot-location delete; delete **; uninstall"},
        "-n,--namespace= --confirm --all",
    ),
    **dict.fromkeys(
        ("istioctl", "linkerd", "cilium"),
        tool({_KUBERNETES: "uninstall; x|experimental uninstall"}, "--purge -n,--namespace= -y,--skip-confirmation"),
    ),
    "eksctl": destroys("delete **", "-f,--config-file= -r,--region= -n,--name= -p,--profile="),
    "kops": destroys("delete **", "--name= --state= -y,--yes"),
    "rancher": destroys("delete **; cluster|clusters delete; rm **", "--config="),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), Program(does=terraform)),
    "pulumi": destroys(
        "destroy|dn|down; stack rm; state delete; state unprotect; up|update --yes|--skip-preview",
        "-s,--stack= -y,--yes -C,--cwd= --non-interactive -f,--force",
        dry="--preview-only --dry-run",
    ),
    **dict.fromkeys(
        ("cdk", "cdktf", "aws-cdk"), destroys("destroy", "-a,--app= -f,--force --profile= -c,--context= --all --auto-approve")
    ),
    "sst": destroys("remove", "--stage= --target="),
    **dict.fromkeys(
        ("serverless", "sls"),
        destroys("remove; delete; rollback function", "-s,--stage= -r,--region= -c,--config= --aws-profile= --force --verbose"),
    ),
    "sam": destroys("delete", "--stack-name= --region= --profile= --no-prompts --config-env= --config-file="),
    "eb": destroys("terminate; delete", "-p,--profile= -r,--region= --force --all"),
    "amplify": destroys("delete; env remove; remove **", "--force --yes"),
    "zappa": destroys("undeploy", "-a,--all -y,--yes -s="),
    "vagrant": Program(does=vagrant),
    "nomad": destroys(
        "job stop --purge|-purge; stop --purge|-purge; system gc; namespace delete; volume delete|deregister",
        "-purge -address= -region= -namespace= -yes -detach",
    ),
    "consul": tool({"database.delete": "kv delete -recurse|--recurse"}, "-recurse -http-addr= -token= -datacenter="),
    **dict.fromkeys(
        ("vault", "bao"),
        tool(
            {
                _DESTROY: "secrets|auth disable; delete; kv delete; kv destroy; kv metadata delete; namespace delete; operator seal|step-down; plugin deregister;"
                " lease revoke -prefix; token|lease revoke; policy delete; audit disable",
            },
            "-address= -namespace= -mount= -format= -field= -versions= -prefix -force",
            dry=_DRY,
        ),
    ),
    "virsh": destroys(
        "undefine; destroy; vol-delete|vol-wipe; pool-delete|pool-destroy; snapshot-delete; net-destroy",
        "-c,--connect= --domain= --pool= --remove-all-storage",
    ),
    "VBoxManage": destroys(
        "unregistervm --delete; controlvm * poweroff|reset; closemedium **; snapshot * delete", "-delete --delete"
    ),
    **dict.fromkeys(("lxc", "incus"), Program(does=instances)),
    **dict.fromkeys(("qm", "pct"), destroys("destroy", "--purge --force --skiplock")),
    "xe": destroys("vm-destroy|vm-uninstall|vdi-destroy|sr-destroy|sr-forget|host-forget|snapshot-destroy|pool-eject"),
    **dict.fromkeys(("lxc-destroy",), destroys("*; -n|--name", "-n,--name= -f,--force -s,--snapshots -P=")),
    "pvesh": destroys("delete *", "--purge= --output-format="),
    "juju": destroys(
        "destroy-controller|destroy-model|kill-controller|remove-application|remove-machine|remove-unit|remove-storage|remove-user",
        "-m,--model= -c,--controller= --destroy-all-models --destroy-storage -y,--yes,--no-prompt --force",
    ),
    "bosh": destroys(
        "delete-*; clean-up --all; recreate", "-e,--environment= -d,--deployment= -n,--non-interactive --force --all"
    ),
    "vim-cmd": destroys("vmsvc/destroy|vmsvc/unregister|vmsvc/power.off"),
    "k0s": destroys("reset; stop", "--config= --data-dir="),
    "ecs-cli": destroys("down; compose down|rm|stop; compose service down|rm|delete", "-c,--cluster= -f,--force -r,--region="),
    "wsl": destroys("--unregister", "--unregister= -d,--distribution="),
    "govc": destroys(
        "vm.destroy|datastore.rm|pool.destroy|host.remove|snapshot.remove|folder.destroy|object.destroy|volume.rm", "-k -u="
    ),
    "ovs-vsctl": destroys("del-br|emer-reset"),
}
