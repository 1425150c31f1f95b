"""Clusters and infrastructure: deletions, and commands that run inside."""

import re
from collections.abc import Iterator

from toolgate.locality import is_local_cluster
from toolgate.model.address import host_of, is_loopback
from toolgate.model.effect import Carrier, Interpret, Operation, PrintedOutput, Read, ReportedEffect, Run, Site
from toolgate.model.execution_context import ExecutionContext
from toolgate.model.word import EMPTY, Maybe, Word, join_words, known_word
from toolgate.programs.argv.conventions import build_write
from toolgate.programs.argv.options import Flags, ParsedOptions
from toolgate.programs.argv.program import Program, make_carrier, program_name
from toolgate.programs.argv.subcommands import program_of_forms, provider_change_handler

from .container_copies import copy_container_files
from .emulated_providers import leads_to_stand_in
from .fleets import add_remote_shell
from .listed_names import list_names_of_secrets
from .local_targets import unless_for_tests, unless_local
from .pod_names import name_pod

KUBECTL = Flags(
    "-n,--namespace= -f,--filename= -k,--kustomize= -l,--selector= --context= --kubeconfig=read --cluster= --user= --as= --as-group= --token= -o,--output= -A,--all-namespaces"
    " --all --force --grace-period= --now --dry-run=? --wait=? -R,--recursive -c,--container= -i,--stdin -t,--tty -w,--watch --replicas= --current-replicas= --cascade=?"
    " --timeout= --request-timeout= -it -s,--server= --prune --prune-allowlist= --image= --command --rm --restart= --env= --overrides= --port= --labels= --field-selector="
    " --sort-by= -v,--v= --ignore-daemonsets --delete-emptydir-data --delete-local-data --pod-selector= --disable-eviction --field-manager= --server-side --validate=?"
    " -p,--patch= --from-file= --from-env-file= --from-literal= --type= --tail= --since= --previous --follow -q,--quiet --target= --profile= --to-revision= --clusterrole= --role= --serviceaccount= --group= --verb= --resource= -h,--help --insecure-skip-tls-verify --ignore-not-found=?"
)
_RIGHTS = "create clusterrolebinding|rolebinding --clusterrole=cluster-admin; certificate approve"
_KUBECTL_CHANGES = provider_change_handler(rights=_RIGHTS)


def kubectl(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = KUBECTL.parse(argv)
    if options.has_flag("--help") is True:
        return
    if _is_dry_run(options) is not True and not names_local_cluster(options, context):
        yield from _KUBECTL_CHANGES(argv, context)
    verb = options.operands[0].text if options.operands else None
    for value in options.values_of("--from-file", "--from-env-file"):
        _, named, file = value.partition("=")
        yield Read(context.resolve_place(file if named else value), context.origin)
    for file in options.values_of("--filename"):
        if file.text not in ("-", None) and "://" not in file.outline:
            yield Read(context.resolve_place(file), context.origin)
    if verb in ("exec", "run", "debug"):
        yield from _run_in_pod(argv, options, context)
        return
    if verb == "cp" and len(options.operands) == 3:
        yield from copy_container_files(options.operands[1], options.operands[2], context)
    elif _is_deletion(verb, options):
        rest = options.operands[1:]
        flags: tuple[tuple[str, Maybe], ...] = (
            ("dry_run", _is_dry_run(options)),
            ("all", options.has_flag("--all", "--all-namespaces")),
            ("scale", verb == "scale"),
            ("local", names_local_cluster(options, context)),
        )
        yield Operation("kubernetes.delete", context.origin, join_words(rest) if rest else None, flags)
    own = context.unknown_output(program_name(argv))
    yield PrintedOutput(list_names_of_secrets(options, own) if verb == "get" else own)


def names_local_cluster(options: ParsedOptions, context: ExecutionContext) -> bool:
    """Returns whether the call names a cluster of this machine, and no other server or user."""
    if options.value_of("--server", "--cluster", "--user", "--token", "--as") is not None or options.strange:
        return False
    named = (*options.operands, *options.values_of("--namespace", "--filename", "--selector"))
    return is_local_cluster(options.value_of("--context"), options.value_of("--kubeconfig"), named, context)


def _is_deletion(verb: str | None, options: ParsedOptions) -> bool:
    match verb:
        case "delete" | "drain" | "cordon":
            return True
        case "patch":
            return any(_EMPTYING_PATCH.search(word.outline) for word in options.values_of("--patch"))
        case "adm":
            return any(word.text in ("drain", "prune") for word in options.operands[1:2])
        case "taint":
            return any(word.tail.endswith(":NoExecute") for word in options.operands[1:])
        case "replace":
            return options.has_flag("--force") is not False
        case "apply":
            return options.has_flag("--prune") is True
        case "scale":
            return any(word.text == "0" for word in options.values_of("--replicas"))
        case _:
            return False


_EMPTYING_PATCH = re.compile(r"finalizers[\"' ]*:\s*(null|\[\s*\])|\breplicas[\"' ]*:\s*0\b|metadata/finalizers")
"""A patch that removes finalizers, or scales to zero."""


def _is_dry_run(options: ParsedOptions) -> Maybe:
    value = options.value_of("--dry-run")
    if value is not None and value.is_any_of("none", "false") is not False:
        return False
    return options.has_flag("--dry-run")


def _run_in_pod(argv: tuple[Word, ...], options: ParsedOptions, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`kubectl exec POD -- CMD`, `kubectl run NAME --image=x -- CMD`."""
    ends = [n for n, word in enumerate(argv) if word.text == "--"]
    command = argv[ends[0] + 1 :] if ends else tuple(options.operands[2:])
    name = options.operands[1].display_text if len(options.operands) > 1 else "?"
    if command:
        sure = None if options.strange and not ends else True
        verb = options.operands[0].display_text
        site = Site(f"container:{'running' if verb == 'exec' else 'pod'}/{name_pod(name, options)}")
        yield Run(tuple(command), context.origin, make_carrier(argv, verb), site, known_word("/"), sure=sure)


TERRAFORM = Flags(
    "-chdir= -auto-approve -destroy -target= -var= -var-file=read -state= -lock=? -input=? -no-color -refresh=? -parallelism= -out= -replace= -force -json -upgrade"
    " -reconfigure -migrate-state -backend-config= -lock-timeout= -compact-warnings -detailed-exitcode -refresh-only --terragrunt-non-interactive --terragrunt-working-dir="
    " --working-dir= --non-interactive --all -a --queue-include-dir= --config= --log-level= -h,-help,--help -v,-version,--version"
)
_DESTROY_PLAN = known_word("a plan that destroys")
_TERRAGRUNT = ("run-all", "run", "stack", "exec")


def terraform(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """terraform, tofu, terragrunt. What a provider's stand-in keeps is made again."""
    folder = TERRAFORM.parse(argv).value_of("-chdir")
    for each in _apply_configuration(argv, context):
        if not (isinstance(each, Operation) and leads_to_stand_in(folder, context)):
            yield each


def _apply_configuration(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = TERRAFORM.parse(argv)
    words = [word for word in options.operands if word.text not in _TERRAGRUNT]
    if options.has_flag("--help", "--version") is True or not words:
        return
    verb, second = words[0].text, words[1].text if len(words) > 1 else None
    added = [word for name in ("TF_CLI_ARGS", f"TF_CLI_ARGS_{verb}") for word in context.get_variables(name)]
    if added and all(word.text for word in added):
        options = TERRAFORM.parse((*argv, *(known_word(text) for word in added for text in (word.text or "").split())))
    approved = options.has_flag("-auto-approve")
    for file in options.values_of("-out"):
        plan = _DESTROY_PLAN if verb == "plan" and options.has_flag("-destroy") is True else None
        yield build_write(file, False, context)._replace(content=plan, append=False)
    if verb == "apply" and any(
        content.text == _DESTROY_PLAN.text for word in words[1:] for content in context.read_alternatives(word)
    ):
        yield Operation("infrastructure.destroy", context.origin, join_words(words[:2]), (("approved", True),))
    if verb in ("destroy", "destroy-all") or (verb == "apply" and options.has_flag("-destroy") is not False):
        yield Operation("infrastructure.destroy", context.origin, words[0], (("approved", approved),))
    elif verb == "apply" and approved is True and len(words) == 1:
        yield Operation("infrastructure.destroy", context.origin, words[0], (("approved", True), ("unseen", True)))
    elif (
        (verb == "state" and second in ("rm", "push", "replace-provider"))
        or (verb == "workspace" and second == "delete")
        or (verb in ("taint", "force-unlock") and second is not None)
    ):
        yield Operation("infrastructure.destroy", context.origin, join_words(words[:3]), (("approved", True), ("record", True)))
    yield PrintedOutput(context.unknown_output(program_name(argv)))


def emulated_terraform(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Terraform whose providers are LocalStack's: what it destroys is made again."""
    return (each for each in _apply_configuration(argv, context) if not isinstance(each, Operation))


ANSIBLE = Flags(
    "-m,--module-name= -a,--args= -i,--inventory= -b,--become --become-user= --become-method= -u,--user= -k,--ask-pass -K,--ask-become-pass -f,--forks= -l,--limit="
    " -C,--check -D,--diff -e,--extra-vars= -o,--one-line -t,--tree= -v,--verbose -vv -vvv -B,--background= -P,--poll= -c,--connection= -T,--timeout= --private-key="
    " --vault-password-file= --ask-vault-pass -J -M,--module-path= --list-hosts --playbook-dir= --syntax-check -h,--help --version"
)
_SHELL_MODULES = ("shell", "command", "raw", "win_shell", "win_command")


def ansible(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`ansible HOSTS -m MODULE -a ARGUMENTS`: one task on many machines."""
    options = ANSIBLE.parse(argv)
    module, task = options.value_of("--module-name") or known_word("command"), options.value_of("--args") or EMPTY
    if options.operands and options.has_flag("--check", "--list-hosts", "--syntax-check", "--help") is not True:
        site = Site(f"ssh:{options.operands[0].display_text}", "root" if options.has_flag("--become") is True else "")
        name = (module.text or "").rpartition(".")[2]
        if name in _SHELL_MODULES:
            yield Interpret("shell", task, context.origin, via=Carrier("ansible"), site=site)
        elif name in ("reboot", "shutdown"):
            yield Operation("power.off", context.origin, options.operands[0])
        else:
            yield from _effects_of_task(
                name, dict(each.split("=", 1) for each in task.outline.split() if "=" in each), site, context
            )
    yield PrintedOutput(context.unknown_output("ansible"))


def _effects_of_task(module: str, settings: dict[str, str], site: Site, context: ExecutionContext) -> Iterator[ReportedEffect]:
    """Yields the effects of a module with `name=value` settings."""
    state = settings.get("state")
    name = settings.get("path") or settings.get("dest") or settings.get("name") or ""
    if module == "file" and state == "absent":
        yield Run((known_word("rm"), known_word("-rf"), known_word(name)), context.origin, Carrier("ansible"), site)
    elif module in ("service", "systemd", "systemd_service") and state == "stopped":
        yield Run((known_word("systemctl"), known_word("stop"), known_word(name)), context.origin, Carrier("ansible"), site)
    elif module in ("filesystem", "lvg", "lvol", "parted") and (state == "absent" or module == "filesystem"):
        yield Operation("disk.destroy", context.origin, known_word(settings.get("dev") or settings.get("device") or name))
    elif module.endswith("_db") and state == "absent":
        yield Operation("database.drop", context.origin, known_word(name), (("disposable", False),))
    elif (state in ("absent", "terminated") and module not in _LINE_MODULES) or settings.get("flush") == "yes":
        yield Operation("infrastructure.destroy", context.origin, known_word(f"{module} {name}".strip()))


_LINE_MODULES = ("lineinfile", "blockinfile", "ini_file", "pip", "npm", "gem", "git_config", "alternatives")
"""Modules for which `absent` removes a line or a library."""
_HELM = (
    "-n,--namespace= --kube-context= --kubeconfig= --keep-history --no-hooks --timeout= --wait -f,--values= --set= --debug -a,--all"
    " --ignore-not-found --cascade= --description="
)
_KUBERNETES_DELETE = "kubernetes.delete"
_DESTROY_OPERATION = "infrastructure.destroy"
_DRY_RUN_OPTIONS = "--dry-run=? --dryrun"
_HELM_FORMS = program_of_forms({_KUBERNETES_DELETE: "uninstall|delete|del|un", "package.publish": "push"}, _HELM)


def helm(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    options = Flags(_HELM).parse(argv)
    named = (*options.operands, *options.values_of("--namespace"))
    kube_context, config = options.value_of("--kube-context"), options.value_of("--kubeconfig")
    local = not options.strange and is_local_cluster(kube_context, config, named, context)
    if any(is_loopback(host_of(word.text or "")) for word in options.operands[1:]):
        return  # a registry of this machine
    for effect in _HELM_FORMS.effects_of_call(argv, context):
        is_loss = isinstance(effect, Operation) and effect.name == _KUBERNETES_DELETE
        yield effect._replace(flags=(*effect.flags, ("local", local))) if isinstance(effect, Operation) and is_loss else effect


def destruction_forms(forms: str, options: str = "", *, dry: str = _DRY_RUN_OPTIONS) -> Program:
    return program_of_forms({_DESTROY_OPERATION: forms}, options, dry=dry)


_INSTANCES = destruction_forms(
    "delete; storage|image|network|profile|project|snapshot delete; storage volume delete",
    "-f,--force --project= -i,--interactive",
)
_EXEC = Flags(
    "--project= --cwd= --env= --mode= --user= --group= -t,--force-interactive -T,--force-noninteractive -n,--disable-stdin -q,--quiet"
)


def lxc(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """lxc, incus: `exec INSTANCE -- COMMAND` runs in the instance."""
    if len(argv) > 3 and argv[1].text == "exec":
        words = [word for word in argv[2:] if word.text != "--"]
        rest = words[_EXEC.parse(tuple(words), start=0, stop=True).rest :]
        if len(rest) > 1:
            yield Run(
                tuple(rest[1:]), context.origin, make_carrier(argv, "exec"), Site(f"container:running/{rest[0].display_text}")
            )
    else:
        yield from _INSTANCES.effects_of_call(argv, context)


_VAGRANT_SSH = Flags("-c,--command= -p,--plain -t,--tty -h,--help")
_VAGRANT_FLAGS = "-f,--force --parallel -g,--graceful --provider= --box-version= --all"
_VAGRANT = destruction_forms("destroy; box remove|prune; snapshot delete", _VAGRANT_FLAGS, dry="-n,--dry-run")


def vagrant(argv: tuple[Word, ...], context: ExecutionContext) -> Iterator[ReportedEffect]:
    """`vagrant ssh [NAME] -c CODE` runs on the virtual machine."""
    if len(argv) > 1 and argv[1].text in ("ssh", "powershell", "winrm"):
        for code in _VAGRANT_SSH.parse(argv).values_of("--command"):
            yield Interpret("shell", code, context.origin, via=Carrier("vagrant", "ssh"), site=Site("ssh:vagrant"))
    else:
        yield from _VAGRANT.effects_of_call(argv, context)


AWS_COPILOT = destruction_forms("app|env|svc|job|pipeline|task delete", "-n,--name= -e,--env= -a,--app= --yes")
"""Amazon's program, which has the same name as GitHub's agent."""
ROWS: dict[str, Program] = {
    **dict.fromkeys(("kubectl", "oc", "k", "kubecolor", "microk8s.kubectl"), Program(does=kubectl)),
    "ansible": Program(does=ansible),
    "kubeadm": program_of_forms({_KUBERNETES_DELETE: "reset"}, "-f,--force --cri-socket="),
    "rke": program_of_forms({_KUBERNETES_DELETE: "remove"}, "--config= --force"),
    "talosctl": program_of_forms({_KUBERNETES_DELETE: "reset; cluster destroy"}, "-n,--nodes= -e,--endpoints= --context="),
    "microk8s": program_of_forms({_KUBERNETES_DELETE: "reset"}, "--destroy-storage"),
    "skaffold": unless_local(program_of_forms({_KUBERNETES_DELETE: "delete"}, "-f,--filename= -p,--profile= -n,--namespace=")),
    "devspace": unless_local(program_of_forms({_KUBERNETES_DELETE: "purge; reset **"}, "-n,--namespace= --kube-context=")),
    "okteto": program_of_forms(
        {_KUBERNETES_DELETE: "destroy; down --volumes; namespace|preview delete|destroy"},
        "-v,--volumes -n,--namespace= -f,--file=",
    ),
    "tilt": program_of_forms({_KUBERNETES_DELETE: "down"}, "-f,--file= -n,--namespace= --context= --delete-namespaces"),
    "werf": program_of_forms({_KUBERNETES_DELETE: "dismiss|purge; host purge"}, "--env= --repo= --with-namespace --with-hooks"),
    "kluctl": program_of_forms({_KUBERNETES_DELETE: "delete|prune"}, "-t,--target= -y,--yes -a,--arg="),
    "clusterctl": program_of_forms(
        {_KUBERNETES_DELETE: "delete"}, "--all --include-crd --include-namespace --infrastructure= -b,--bootstrap= --kubeconfig="
    ),
    "vcluster": program_of_forms({_KUBERNETES_DELETE: "delete"}, "-n,--namespace= --context="),
    "virtctl": program_of_forms(
        {_KUBERNETES_DELETE: "stop|restart|pause|migrate-cancel"}, "-n,--namespace= --force --grace-period="
    ),
    "argo": program_of_forms(
        {_KUBERNETES_DELETE: "delete; archive|cron|template|cluster-template delete; terminate|stop"},
        "-n,--namespace= --all --older=",
    ),
    "tkn": program_of_forms({_KUBERNETES_DELETE: "* delete|rm; * cancel"}, "-n,--namespace= -f,--force --all"),
    "docker-machine": destruction_forms("rm", "-f,--force -y"),
    "ctr": program_of_forms(
        {"container.remove": "images|image|i rm|delete|remove; containers|container|c rm|delete; snapshots rm"},
        "-n,--namespace= -a,--address=",
    ),
    "buildah": program_of_forms({"container.prune": "rm -a|--all; rmi -a|--all; prune"}, "-a,--all -f,--force"),
    **dict.fromkeys(("helm", "helm3"), Program(does=helm)),
    "molecule": Program(),  # it works on containers of its own
    "helmfile": program_of_forms(
        {_KUBERNETES_DELETE: "destroy|delete"}, "-f,--file= -e,--environment= -n,--namespace= -l,--selector="
    ),
    "argocd": program_of_forms(
        {_KUBERNETES_DELETE: "app|appset|proj|cluster|repo delete|rm|delete-resource; app sync --prune"},
        "--server= --auth-token= --grpc-web -y,--yes -p= -l,--selector=",
    ),
    "flux": program_of_forms({_KUBERNETES_DELETE: "delete **; uninstall"}, "-n,--namespace= --context= -s,--silent"),
    "velero": program_of_forms(
        {_KUBERNETES_DELETE: "backup|restore|schedule|backup-location|snapshot-location delete; delete **; uninstall"},
        "-n,--namespace= --confirm --all",
    ),
    **dict.fromkeys(
        ("istioctl", "linkerd", "cilium"),
        program_of_forms(
            {_KUBERNETES_DELETE: "uninstall; x|experimental uninstall"}, "--purge -n,--namespace= -y,--skip-confirmation"
        ),
    ),
    "eksctl": destruction_forms("delete **", "-f,--config-file= -r,--region= -n,--name= -p,--profile="),
    "kops": destruction_forms("delete **", "--name= --state= -y,--yes"),
    "rancher": destruction_forms("delete **; cluster|clusters delete; rm **", "--config="),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), Program(does=terraform)),
    "tflocal": Program(does=emulated_terraform),
    "pulumi": destruction_forms(
        "destroy|dn|down; stack rm; state delete; state unprotect; up|update --yes|--skip-preview",
        "-s,--stack= -y,--yes -C,--cwd= --non-interactive -f,--force",
        dry="--preview-only --dry-run",
    ),
    **dict.fromkeys(
        ("cdk", "cdktf", "aws-cdk"),
        program_of_forms(
            {_DESTROY_OPERATION: "destroy", "safeguard.weaken": "deploy --require-approval=never"},
            "-a,--app= -f,--force --profile= -c,--context= --all --auto-approve --require-approval=",
        ),
    ),
    "sst": destruction_forms("remove", "--stage= --target="),
    **dict.fromkeys(
        ("serverless", "sls"),
        destruction_forms(
            "remove; delete; rollback function", "-s,--stage= -r,--region= -c,--config= --aws-profile= --force --verbose"
        ),
    ),
    "sam": destruction_forms("delete", "--stack-name= --region= --profile= --no-prompts --config-env= --config-file="),
    "eb": add_remote_shell(destruction_forms("terminate; delete", "-p,--profile= -r,--region= --force --all"), "-c", "--command"),
    "amplify": destruction_forms("delete; env remove; remove **", "--force --yes"),
    "zappa": destruction_forms("undeploy", "-a,--all -y,--yes -s="),
    "vagrant": Program(does=vagrant),
    "nomad": destruction_forms(
        "job stop --purge|-purge; stop --purge|-purge; system gc; namespace delete; volume delete|deregister; var purge",
        "-purge -address= -region= -namespace= -yes -detach",
    ),
    "consul": program_of_forms(
        {"database.delete": "kv delete -recurse|--recurse; snapshot restore"}, "-recurse -http-addr= -token= -datacenter="
    ),
    "virsh": destruction_forms(
        "undefine; destroy; vol-delete|vol-wipe; pool-delete|pool-destroy; snapshot-delete; net-destroy",
        "-c,--connect= --domain= --pool= --remove-all-storage",
    ),
    "VBoxManage": destruction_forms(
        "unregistervm --delete|--delete-all; controlvm * poweroff|reset; closemedium **; snapshot * delete",
        "-delete --delete --delete-all",
    ),
    **dict.fromkeys(("lxc", "incus"), Program(does=lxc)),
    **dict.fromkeys(("qm", "pct"), destruction_forms("destroy", "--purge --force --skiplock")),
    "xe": destruction_forms("vm-destroy|vm-uninstall|vdi-destroy|sr-destroy|sr-forget|host-forget|snapshot-destroy|pool-eject"),
    **dict.fromkeys(("lxc-destroy",), destruction_forms("*; -n|--name", "-n,--name= -f,--force -s,--snapshots -P=")),
    "pvesh": destruction_forms("delete *", "--purge= --output-format="),
    "juju": destruction_forms(
        "destroy-controller|destroy-model|kill-controller|remove-application|remove-machine|remove-unit|remove-storage|remove-user",
        "-m,--model= -c,--controller= --destroy-all-models --destroy-storage -y,--yes,--no-prompt --force",
    ),
    "bosh": destruction_forms(
        "delete-*; clean-up --all; recreate", "-e,--environment= -d,--deployment= -n,--non-interactive --force --all"
    ),
    "vim-cmd": destruction_forms("vmsvc/destroy|vmsvc/unregister|vmsvc/power.off"),
    "k0s": destruction_forms("reset; stop", "--config= --data-dir="),
    "ecs-cli": destruction_forms(
        "down; compose down|rm|stop; compose service down|rm|delete", "-c,--cluster= -f,--force -r,--region="
    ),
    "simctl": destruction_forms("erase|delete all"),
    "avdmanager": destruction_forms("delete avd", "-n,--name= -s,--silent"),
    "emulator": unless_for_tests(destruction_forms("-wipe-data", "-avd= -no-window -no-snapshot -gpu= -port="), "-avd"),
    "wsl": destruction_forms("--unregister", "--unregister= -d,--distribution="),
    "govc": destruction_forms(
        "vm.destroy|datastore.rm|pool.destroy|host.remove|snapshot.remove|folder.destroy|object.destroy|volume.rm", "-k -u="
    ),
    "ovs-vsctl": destruction_forms("del-br|emer-reset"),
}
