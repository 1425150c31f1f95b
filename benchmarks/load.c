/* load SOCKET REQUEST CLIENTS CALLS: so many clients at once, each sending the request again and again on a new connection, until
   there were CALLS of them in all. Prints the seconds that it took. An answer that is cut short ends it all. */

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char *request;
static size_t size;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void call(const struct sockaddr_un *address) {
    char part[65536];
    uint32_t sizes[2];
    size_t got = 0, whole = 48;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)address, sizeof *address)) fail("connect");
    for (size_t sent = 0; sent < size;) {
        ssize_t n = write(fd, request + sent, size - sent);
        if (n <= 0) fail("write");
        sent += (size_t)n;
    }
    while (got < whole) {
        ssize_t n = read(fd, part + got, sizeof part - got);
        if (n <= 0) fail("an answer was cut short");
        got += (size_t)n;
        if (got >= 48) {
            memcpy(sizes, part + 40, sizeof sizes);
            whole = 48 + sizes[0] + sizes[1];
        }
    }
    close(fd);
}

int main(int count, char **words) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timespec began, ended;
    int clients, failed = 0, status;
    if (count != 5 || strlen(words[1]) >= sizeof address.sun_path) return 64;
    strcpy(address.sun_path, words[1]);
    FILE *file = fopen(words[2], "r");
    if (!file) fail(words[2]);
    request = malloc(1 << 20);
    size = fread(request, 1, 1 << 20, file);
    clients = atoi(words[3]);
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (int n = 0; n < clients; n++)
        if (fork() == 0) {
            for (long calls = atol(words[4]) / clients; calls > 0; calls--) call(&address);
            _exit(0);
        }
    while (wait(&status) > 0) failed |= status;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%.6f\n", (double)(ended.tv_sec - began.tv_sec) + (double)(ended.tv_nsec - began.tv_nsec) / 1e9);
    return failed ? 1 : 0;
}
