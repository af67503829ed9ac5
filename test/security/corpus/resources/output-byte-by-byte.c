#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
  for (int i = 0; i < 300000; i++) {
    if (write(1 + i % 2, "x", 1) < 0) return 1;
  }
  return 0;
}
