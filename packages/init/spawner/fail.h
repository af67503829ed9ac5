#ifndef FAIL_H
#define FAIL_H

/* Exit code of a sandbox that could not be started; stderr says why. */
#define EXIT_NOT_STARTED 70

/* Ends a sandbox that cannot be made, with the reason of errno on stderr: "cannot WHAT NAME: REASON". */
_Noreturn void fail(const char *what, const char *name);

void write_file(const char *path, const char *text);

#endif
