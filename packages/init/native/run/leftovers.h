/* Finds what can outlive all processes: unlinked files, and sockets in a message that was never received. */
#ifndef ISOPOD_LEFTOVERS_H
#define ISOPOD_LEFTOVERS_H

/* Records the memory and sockets that are in use before any program runs. */
void leftovers_baseline(void);
/* Returns a word for the host that names what is in use beyond that, or NULL. Gives the kernel half a second to release it. */
const char *leftovers(void);

#endif
