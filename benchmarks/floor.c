/* As little as a hook can be: a program that reads its standard input and ends. */

#include <unistd.h>

int main(void) {
    char part[65536];
    while (read(0, part, sizeof part) > 0) continue;
    return 0;
}
