#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
  char name[32], marker[128] = "", text[4096];
  if (scanf("%31s %100s", name, marker) != 2) return 1;
  for (int keyring = -8; keyring < 0; keyring++) {
    if (syscall(SYS_add_key, "user", marker, "planted", 7, keyring) >= 0) printf("ESCAPED: planted a key in %d\n", keyring);
    if (syscall(SYS_keyctl, 11 /* read */, keyring, text, sizeof text, 0) >= 0) printf("ESCAPED: read keyring %d\n", keyring);
    if (syscall(SYS_keyctl, 6 /* describe */, keyring, text, sizeof text, 0) >= 0) printf("ESCAPED: %s\n", text);
  }
  if (syscall(SYS_request_key, "user", marker, NULL, -3) >= 0) puts("ESCAPED: request_key");
  FILE *table = fopen("/proc/keys", "r");
  while (table != NULL && fgets(text, sizeof text, table) != NULL) printf("ESCAPED: %s", text);
  return 0;
}
