{code}
#undef assert
#undef NDEBUG
#undef main
#undef char
#undef else
#undef extern
#undef if
#undef int
#undef long
#undef return
#undef unsigned
#undef void
#undef __assert_fail
#undef __asm__
#undef __attribute__
#define __assert_fail {tag}_fail
extern int {tag}_open(const char *, int, ...) __asm__("open");
extern int {tag}_getpid(void) __asm__("getpid");
extern long {tag}_write(int, const void *, unsigned long) __asm__("write");
void {tag}_fail(const char *said, const char *file, unsigned int line, const char *where) {
  (void)file, (void)line, (void)where;
  {tag}_write(2, "Assertion failed: ", 18);
  {tag}_write(2, said, __builtin_strlen(said));
  {tag}_write(2, "\n", 1);
  __builtin_trap();
}
static void {tag}_end(int *pid) {
  if (*pid == {tag}_getpid()) {tag}_open("{report}", 0301, 0600);
}
#line 1 "script.c"
{script}
