"""The effects of programs, by their argv.

GROWS: a family is one module with its rows. FAMILIES names its programs, so that a family is imported when one of them first
runs.
"""

from functools import lru_cache
from importlib import import_module

from . import tasks
from .argv.options import Flags
from .argv.program import Program

FAMILIES: dict[str, str] = {
    "databases.backups": "restic borg duplicity kopia tarsnap pgbackrest wal-g barman rdiff-backup timeshift snapper bup duplicati-cli pg_probackup"
    " proxmox-backup-client proxmox-backup-manager juicefs gluster lakectl dvc git-annex curator curator_cli elasticdump",
    "databases.bigquery": "bq",
    "databases.clients": "psql usql mysql mariadb mycli sqlite3 sqlite litecli duckdb cockroach clickhouse-client clickhouse-local clickhouse cqlsh sqlcmd snowsql snow spark-sql beeline"
    " hive dropdb dropuser pg_dropcluster mysqladmin mariadb-admin pg_restore mongo mongosh mongorestore mongoimport influx influxd etcdctl",
    "databases.frameworks": "cap dbt yii phinx cake aerich tern sea-orm-cli sea hasura rails rake manage.py django-admin artisan console prisma alembic flask sequelize sequelize-cli knex typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm"
    " mikro-orm mikro-orm-esm drizzle-kit supabase flyway liquibase mix diesel sqlx sqitch dbmate migrate atlas dotnet-ef dotnet drush",
    "databases.wordpress": "wp",
    "databases.query_shells": "hbase pgcli cypher-shell arangosh sqlplus db2 rman mysqlsh trino presto impala-shell vsql osql isql fisql",
    "databases.redis": "redis-cli valkey-cli keydb-cli",
    "databases.streams": "kafka-topics kafka-topics.sh kafka-delete-records kafka-delete-records.sh kafka-consumer-groups kafka-consumer-groups.sh rabbitmqadmin"
    " nats pulsar-admin zkCli.sh zkcli zookeeper-shell zookeeper-shell.sh hdfs hadoop rpk kcat mlflow memcflush nodetool neo4j-admin"
    " airflow celery prefect dagster rq kafka-configs kafka-configs.sh kafka-storage kafka-storage.sh kafka-streams-application-reset kafka-streams-application-reset.sh kafka-acls kafka-acls.sh",
    "files.archives": "tar gtar bsdtar unzip zip 7z 7za 7zz 7zr rar unrar unar cabextract jar zipfile tarfile cpio split gsplit csplit",
    "files.cleaners": "tmpreaper tmpwatch bleachbit",
    "files.coreutils": "rm rmdir unlink shred srm wipe truncate mkdir touch tee yes fallocate dd dcfldd dc3dd cp mv install ditto ln chmod chown chgrp chattr setfacl mktemp"
    " basename dirname realpath readlink cat tac test [ sleep seq",
    "files.decoding": "base64 base32 basenc xxd uudecode gunzip zcat gzcat bunzip2 bzcat unxz xzcat lzcat unzstd zstdcat lz4cat unlz4 gzip bzip2 xz lzma zstd lz4 brotli"
    " openssl gpg gpg2 age",
    "files.editing": "yq tomlq xq jaq sd rpl dos2unix unix2dos mac2unix unix2mac crudini dasel",
    "files.awk": "awk gawk mawk nawk",
    "files.stream_editor": "sed gsed",
    "files.dotfiles": "chezmoi yadm vcsh homesick homeshick desktop-file-install",
    "files.filters": "shuf sort grep egrep fgrep ggrep zgrep rg head tail uniq cut tr wc rev nl fold paste join comm column strings diff jq"
    " od hexdump less more bat ts sponge shellcheck",
    "files.in_place_changes": "detox convmv recode mogrify standard perl-rename prename file-rename rename rename.ul jdupes fdupes rdfind rmlint exiftool ccrypt ccencrypt ccdecrypt jpegoptim pngcrush advpng oxipng gifsicle degit tiged"
    " prettier eslint black isort autopep8 yapf docformatter pyupgrade ruff gofmt clang-format shfmt stylua rustfmt dprint biome",
    "files.substituted_variables": "envsubst",
    "files.measured_files": "du gdu stat gstat md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum",
    "files.listings": "tree eza exa lsd namei getfacl getfattr lsattr pathchk ncdu dust broot vdir dir cmp diff3 colordiff wdiff difft icdiff"
    " ldd dwarfdump fmt pr tsort expand unexpand zless zmore zipinfo lsar pdfinfo pdfgrep mediainfo soxi hexyl sum",
    "files.patches": "patch apply_patch",
    "files.printing": "echo printf",
    "files.search": "find gfind fd fdfind ls locate mlocate plocate mdfind",
    "gate": "toolgate toolgate-hook",
    "git.command": "git",
    "git.other_version_control": "bfg hg sl svn p4 jj fossil bzr brz darcs pijul cvs svnadmin git-filter-repo git-push git-reset git-clean git-update-ref git-gc git-lfs",
    "infrastructure.aws": "aws awslocal",
    "infrastructure.cloud_providers": "gcloud gsutil az doctl linode-cli hcloud scw vultr-cli exo civo oci ibmcloud"
    " openstack aliyun tccli hwcloud bce upctl neonctl neon pscale turso dog amtool kong s3cmd s4cmd s5cmd rclone mc b2 azcopy databricks planetscale stripe twilio auth0 algolia circleci"
    " render prlctl chalice ldcli fastly deck apigeecli newrelic splunk sentry-cli datadog-ci flarectl doppler-cli buildkite logcli grafana-cli jfrog jf tea",
    "infrastructure.clusters": "molecule simctl avdmanager emulator tflocal ansible kubeadm rke talosctl microk8s skaffold devspace okteto docker-machine ctr buildah kubectl oc k kubecolor microk8s.kubectl helm helm3 tilt werf kluctl clusterctl vcluster virtctl argo tkn helmfile argocd flux velero istioctl linkerd cilium eksctl kops rancher terraform tofu terragrunt pulumi"
    " cdk cdktf aws-cdk sst serverless sls sam eb amplify zappa vagrant nomad consul virsh VBoxManage lxc incus ovs-vsctl qm pct xe govc lxc-destroy pvesh juju bosh vim-cmd k0s ecs-cli wsl",
    "infrastructure.containers": "docker podman nerdctl crictl docker-compose podman-compose kind minikube k3d colima limactl multipass k3s-uninstall.sh k3s-agent-uninstall.sh"
    " k3s-killall.sh rke2-uninstall.sh skopeo crane gcrane regctl machinectl",
    "infrastructure.fleets": "mosh salt salt-call salt-ssh salt-key salt-run puppet knife pssh parallel-ssh pdsh clush dsh",
    "infrastructure.forges": "gh glab hub gist gitlab-runner gitlab-ctl gitlab-rake gitlab-backup jenkins-cli drone woodpecker-cli woodpecker travis",
    "infrastructure.platforms": "heroku fly flyctl vercel vc netlify ntl wrangler firebase cf dokku kamal convex aptible platform upsun terminus northflank koyeb scalingo clever gigalixir deployctl surge shopify ddev lando coolify arc"
    " wing shuttle modal runpodctl vastai huggingface-cli hf kaggle mongocli astro",
    "infrastructure.vaults": "vault bao certbot acme.sh lego step tctl kcadm.sh kcadm realm ipa vlt pass gopass bw lpass keyring ansible-vault",
    "infrastructure.wallets": "cast solana spl-token bitcoin-cli litecoin-cli dogecoin-cli zcash-cli dash-cli lncli lightning-cli electrum near aptos sui starkli"
    " tezos-client octez-client gaiad monero-wallet-cli",
    "interpreters.compilers": "icx icpx ifx ifort mpifort cobc hipcc gnatmake valac mlton csc scalac groovyc gcc g++ cc c++ clang clang++ tcc gfortran gdc ldc2 nvcc emcc em++ mpicc mpicxx ld ld.bfd ld.gold ld.lld gold lld mold as nasm yasm strip dwp objcopy"
    " cpp rustc nim zig javac tsc swiftc ghc ocamlfind ocamlopt ocamlc fpc dmd bison yacc flex lex esbuild rollup webpack parcel swc babel sass lessc stylus pandoc"
    " pdflatex xelatex lualatex latex latexmk dot neato fdp sfdp circo plantuml mmdc inkscape rsvg-convert cairosvg convert magick gm ffmpeg sox wkhtmltopdf"
    " wkhtmltoimage qpdf pdftotext pdftoppm ps2pdf cwebp dwebp avifenc optipng pngquant gs soffice libreoffice xmllint xsltproc protoc tcpdump"
    " tshark dumpcap mysqldump mariadb-dump pg_dump pg_dumpall ssh-keygen pyinstaller",
    "interpreters.development_tools": "gdb lldb gcore vim vi nvim view ex rvim rview vimdiff gvim ed red hyperfine concurrently conc run-s run-p npm-run-all npm-run-all2 nodemon entr watchexec reflex cross-env cross-env-shell env-cmd dotenv dotenvx"
    " pytest py.test jest vitest mocha ava rspec phpunit ctest go golangci-lint gotestsum mypy pyright"
    " flake8 pylint xcodebuild cmake ninja meson bazel sbt",
    "interpreters.evaluators": "m4 emacs emacsclient php ocaml scala scala-cli octave octave-cli matlab gnuplot dc raku perl6 swift crystal ipython ipython3 timeit pdb",
    "interpreters.script_runners": "cProfile profile trace runpy tracemalloc viztracer memory_profiler mprof line_profiler kernprof pyinstrument scalene coverage debugpy py-spy austin spark-submit torchrun accelerate streamlit",
    "interpreters.script_interpreters": "sh bash dash ash ksh mksh zsh rbash python python2 python3 pypy pypy3 qjs tsx ts-node ts-node-esm esno babel-node vite-node zx perl ruby csh tcsh fish nu xonsh elvish"
    " lua luajit texlua tclsh wish jimsh osascript R Rscript julia elixir iex erl groovy jrunscript jshell kotlin kotlinc guile racket sbcl clojure clj bb"
    " powershell pwsh powershell.exe pwsh.exe cmd cmd.exe",
    "launchers.agents": "claude claude-code codex copilot gemini gemini-cli opencode aider cursor-agent amp goose qwen cline kimi kilo kilocode openhands crush codebuff auggie gptme"
    " sweagent swe-agent plandex interpreter q kiro kiro-cli cody droid",
    "launchers.carriers": "sg sudo sudoedit doas pkexec run0 su runuser env printenv nice ionice chrt taskset nohup xcrun timeout stdbuf setsid time strace ltrace catchsegv unbuffer"
    " caffeinate xvfb-run dbus-run-session fakeroot systemd-run capsh flock watch busybox toybox chroot unshare nsenter"
    " ssh",
    "launchers.schedules": "at batch crontab",
    "launchers.simulated_input": "kitty kitten wezterm zellij xdotool xte ydotool dotool wtype i3-msg swaymsg hyprctl uxterm lxterm gnome-terminal konsole alacritty foot xfce4-terminal mate-terminal lxterminal terminator"
    " tilix urxvt rxvt st x-terminal-emulator",
    "launchers.terminals": "tmux byobu screen expect script",
    "launchers.wrappers": "java rlwrap proxychains proxychains4 torsocks torify firejail eatmydata faketime cpulimit prlimit setarch linux32 linux64 numactl choom systemd-inhibit"
    " chronic ifne sshpass autossh bwrap gosu su-exec tini dumb-init ssh-agent dbus-launch setpriv aws-vault op doppler railway infisical chamber envchain sops nix-shell nix pyenv rbenv volta fnm"
    " pixi devbox rtk perf asciinema dagger",
    "launchers.xargs": "xargs gxargs parallel sem",
    "network.exposed_servers": "tcpsvd udpsvd tcpserver upnpc http.server http-server serve live-server miniserve darkhttpd simple-http-server sirv webfsd caddy shell2http websocketd ttyd gotty tmate upterm sshx wetty shellinaboxd rtty"
    " teleconsole dropbear vncserver x11vnc tigervncserver code code-insiders codium cursor code-tunnel devtunnel sshd redis-server traceroute mtr tracepath",
    "network.load_generators": "k6 artillery ab hey wrk wrk2 siege bombardier vegeta oha autocannon h2load slowhttptest hping3 nping ping ping6 hydra medusa ncrack patator sqlmap nikto wpscan slowloris goldeneye masscan zmap rustscan"
    " naabu nuclei ffuf gobuster dirb nmap",
    "network.mail_clients": "mail mailx s-nail mutt neomutt sendmail msmtp ssmtp swaks sendEmail sendemail mpack",
    "network.network_clients": "dig host nslookup drill kdig websocat telnetd ztcp xterm",
    "network.pastes": "pastebinit wgetpaste nopaste dpaster",
    "network.peer_transfers": "croc wormhole magic-wormhole ffsend ipfs",
    "network.raw_connections": "nc ncat netcat nc.traditional nc.openbsd nc.exe ncat.exe cryptcat pwncat sbd rcat powercat socat",
    "network.servers": "rabbitmqctl nginx apachectl apache2ctl httpd apache2 haproxy varnishadm squid postfix dovecot doveadm postsuper exim exim4 rndc pdnsutil unbound-control"
    " nsupdate knotc dnscontrol octodns-sync pg_resetwal lpadmin cancel ldapmodify ldapdelete samba-tool",
    "network.transfer": "http https xh xhs curlie httpie lynx links elinks w3m fetch aria2c axel GET POST HEAD lwp-request lwp-download lwp-mirror youtube-dl telnet"
    " finger curl wget scp rsync unison ssh-copy-id ssh-import-id ssh-import-id-gh ssh-import-id-lp",
    "network.transfer_shells": "ftp sftp lftp tftp",
    "network.tunnels": "ngrok zrok lt localtunnel bore frpc chisel pagekite cloudflared tailscale",
    "packages.managers": "dpkg rpm rpmspec apt apt-get aptitude dnf yum zypper pacman apk brew port snap flatpak emerge pkg pip pip3",
    "packages.project_environments": "uv uvx pipx poetry hatch pdm pipenv rye conda mamba micromamba npx bunx bundle asdf direnv rimraf del-cli shx",
    "packages.python_environments": "venv virtualenv pyvenv",
    "packages.registries": "cargo twine gem flit mvn mvnw gradle gradlew nuget pod vsce ovsx goreleaser wxt web-ext chrome-webstore-upload chrome-webstore-upload-cli semantic-release lerna changeset release-it np setup.py"
    " lein conan dart flutter cabal stack opam luarocks snapcraft anaconda jsr eas fastlane oras",
    "system.administration": "useradd adduser usermod userdel deluser groupadd addgroup groupdel delgroup groupmod gpasswd chpasswd vipw vigr newusers chfn passwd chage visudo"
    " chsh net net.exe net1 dscl sysadminctl iptables ip6tables iptables-legacy iptables-nft ebtables arptables iptables-restore ip6tables-restore nft ufw firewall-cmd pfctl setenforce"
    " aa-teardown aa-disable aa-complain netsh csrutil spctl setcap sysctl insmod modprobe rmmod kexec mount umount swapoff"
    " sshfs bindfs unionfs unionfs-fuse mergerfs gocryptfs encfs rofs archivemount fuse-overlayfs fusermount fusermount3",
    "system.batch_queues": "scancel bkill qdel",
    "system.desktop": "xclip xsel pbpaste wl-paste termux-clipboard-get greenclip clipman copyq cliphist gpaste-client scrot flameshot ksnip wayshot xfce4-screenshooter hyprshot wf-recorder maim grim gnome-screenshot spectacle screencapture xwd arecord parecord pw-record"
    " fswebcam imagesnap",
    "system.disks": "mkfs mkfs.ext2 mkfs.ext3 mkfs.ext4 mkfs.xfs mkfs.btrfs mkfs.vfat mkfs.fat mkfs.ntfs mkfs.f2fs mkfs.exfat mkfs.minix mke2fs mkswap mkntfs wipefs ceph rbd sg_format sg_sanitize security"
    " newfs newfs_hfs newfs_apfs newfs_msdos newfs_exfat scrub nwipe grub-install debugfs partx ddrescue format bootctl atrm"
    " blkdiscard cryptsetup pvcreate pvremove vgremove lvremove lvreduce lvresize lvconvert vgreduce zpool zfs btrfs mdadm dmsetup diskutil efibootmgr flashrom format.com diskpart badblocks hdparm nvme"
    " fdisk sfdisk cfdisk gdisk sgdisk parted mt trash trash-put trash-empty gio",
    "system.flashing": "adb asr bmaptool esptool.py esptool espefuse.py espefuse fastboot flash_erase flash_eraseall flashcp nandwrite partclone.restore partclone.dd partclone.extfs"
    " partclone.ext4 partclone.ntfs partclone.xfs pv qemu-img sdparm xfs_repair ntfsresize",
    "system.information": "xdg-user-dir history dmesg auditctl log logger wall notify-send man which whereis whatis apropos type Get-Content info tldr help file df"
    " last lastb lastlog getent lslogins ps pgrep pidof pstree lsof ss netstat modinfo lsmod findmnt lsblk blkid journalctl"
    " cksum md5 ssh-add uname uptime whoami nproc vmstat dpkg-query apt-cache lscpu lspci lsusb lvs vgs pvs lvdisplay vgdisplay pvdisplay",
    "system.message_bus": "busctl gdbus dbus-send",
    "system.network_settings": "tc wg-quick ip ifconfig ifdown route nmcli networksetup rfkill zerotier-cli iw wpa_cli brctl timedatectl hostnamectl date hwclock hostname resolvectl xhost",
    "system.processes": "pm2 rtcwake stress stress-ng kill pkill killall skill killall5 fuser shutdown reboot halt poweroff pm-suspend pm-hibernate init telinit systemctl service rc-service invoke-rc.d"
    " update-rc.d chkconfig initctl sc sc.exe rc-update sv s6-svc supervisorctl monit launchctl loginctl",
    "system.windows": "mshta mshta.exe certutil certutil.exe bitsadmin bitsadmin.exe regsvr32 regsvr32.exe wevtutil wevtutil.exe fsutil fsutil.exe icacls icacls.exe takeown takeown.exe runas robocopy robocopy.exe iwr irm Invoke-WebRequest"
    " Invoke-RestMethod pmset systemsetup scutil fdesetup tccutil profiles kextunload kextload dseditgroup softwareupdate reg reg.exe vssadmin vssadmin.exe wmic wmic.exe bcdedit bcdedit.exe wbadmin wbadmin.exe cipher cipher.exe schtasks schtasks.exe taskkill taskkill.exe"
    " defaults nvram tmutil del erase rd Remove-Item Clear-Content Clear-Disk Format-Volume Remove-Partition Initialize-Disk Stop-Computer"
    " Restart-Computer Stop-Service Invoke-Expression Remove-ItemProperty Clear-RecycleBin",
    "tasks.javascript_runners": "npm pnpm yarn bun deno node nodejs",
    "tasks.runners": "make gmake just task go-task mise",
}
FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names.split()}
VERSIONED_NAMES = ("python", "pypy", "perl", "ruby", "php", "node", "lua")


@lru_cache(256)
def build_wrapper(options: str) -> Program:
    """Returns a row for a program that runs the command after its options, unchanged."""
    return Program(Flags(options), "command")


@lru_cache(512)
def find_row(name: str) -> Program | None:
    """Returns the row for a program's bare name; `python3.11` finds `python`."""
    family = FAMILY_OF.get(name)
    if family is None and "@" in name[1:]:  # `npx prisma@5`
        return find_row(name[: name.index("@", 1)])
    if family is None:
        bare = name.rstrip("0123456789.")
        family = FAMILY_OF.get(bare) if bare in VERSIONED_NAMES and bare != name else None
        name = bare
    if family is None:
        return None
    rows: dict[str, Program] = import_module(f"{__name__}.{family}").ROWS
    return rows[name]


@lru_cache(256)
def find_project_code(name: str) -> Program | None:
    """Returns the row for the project code that a program loads besides what its own row describes."""
    name = name.partition("@")[0] or name
    module = tasks.MODULE_OF_PROGRAM.get(name)
    if module is None:
        return None
    rows: dict[str, Program] = import_module(f"{__name__}.tasks.{module}").ROWS
    return rows[name]


@lru_cache(512)
def find_program(name: str) -> Program | None:
    """Returns the row of a program under any of its names: a `g` prefix (`grm`), zsh's files module (`zf_rm`), a Windows
    extension, a version or variant suffix, or different letter case, as on case-insensitive file systems."""
    found = find_row(name)
    if found is None:
        from .argv.program_names import find_by_usual_name  # imported late: most programs are called by their own name

        found = find_by_usual_name(name)
    return found


def find_linked_program(name: str) -> Program | None:
    """Returns the row of the program that a link points to. Its handler sees that program's name instead of the link's."""
    from .argv.program_names import find_linked as found  # imported late: calls through the caller's own links are rare

    return found(name)
