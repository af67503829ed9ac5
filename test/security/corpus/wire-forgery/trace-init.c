#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

int main(void) {
  char buffer[16] = "";
  struct iovec here = {buffer, sizeof buffer}, there = {(void *)0x400000, sizeof buffer};
  if (ptrace(PTRACE_ATTACH, 1, 0, 0) == 0 || ptrace(PTRACE_SEIZE, 1, 0, 0) == 0) puts("ESCAPED: traced init");
  if (process_vm_readv(1, &here, 1, &there, 1, 0) > 0) puts("ESCAPED: read init");
  if (process_vm_writev(1, &here, 1, &there, 1, 0) > 0) puts("ESCAPED: wrote init");
  int memory = open("/proc/1/mem", O_RDWR);
  if (memory >= 0 && pwrite(memory, buffer, 1, 0x400000) > 0) puts("ESCAPED: wrote /proc/1/mem");
  if (syscall(SYS_process_madvise, 1, &there, 1, 4, 0) >= 0) puts("ESCAPED: advised init");
  return 37;
}
