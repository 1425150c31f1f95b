/* harness ROUNDS PAYLOAD VARIANTS: starts every variant once a round, in turn, and prints `round variant wall cpu`, both in
   microseconds; the processor time is that of the program and of all that it waited for.

   A variant is a line of words with a tab between them: the exit code that is right, then the program and its arguments. Each gets
   the payload on its standard input; its standard output is read to the end. A wrong exit code ends it all. posix_spawn, because
   what is measured is the program and not the way it is started. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST 32
extern char **environ;

struct variant {
    int code;
    char *words[MOST];
};

static double microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

struct cost {
    double wall, cpu;
};

static struct cost once(const struct variant *variant, const char *payload, size_t size) {
    int in[2], out[2], status;
    char part[65536];
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC)) fail("pipe");
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    double began = microseconds();
    if (posix_spawnp(&pid, variant->words[0], &actions, 0, variant->words, environ)) fail(variant->words[0]);
    close(in[0]);
    close(out[1]);
    for (size_t sent = 0; sent < size;) {
        ssize_t n = write(in[1], payload + sent, size - sent);
        if (n < 0) break;
        sent += (size_t)n;
    }
    close(in[1]);
    while (read(out[0], part, sizeof part) > 0) continue;
    close(out[0]);
    struct rusage used;
    if (wait4(pid, &status, 0, &used) < 0) fail("wait4");
    double took = microseconds() - began;
    posix_spawn_file_actions_destroy(&actions);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (code != variant->code) {
        fprintf(stderr, "%s ended with %d, not %d\n", variant->words[0], code, variant->code);
        exit(1);
    }
    double cpu = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e6 + used.ru_utime.tv_usec + used.ru_stime.tv_usec;
    return (struct cost){took, cpu};
}

int main(int count, char **words) {
    static struct variant variants[MOST];
    char *line = 0, *payload = malloc(1 << 20);
    size_t room = 0;
    int known = 0;
    if (count != 4 || !payload) return 64;
    signal(SIGPIPE, SIG_IGN);
    FILE *file = fopen(words[2], "r");
    if (!file) fail(words[2]);
    size_t size = fread(payload, 1, 1 << 20, file);
    fclose(file);
    if (!(file = fopen(words[3], "r"))) fail(words[3]);
    while (known < MOST && getline(&line, &room, file) > 0) {
        char *rest = strdup(line);
        rest[strcspn(rest, "\n")] = 0;
        variants[known].code = atoi(strsep(&rest, "\t"));
        for (int n = 0; rest && n < MOST - 1; n++) variants[known].words[n] = strsep(&rest, "\t");
        known++;
    }
    for (int round = -2; round < atoi(words[1]); round++) /* two to warm up */
        for (int n = 0; n < known; n++) {
            int turn = (n + round + 2) % known;
            struct cost cost = once(&variants[turn], payload, size);
            if (round >= 0) printf("%d %d %.1f %.1f\n", round, turn, cost.wall, cost.cpu);
        }
    return 0;
}
