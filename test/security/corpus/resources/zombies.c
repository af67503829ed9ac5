#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
  int refused = 0;
  for (int i = 0; i < 5000; i++) {
    int child = fork();
    if (child == 0) _exit(0);
    refused += child < 0;
  }
  usleep(100000);
  return refused > 0 ? 0 : 1;
}
