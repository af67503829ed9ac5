/* What the host learns of init's own trouble. `where` is one of the words of src/frames.ts. */
#ifndef ISOPOD_FAULT_H
#define ISOPOD_FAULT_H

/* Reports a failure to the host and goes on. */
void fault(const char *where, int error);
/* Kills every other process, reports the failure and ends init. */
_Noreturn void fatal(const char *where, int error);

#endif
