"""What acts on something far away that cannot be taken back: clusters, infrastructure, package registries."""

from collections.abc import Iterator

from toolgate.model.effect import Connect, Operation, Prints, Read, Reported
from toolgate.model.seen import Seen
from toolgate.model.word import Word, some

from .options import Flags
from .program import Program, via

KUBECTL = Flags(
    "-n,--namespace= -f,--filename= -k,--kustomize= -l,--selector= --context= --kubeconfig=read --cluster= -o,--output= -A,--all-namespaces --all --force"
    " --grace-period= --now --dry-run=? --wait=? -R,--recursive -c,--container= -i,--stdin -t,--tty -w,--watch --replicas= --cascade=? --timeout= -it -s,--server="
)


def kubectl(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = KUBECTL.read(argv)
    verb = given.operands[0].text if given.operands else None
    dry_run = given.flag("--dry-run")
    for file in given.all("--filename"):
        if file.text not in ("-", None) and "://" not in file.shown:
            yield Read(seen.place(file), seen.origin)
    if verb in ("delete", "drain", "replace") and (verb != "replace" or given.flag("--force") is not False):
        target = given.operands[1] if len(given.operands) > 1 else None
        yield Operation(
            "kubernetes.delete", seen.origin, target, (("dry_run", dry_run), ("all", given.flag("--all", "--all-namespaces")))
        )
    yield Prints(seen.output(via(argv)))


def helm(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-n,--namespace= --kube-context= --kubeconfig=read --dry-run=? --keep-history --no-hooks --timeout= --wait -f,--values=read --set= --debug"
    ).read(argv)
    if given.operands and given.operands[0].text in ("uninstall", "delete", "del", "un"):
        target = given.operands[1] if len(given.operands) > 1 else None
        yield Operation("kubernetes.delete", seen.origin, target, (("dry_run", given.flag("--dry-run")), ("all", False)))
    yield Prints(seen.output(via(argv)))


def terraform(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags(
        "-chdir= -auto-approve -destroy -target= -var= -var-file=read -state= -lock=? -input=? -no-color -refresh=? -parallelism= -out= -replace= -h,--help --help"
    ).read(argv)
    verb = given.operands[0].text if given.operands else None
    if given.flag("--help") is True:
        return
    if verb == "destroy" or (verb == "apply" and given.flag("-destroy") is not False):
        yield Operation("infrastructure.destroy", seen.origin, given.operands[0], (("approved", given.flag("-auto-approve")),))
    elif verb in ("state", "workspace") and len(given.operands) > 1 and given.operands[1].text in ("rm", "delete"):
        yield Operation("infrastructure.destroy", seen.origin, given.operands[1], (("approved", True),))
    yield Prints(seen.output(via(argv)))


def pulumi(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    given = Flags("-s,--stack= -y,--yes -C,--cwd= --preview-only --non-interactive").read(argv)
    if given.operands and given.operands[0].text in ("destroy", "dn", "down"):
        yield Operation("infrastructure.destroy", seen.origin, given.operands[0], (("approved", given.flag("--yes")),))
    yield Prints(seen.output(via(argv)))


NPM = Flags(
    "-g,--global --tag= --access= --dry-run --otp= -w,--workspace= --workspaces --registry= -D,--save-dev -S,--save -E --prefix= -C= --if-present --silent"
    " --ignore-scripts --force -f --no-audit --no-fund --legacy-peer-deps --omit= --include= --no-git-checks --yes -y -r,--recursive --filter= --frozen-lockfile"
)


def npm(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
    """npm, pnpm, yarn: publishing and taking back."""
    given = NPM.read(argv)
    words = [word for word in given.operands if word.text not in ("npm",)]
    verb = words[0].text if words else None
    if verb in ("publish", "unpublish", "deprecate"):
        yield Operation(
            "package.publish",
            seen.origin,
            words[1] if len(words) > 1 else None,
            (("dry_run", given.flag("--dry-run")), ("removes", verb != "publish")),
        )
        yield Connect(given.value("--registry") or words[0], seen.origin)
    yield Prints(seen.output(via(argv)))


def publisher(*verbs: str) -> Program:
    """A package tool whose `verbs` make something public for good."""

    def does(argv: tuple[Word, ...], seen: Seen) -> Iterator[Reported]:
        given = Flags(
            "-n,--dry-run --allow-dirty -p,--package= --token= --registry= -r,--repository= -u,--username= --skip-existing -v,--verbose --yank --vers="
        ).read(argv)
        action = some(word.equals(*verbs) for word in given.operands[:1])
        if action is not False:
            yield Operation(
                "package.publish",
                seen.origin,
                given.operands[-1],
                (("dry_run", given.flag("--dry-run")), ("removes", given.flag("--yank"))),
            )
        yield Prints(seen.output(via(argv)))

    return Program(does=does)


ROWS: dict[str, Program] = {
    **dict.fromkeys(("kubectl", "oc", "k"), Program(does=kubectl)),
    "helm": Program(does=helm),
    **dict.fromkeys(("terraform", "tofu", "terragrunt"), Program(does=terraform)),
    "pulumi": Program(does=pulumi),
    **dict.fromkeys(("npm", "pnpm", "yarn"), Program(does=npm)),
    "cargo": publisher("publish", "yank", "owner"),
    "twine": publisher("upload"),
    "gem": publisher("push", "yank"),
    "poetry": publisher("publish"),
    "flit": publisher("publish"),
    "hatch": publisher("publish"),
}
