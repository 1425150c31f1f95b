/* toolgate-hook HOST EVENT: what a host starts for every call.

   Standard input goes to the engine untouched, with the directory, the user, the time and the environment; the engine's answer
   comes out. The engine is the daemon on a socket, or, where none answers, a child of this process, which becomes the daemon once
   it has answered. Where root has installed a supervisor, that one alone is asked. Only a whole, well framed answer of the same build
   counts. Everything else - no memory, no descriptor, a
   signal, the deadline - is the event's own refusal, which this program can print by itself.

   The frames are described in frames.py, the daemon in daemon.py; client.py is this program again, in Python. With -DBARE it needs
   no C library (bare.inc).

   Built with -DBUILD="..." (machine/build.py). Two milliseconds figures may be given as well: DEADLINE_MS, PATIENCE_MS. */

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/sockios.h>
#include <sys/syscall.h>
#endif
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif
#ifdef BARE
#include "bare.inc"
#endif

#ifndef DEADLINE_MS
#define DEADLINE_MS 2000 /* the hook is registered with 10 seconds: a host that loses its patience may run the call */
#endif
#define BUSY_MS (4 * DEADLINE_MS) /* the same on a machine with more to run than it has processors: it is slow, and nothing hangs */
#ifndef PATIENCE_MS
#define PATIENCE_MS 1000 /* a daemon that has not even taken the request by then is given up */
#endif
#define LARGEST (80u << 20) /* 50 MB that a tool printed, as JSON writes them */
#define LARGEST_ANSWER (256u << 20) /* it holds what was printed, and JSON in ASCII takes up to three times the bytes */
#define MINE_LOCK 3     /* descriptors that the engine finds */
#define MINE_LISTENER 4
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0 /* SIGPIPE is ignored anyway */
#endif
_Static_assert(sizeof BUILD == 33, "a build is named by 32 characters");

extern char **environ;

/* ---- the refusal */

struct refusal {
    const char *host, *event;
    int code;
    const char *out, *err;
};
static const struct refusal REFUSALS[] = {
#define REFUSAL(host, event, code, out, err) {host, event, code, out, err},
#include "refusals.inc"
#undef REFUSAL
};
static const struct refusal UNKNOWN = {"", "", 2, "", "@REASON@"};
static const struct refusal *no = &UNKNOWN;
static pid_t engine;                      /* the child, while its answer is awaited */
static volatile sig_atomic_t has_stdout;
static volatile sig_atomic_t answering;   /* from here on, the little that is left is to end */

static int put_all(int fd, const char *data, size_t size) {
    while (size) {
        ssize_t n = write(fd, data, size);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            struct pollfd one = {fd, POLLOUT, 0};
            poll(&one, 1, 100); /* for ever, if need be: the alarm ends it */
            continue;
        }
        if (n <= 0) return -1;
        data += n;
        size -= (size_t)n;
    }
    return 0;
}

/* A refusal's text with the reason in its place. Nothing here is unfit for a signal handler. */
static int put_refusal(int fd, const char *text, const char *reason) {
    static const char MARK[] = "@REASON@";
    const char *mark = strstr(text, MARK);
    if (!mark) return put_all(fd, text, strlen(text));
    const char *const parts[] = {
        "toolgate could not judge this call (", reason, "), so it refuses it; `toolgate doctor` says more", mark + sizeof MARK - 1,
    };
    int failed = put_all(fd, text, (size_t)(mark - text));
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) failed = failed || put_all(fd, parts[n], strlen(parts[n]));
    return failed;
}

/* What is decided is said whole: nothing interrupts it but the clock, since nobody may be reading. */
static void begin_answer(void) {
    sigset_t all;
    sigfillset(&all);
    sigdelset(&all, SIGALRM);
    sigprocmask(SIG_BLOCK, &all, 0);
    answering = 1;
    alarm(1);
}

static _Noreturn void refuse(const char *reason) {
    begin_answer();
    if (engine > 0) {
        kill(-engine, SIGKILL);
        kill(engine, SIGKILL);
    }
    int code = no->code;
    if (*no->err) put_refusal(2, no->err, reason);
    if (*no->out && (!has_stdout || put_refusal(1, no->out, reason))) code = 2;
    _exit(code);
}

/* Does more wait to run than there are processors? Nothing here is unfit for a signal handler. */
static int is_machine_busy(void) {
#ifdef SYS_sched_getaffinity
    unsigned long mask[128];
    char load[128]; /* 0.40 0.92 1.50 7/98 13471: seven run */
    int fd = open("/proc/loadavg", O_RDONLY | O_CLOEXEC);
    long size = fd < 0 ? -1 : read(fd, load, sizeof load - 1), runs = 0, processors = 0, spaces = 0;
    if (fd >= 0) close(fd);
    for (long at = 0; at < size && load[at] != '/'; at++) {
        if (load[at] == ' ') spaces++;
        else if (spaces == 3) runs = runs * 10 + load[at] - '0';
    }
    size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    for (long at = 0; at < size / (long)sizeof *mask; at++)
        for (unsigned long left = mask[at]; left; left &= left - 1) processors++;
    return processors && runs > processors;
#else
    return 0;
#endif
}

/* The clock's first signal ends a call, but on a busy machine. */
static int is_extended(void) {
    static volatile sig_atomic_t once;
    static const long more = BUSY_MS - DEADLINE_MS;
    struct itimerval timer = {{0, 0}, {more / 1000, more % 1000 * 1000}};
    int before = errno;
    if (once || !is_machine_busy()) return 0;
    once = 1;
    errno = before;
    return !setitimer(ITIMER_REAL, &timer, 0);
}

static void on_signal(int number) {
    if (answering) _exit(2);
    if (number == SIGALRM && is_extended()) return;
    refuse(number == SIGALRM ? "the time for it is over" : number == SIGSEGV || number == SIGBUS ? "the client failed" : "it was stopped");
}

static void *grown(void *memory, size_t size) {
    void *found = realloc(memory, size);
    if (!found) refuse("there is no memory");
    return found;
}

/* ---- time */

static struct timespec began;

static long left_until(long limit_ms) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return limit_ms - ((long)(now.tv_sec - began.tv_sec) * 1000 + (now.tv_nsec - began.tv_nsec) / 1000000);
}

static int ready(int fd, short events, long limit_ms) {
    for (;;) {
        long left = left_until(limit_ms);
        struct pollfd one = {fd, events, 0};
        if (left <= 0) return -1;
        int n = poll(&one, 1, (int)left);
        if (n > 0) return 0;
        if (n < 0 && errno != EINTR) return -1;
    }
}

static void nap(void) {
    struct timespec some = {0, 3000000};
    nanosleep(&some, 0);
}

/* ---- texts of any length */

struct text {
    char *data;
    size_t size, room;
};

static void add(struct text *text, const void *data, size_t size) {
    if (text->size + size + 1 > text->room) {
        text->room = 2 * (text->size + size + 1);
        text->data = grown(text->data, text->room);
    }
    if (size) memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

static void add_string(struct text *text, const char *string) { add(text, string, strlen(string)); }

static void add_digits(struct text *text, uint64_t number, unsigned base, unsigned least) {
    char digits[20], *first = digits + sizeof digits;
    for (; number || least; number /= base) {
        *--first = "0123456789abcdef"[number % base];
        if (least) least--;
    }
    add(text, first, (size_t)(digits + sizeof digits - first));
}

static void add_number(struct text *text, uint64_t number) {
    add_digits(text, number, 10, 1);
    add_string(text, " ");
}

static void add_without_slashes(struct text *text, const char *path) {
    size_t size = strlen(path);
    while (size && path[size - 1] == '/') size--;
    add(text, path, size);
}

/* Where a symbolic link leads; nothing where it cannot be read. */
static void add_link(struct text *text, const char *path) {
    for (size_t room = 256;; room *= 2) {
        char *found = grown(0, room);
        ssize_t size = readlink(path, found, room);
        if (size >= 0 && (size_t)size < room) add(text, found, (size_t)size);
        free(found);
        if (size < 0 || (size_t)size < room) return;
    }
}

static void add_file(struct text *text, const char *path) {
    char part[4096];
    ssize_t size;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return;
    while ((size = read(fd, part, sizeof part)) > 0 || (size < 0 && errno == EINTR))
        if (size > 0) add(text, part, (size_t)size);
    close(fd);
}

/* ---- who and where we are */

static struct text program; /* this very file */

static void find_program(void) {
#ifdef __APPLE__
    uint32_t room = 0;
    _NSGetExecutablePath(0, &room);
    char *path = grown(0, room + 1);
    if (_NSGetExecutablePath(path, &room)) refuse("the client does not find itself");
    char *real = realpath(path, 0);
    if (!real) refuse("the client does not find itself");
    add_string(&program, real);
    free(real);
    free(path);
#else
    add_link(&program, "/proc/self/exe");
#endif
    if (!program.size) refuse("the client does not find itself");
}

/* A daemon serves whoever sees the machine as it does: same build, same installation, same rights, same namespaces. */
static void daemon_name(struct text *name) {
    struct text all = {0};
    struct stat root;
    add_string(&all, BUILD);
    add(&all, program.data, program.size + 1);
    add_number(&all, geteuid());
    add_number(&all, getegid());
    int count = getgroups(0, 0);
    if (count > 0) {
        gid_t *groups = grown(0, (size_t)count * sizeof *groups);
        count = getgroups(count, groups);
        for (int n = 0; n < count; n++) add_number(&all, groups[n]);
        free(groups);
    }
    add_file(&all, "/proc/sys/kernel/random/boot_id");
    add_link(&all, "/proc/self/ns/mnt");
    add_link(&all, "/proc/self/ns/user");
    add_link(&all, "/proc/self/ns/pid");
    if (!stat("/", &root)) {
        add_number(&all, root.st_dev);
        add_number(&all, root.st_ino);
    }
    uint64_t hash = 14695981039346656037u; /* FNV-1a: names a file in a folder of our own, and guards nothing */
    for (size_t n = 0; n < all.size; n++) hash = (hash ^ (unsigned char)all.data[n]) * 1099511628211u;
    add_digits(name, hash, 16, 16);
    free(all.data);
}

/* machine/environment.py says the same. Nothing where the environment names no place. */
static int runtime_folder(struct text *folder) {
    static const struct {
        const char *variable, *beneath;
        int ours; /* the last so many folders of the path may be made: never a home */
    } PLACES[] = {
        {"TOOLGATE_HOME", "/run", 2},
        {"XDG_RUNTIME_DIR", "/toolgate", 1},
        {"XDG_CACHE_HOME", "/toolgate/run", 3},
        {"HOME", "/.cache/toolgate/run", 3},
    };
    for (size_t n = 0; n < sizeof PLACES / sizeof *PLACES; n++) {
        const char *value = getenv(PLACES[n].variable);
        if (value && *value == '/') {
            add_without_slashes(folder, value);
            add_string(folder, PLACES[n].beneath);
            return PLACES[n].ours;
        }
    }
    return 0;
}

static int opened_folder(const char *path) { return open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC); }

static void make_folders(char *path, int ours) {
    char *slash = strrchr(path, '/');
    if (ours > 1 && slash && slash != path) {
        *slash = 0;
        make_folders(path, ours - 1);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* The folder of sockets, ours alone, made if need be. -1: there is none that could be trusted. */
static int open_folder(struct text *folder) {
    struct stat status;
    int ours = runtime_folder(folder);
    if (!ours) return -1;
    int fd = opened_folder(folder->data);
    if (fd < 0 && errno == ENOENT) {
        make_folders(folder->data, ours);
        fd = opened_folder(folder->data);
    }
    if (fd >= 0 && (fstat(fd, &status) || !S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & 077))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* ---- frames */

static struct text request; /* the payload stands last; BODY is where the strings begin */
#define BODY 72
#define ANSWER_HEADER 48

static uint32_t size_of(size_t size) {
    if (size > 2u * LARGEST) refuse("this call is larger than toolgate reads");
    return (uint32_t)size;
}

static void set(size_t at, const void *value, size_t size) { memcpy(request.data + at, value, size); }

static void set_time_left(void) {
    long left = left_until(DEADLINE_MS);
    uint32_t ms = left > 0 ? (uint32_t)left : 0;
    set(48, &ms, 4);
}

/* What the registered command itself says of the agent: as in model/event.py, and before what the environment says. */
static int says_who(const char *word) {
    static const char *const NAMES[] = {"TOOLGATE_AGENT=", "TOOLGATE_ROLE=", "TOOLGATE_PHASE="};
    for (int n = 0; n < 3; n++)
        if (!strncmp(word, NAMES[n], strlen(NAMES[n]))) return 1;
    return 0;
}

static void make_request(char *const *who, int many, const char *host, const char *event) {
    uint32_t sizes[5], uid = (uint32_t)getuid();
    struct timespec now;
    char header[BODY] = {0};
    add(&request, header, BODY);
    char *cwd = getcwd(0, 0);
    const char *const strings[] = {host, event, cwd ? cwd : "/"};
    for (int n = 0; n < 3; n++) {
        sizes[n] = size_of(strlen(strings[n]));
        add(&request, strings[n], sizes[n]);
    }
    free(cwd);
    size_t before = request.size;
    for (int n = 0; n < many; n++) add(&request, who[n], strlen(who[n]) + 1);
    for (char **each = environ; each && *each; each++) add(&request, *each, strlen(*each) + 1);
    sizes[3] = size_of(request.size - before);
    before = request.size;
    for (size_t part = 65536;;) {
        add(&request, "", 0);
        if (request.room - request.size < part) {
            request.room = request.size + part + 1;
            request.data = grown(request.data, request.room);
        }
        ssize_t size = read(0, request.data + request.size, part);
        if (size < 0 && (errno == EINTR || (errno == EAGAIN && !ready(0, POLLIN, BUSY_MS)))) continue;
        if (size < 0) refuse("the call cannot be read from standard input");
        if (size == 0) break;
        request.size += (size_t)size;
        if (request.size - before > LARGEST) refuse("this call is larger than toolgate reads");
        if ((size_t)size == part && part < (1u << 22)) part *= 2;
    }
    sizes[4] = size_of(request.size - before);
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t microseconds = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    set(0, "TGQ1", 4);
    set(4, BUILD, 32);
    set(36, &microseconds, 8);
    set(44, &uid, 4);
    set(52, sizes, sizeof sizes);
}

static int send_request(int fd, long limit_ms) {
    size_t sent = 0;
    set_time_left();
    while (sent < request.size) {
        ssize_t n = send(fd, request.data + sent, request.size - sent, MSG_NOSIGNAL);
        if (n > 0) sent += (size_t)n;
        else if (n < 0 && errno == EINTR) continue;
        else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (ready(fd, POLLOUT, limit_ms)) return -1;
        } else return -1;
    }
    return 0;
}

/* Has the other side taken everything we sent? */
static int is_taken(int fd) {
    int waiting = -1;
#ifdef SIOCOUTQ
    if (ioctl(fd, SIOCOUTQ, &waiting)) return 0;
#else
    socklen_t size = sizeof waiting;
    if (getsockopt(fd, SOL_SOCKET, SO_NWRITE, &waiting, &size)) return 0;
#endif
    return waiting == 0;
}

/* Prints the answer and ends; returns where there is none that could be believed. */
static void take_answer(int fd, long limit_ms) {
    struct text answer = {0};
    uint32_t code = 0, out = 0, err = 0;
    size_t whole = ANSWER_HEADER;
    while (answer.size < whole) {
        while (ready(fd, POLLIN, limit_ms)) {
            if (limit_ms == BUSY_MS || !is_taken(fd)) goto none;
            limit_ms = BUSY_MS; /* it is at work: the answer may take its time */
        }
        char part[8192];
        ssize_t size = recv(fd, part, sizeof part, 0);
        if (size < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) continue;
        if (size <= 0) goto none;
        add(&answer, part, (size_t)size);
        if (whole == ANSWER_HEADER && answer.size >= ANSWER_HEADER) {
            memcpy(&code, answer.data + 36, 4);
            memcpy(&out, answer.data + 40, 4);
            memcpy(&err, answer.data + 44, 4);
            if (memcmp(answer.data, "TGA1", 4) || memcmp(answer.data + 4, BUILD, 32)) goto none;
            if ((code != 0 && code != 2) || out > LARGEST_ANSWER || err > LARGEST_ANSWER) goto none;
            whole += (size_t)out + err;
        }
    }
    if (answer.size > whole) goto none;
    begin_answer();
    if (err) put_all(2, answer.data + ANSWER_HEADER + out, err); /* people read it; the host does not */
    if (out && (!has_stdout || put_all(1, answer.data + ANSWER_HEADER, out))) _exit(2);
    _exit((int)code);
none:
    free(answer.data);
}

/* ---- the daemon */

struct socket_place {
    struct text path; /* of the folder */
    int folder;
    struct sockaddr_un address;
    struct text name;
};

static int nonblocking_socket(void) {
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd >= 0 && (fcntl(fd, F_SETFD, FD_CLOEXEC) || fcntl(fd, F_SETFL, O_NONBLOCK))) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A socket's address is short. On Linux the folder is named by its descriptor: any path fits, and it is the one looked at. */
static int place_socket(struct socket_place *place) {
    struct text path = {0};
    memset(&place->address, 0, sizeof place->address);
    place->address.sun_family = AF_UNIX;
    place->folder = open_folder(&place->path);
    if (place->folder < 0) return -1;
    daemon_name(&place->name);
#ifdef __linux__
    add_string(&path, "/proc/self/fd/");
    add_digits(&path, (uint64_t)place->folder, 10, 1);
#else
    add(&path, place->path.data, place->path.size);
#endif
    add_string(&path, "/");
    add(&path, place->name.data, place->name.size);
    add_string(&path, ".sock");
    int fits = path.size < sizeof place->address.sun_path;
    if (fits) memcpy(place->address.sun_path, path.data, path.size + 1);
    free(path.data);
    return fits ? 0 : -1;
}

static int is_of(int fd, uid_t user) {
#ifdef SO_PEERCRED
    struct ucred peer;
    socklen_t size = sizeof peer;
    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) && peer.uid == user;
#else
    uid_t uid;
    gid_t gid;
    return !getpeereid(fd, &uid, &gid) && uid == user;
#endif
}

#define BUSY (-2)

/* A connection to the daemon: its descriptor; BUSY where more are waiting than it has room for; -1 for none. */
static int connected(const struct socket_place *place) {
    int fd = nonblocking_socket();
    if (fd < 0) return -1;
    errno = 0;
    if (!connect(fd, (const struct sockaddr *)&place->address, sizeof place->address) && is_of(fd, geteuid())) return fd;
    int is_busy = errno == EAGAIN;
    close(fd);
    return is_busy ? BUSY : -1;
}

/* Held for life by a daemon, and by the engine that is about to become it. BUSY: somebody has it; -1: it cannot be had here. */
static int locked(const struct socket_place *place) {
    struct text name = {0};
    add(&name, place->name.data, place->name.size);
    add_string(&name, ".lock");
    int fd = openat(place->folder, name.data, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    free(name.data);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return BUSY;
    }
    return fd;
}

/* Where others wait from now on, before there is anybody to answer them. Only who holds the lock may come here. */
static int listening(const struct socket_place *place) {
    struct text name = {0};
    add(&name, place->name.data, place->name.size);
    add_string(&name, ".sock");
    unlinkat(place->folder, name.data, 0);
    free(name.data);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    if (fcntl(fd, F_SETFD, FD_CLOEXEC) || bind(fd, (const struct sockaddr *)&place->address, sizeof place->address) || listen(fd, 512)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- the engine as a child */

/* The interpreter of this installation, by the first lines of the console script beside us, which the installer wrote. */
static char *interpreter(void) {
    struct text script = {0}, head = {0};
    char *slash = strrchr(program.data, '/');
    add(&script, program.data, (size_t)(slash + 1 - program.data));
    add_string(&script, "toolgate");
    add_file(&head, script.data);
    free(script.data);
    char *at = head.data, *end;
    if (!at || strncmp(at, "#!", 2)) return 0;
    at += 2;
    while (*at == ' ') at++;
    if (!strncmp(at, "/bin/sh\n'''exec' ", 17)) at += 17; /* a path that is too long or has blanks in it */
    if (*at == '"' || *at == '\'') {
        end = strchr(at + 1, *at);
        at++;
    } else end = at + strcspn(at, " \t\r\n");
    if (!end || *at != '/') return 0;
    *end = 0;
    return at;
}

static void close_from(int first) {
#ifdef SYS_close_range
    if (!syscall(SYS_close_range, (unsigned)first, ~0u, 0u)) return;
#endif
    struct rlimit most;
    rlim_t end = getrlimit(RLIMIT_NOFILE, &most) || most.rlim_cur == RLIM_INFINITY ? 65536 : most.rlim_cur;
    for (int fd = first; (rlim_t)fd < end; fd++) close(fd);
}

/* Ends as the engine: no environment, no descriptor of the host's, no signal or mask of the host's, at no place of the host's. */
static _Noreturn void become_engine(int conversation, int lock, int listener, char *const *words) {
    char *const nothing[] = {0};
    sigset_t none;
    int high[4] = {conversation, open("/dev/null", O_RDWR | O_CLOEXEC), lock, listener};
    if (high[1] < 0) _exit(127);
    if (high[0] < 0) high[0] = high[1];
    for (int n = 0; n < 4; n++)
        if (high[n] >= 0 && (high[n] = fcntl(high[n], F_DUPFD_CLOEXEC, 10)) < 0) _exit(127);
    if (dup2(high[0], 0) < 0 || dup2(high[1], 1) < 0 || dup2(high[1], 2) < 0) _exit(127);
    if (lock >= 0 && (dup2(high[2], MINE_LOCK) < 0 || dup2(high[3], MINE_LISTENER) < 0)) _exit(127);
    close_from(lock >= 0 ? MINE_LISTENER + 1 : MINE_LOCK);
    for (int number = 1; number < 65; number++) signal(number, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    setsid();
    umask(077);
    if (chdir("/")) _exit(127);
    execve(words[0], words, nothing);
    _exit(127);
}

/* -I leaves out the caller's variables and folders; -S leaves out `site`, whose .pth files, sitecustomize and usercustomize are code
 * that runs before ours does. What remains to be said is where the packages lie; twin.py says the same. */
static const char START[] =
    "import os, sys\n"
    "top = os.path.dirname(os.path.dirname(sys.executable))\n"
    "lib = '/lib/python%d.%d/' % sys.version_info[:2]\n"
    "found = [top + lib + 'site-packages']\n"
    "if not os.path.exists(top + '/pyvenv.cfg'):\n"
    "    found += ['/usr/local' + lib + 'dist-packages', sys.prefix + lib + 'site-packages', '/usr/lib/python3/dist-packages']\n"
    "try:\n"
    "    with open(found[0] + '/_editable_impl_toolgate.pth') as editable:\n"
    "        found += editable.read().split('\\n')\n"
    "except OSError:\n"
    "    pass\n"
    "sys.path += [each for each in dict.fromkeys(found) if each[:1] == '/' and os.path.isdir(each)]\n"
    "from toolgate.transport.engine import main\n"
    "main()\n";

static char **engine_words(const struct socket_place *place, const char *how) {
    char **words = grown(0, 12 * sizeof *words);
    char *python = interpreter();
    if (!python) refuse("the client does not find its Python");
    const char *const all[] = {
        python, "-I", "-S", "-X", "utf8", "-c", START,
        how, BUILD, place->path.data ? place->path.data : "", place->name.data ? place->name.data : "", 0,
    };
    memcpy(words, all, sizeof all);
    return words;
}

static _Noreturn void ask_child(const struct socket_place *place, int lock, int listener, const char *how) {
    int pair[2];
    sigset_t all, before;
    char **words = engine_words(place, how);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) || fcntl(pair[0], F_SETFL, O_NONBLOCK)) refuse("there is no descriptor left");
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before); /* the child must never print a refusal of its own */
    engine = fork();
    if (engine == 0) {
        close(pair[0]);
        become_engine(pair[1], lock, listener, words);
    }
    sigprocmask(SIG_SETMASK, &before, 0);
    if (engine < 0) refuse("no process can be started");
    close(pair[1]);
    if (lock >= 0) close(lock); /* the engine's alone: it is free when that is gone */
    if (listener >= 0) close(listener);
    if (send_request(pair[0], BUSY_MS)) refuse("its engine did not start");
    take_answer(pair[0], BUSY_MS);
    refuse("its engine gave no answer");
}

/* What the daemon answers is printed, and that is the end. Returns whether it left the request lying. */
static int ask_daemon(int fd) {
    if (!send_request(fd, PATIENCE_MS)) take_answer(fd, PATIENCE_MS);
    close(fd);
    return left_until(PATIENCE_MS) <= 0;
}

/* ---- the supervisor, where root has installed one: machine/supervision.py */

#define SUPERVISED "/etc/toolgate/supervised"
#define SUPERVISOR "/run/toolgate/hook.sock"

/* Is this a client that root's file names, a line each? What cannot be read names it. Root is above the supervisor. */
static int is_supervised(void) {
    struct text names = {0};
    struct stat status;
    if (!geteuid() || (lstat(SUPERVISED, &status) && (errno == ENOENT || errno == ENOTDIR))) return 0;
    add_file(&names, SUPERVISED);
    if (!names.size) return 1;
    for (char *line = names.data, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        if ((size_t)(end - line) == program.size && !memcmp(line, program.data, program.size)) return 1;
    }
    free(names.data);
    return 0;
}

/* There is no way round it: what it does not answer is refused. Only root listens there, and is believed. */
static _Noreturn void ask_supervisor(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = SUPERVISOR};
    for (;; nap()) {
        int fd = nonblocking_socket();
        if (fd < 0) refuse("there is no descriptor left");
        if (!connect(fd, (const struct sockaddr *)&address, sizeof address)) {
            if (!is_of(fd, 0)) refuse("what answers for the supervisor is not root's");
            if (!send_request(fd, BUSY_MS)) take_answer(fd, BUSY_MS);
            refuse("the supervisor of this machine gave no answer");
        }
        if (errno != EAGAIN) refuse("the supervisor of this machine is not there; root starts it: systemctl start toolgate.socket");
        close(fd);
    }
}

/* The daemon if there is one, the daemon in the making where somebody makes it, else a child that will be it. */
static _Noreturn void ask(void) {
    struct socket_place place = {0};
    const char *how = "once";
    int is_there = !place_socket(&place);
    for (int asked = 0; is_there && left_until(PATIENCE_MS) > 0; nap()) {
        int fd = asked < 2 ? connected(&place) : -1, lock = -1, listener = -1;
        if (fd >= 0) {
            asked++; /* twice: it may just have been on its way out */
            if (ask_daemon(fd)) how = "unanswered";
        } else if (fd != BUSY) {
            lock = locked(&place);
            if (lock >= 0 && (listener = listening(&place)) >= 0) ask_child(&place, lock, listener, "stay");
            if (lock != BUSY || asked == 2) break;
        }
    }
    ask_child(&place, -1, -1, how);
}

static int not_served(const char *why) {
    const char *const parts[] = {"toolgate-hook: ", why, "\n"};
    for (size_t n = 0; n < sizeof parts / sizeof *parts; n++) put_all(2, parts[n], strlen(parts[n]));
    return 1;
}

/* The daemon without a call, for service managers: this process becomes it. */
static int serve(void) {
    struct socket_place place = {0};
    int lock, listener;
    find_program();
    if (place_socket(&place)) return not_served("there is no folder that a socket could be trusted to");
    if ((lock = locked(&place)) < 0) return not_served("a daemon runs already");
    if ((listener = listening(&place)) < 0) return not_served("its socket cannot be made");
    become_engine(-1, lock, listener, engine_words(&place, "serve"));
}

static void prepare(void) {
    static const int CAUGHT[] = {SIGALRM, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXCPU, SIGUSR1, SIGUSR2};
    struct sigaction action = {0};
    struct itimerval timer = {{0, 0}, {DEADLINE_MS / 1000, DEADLINE_MS % 1000 * 1000}};
    sigset_t none;
    clock_gettime(CLOCK_MONOTONIC, &began);
    has_stdout = fcntl(1, F_GETFD) >= 0;
    for (int fd = 0; fd < 3; fd++)
        if (fcntl(fd, F_GETFD) < 0) open("/dev/null", O_RDWR); /* the lowest that is free */
    action.sa_handler = on_signal;
    for (size_t n = 0; n < sizeof CAUGHT / sizeof *CAUGHT; n++) sigaction(CAUGHT[n], &action, 0);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    setitimer(ITIMER_REAL, &timer, 0);
}

int main(int count, char **words) {
    if (count == 2 && !strcmp(words[1], "--build")) return put_all(1, BUILD "\n", sizeof BUILD);
    if (count == 2 && !strcmp(words[1], "--serve")) return serve();
    int many = 0;
    while (many + 1 < count && says_who(words[many + 1])) many++;
    char *const *last = words + many;
    if (count == many + 3)
        for (size_t n = 0; n < sizeof REFUSALS / sizeof *REFUSALS; n++)
            if (!strcmp(REFUSALS[n].host, last[1]) && !strcmp(REFUSALS[n].event, last[2])) no = &REFUSALS[n];
    prepare();
    if (count != many + 3) refuse("usage: toolgate-hook [TOOLGATE_ROLE=...] HOST EVENT");
    find_program();
    make_request(words + 1, many, last[1], last[2]);
    if (is_supervised()) ask_supervisor();
    ask();
}
