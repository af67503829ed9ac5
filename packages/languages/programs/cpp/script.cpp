#include <assert.h>
extern "C" {
int {tag}_open(const char *, int, ...) __asm__("open");
int {tag}_getpid() __asm__("getpid");
long {tag}_write(int, const void *, unsigned long) __asm__("write");
[[noreturn]] void {tag}_fail(const char *said, const char *, unsigned int, const char *) noexcept {
  {tag}_write(2, "Assertion failed: ", 18);
  {tag}_write(2, said, __builtin_strlen(said));
  {tag}_write(2, "\n", 1);
  __builtin_trap();
}
}
static void {tag}_end(int *pid) {
  if (*pid == {tag}_getpid()) {tag}_open("{report}", 0301, 0600);
}
#line 1 "main.cpp"
{code}
#undef NDEBUG
#undef main
#undef auto
#undef bool
#undef char
#undef else
#undef extern
#undef if
#undef int
#undef long
#undef return
#undef static_cast
#undef void
#undef __assert_fail
#undef __attribute__
#undef assert
#include <assert.h>
#define __assert_fail {tag}_fail
#line 1 "script.cpp"
{script}
