#define _GNU_SOURCE
static int deeper(volatile int n) {
  volatile char buffer[4096];
  buffer[n % 4096] = (char)n;
  return deeper(n + 1) + buffer[0];
}

int main(void) { return deeper(0); }
