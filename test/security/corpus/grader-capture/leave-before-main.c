#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

__attribute__((constructor)) static void first(void) {
  write(1, "PASSED\n", 7);
  _exit(0);
}

int main(void) { return 5; }
