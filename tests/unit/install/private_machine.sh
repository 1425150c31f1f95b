# A machine of one's own: `unshare -m sh private_machine.sh SCRATCH COMMAND...`. What is mounted here is seen nowhere else: what is
# written to /etc goes to a copy, /run and /var/lib are empty. The interpreter is reachable for every account, wherever it lies.
set -eu
scratch=$1 python=$2
shift 2
mount --make-rprivate /
mkdir -p "$scratch/etc" "$scratch/python"
cp -a /etc/. "$scratch/etc"
mount --bind "$scratch/etc" /etc
mount -t tmpfs -o mode=755 none /run
mount -t tmpfs -o mode=755 none /var/lib
case $python in
/root/*)
    top=/root/$(printf %s "${python#/root/}" | cut -d/ -f1)
    mount --bind "$top" "$scratch/python"
    mount -t tmpfs -o mode=755 none /root
    mkdir "$top"
    mount --bind "$scratch/python" "$top"
    ;;
esac
exec "$@"
