/* Reports init's own failures to the host. `where` is one of the words in src/frames.ts. */
#ifndef ISOPOD_FAULT_H
#define ISOPOD_FAULT_H

/* Reports a failure to the host and continues. */
void fault(const char *where, int error);
/* Kills every other process, reports the failure and ends init. */
_Noreturn void fatal(const char *where, int error);

#endif
