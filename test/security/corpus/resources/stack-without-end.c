#define _GNU_SOURCE
static int deeper(volatile int n) {
  volatile char room[4096];
  room[n % 4096] = (char)n;
  return deeper(n + 1) + room[0];
}

int main(void) { return deeper(0); }
