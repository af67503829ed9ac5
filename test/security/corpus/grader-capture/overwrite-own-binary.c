#define _GNU_SOURCE
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
  unlink("/workspace/main");
  FILE *file = fopen("/workspace/main", "w");
  if (file == NULL) return 1;
  fputs("#!/bin/sh\nexit 0\n", file);
  fclose(file);
  chmod("/workspace/main", 0755);
  puts("the second one would pass");
  return 5;
}
