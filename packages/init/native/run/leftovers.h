/* What can outlive all processes: unlinked files and sockets, held by a message that was never received. */
#ifndef ISOPOD_LEFTOVERS_H
#define ISOPOD_LEFTOVERS_H

/* Notes the memory and sockets that are in use before any program runs. */
void leftovers_baseline(void);
/* What is in use beyond that, as a word for the host, or NULL. Gives the kernel half a second to release it. */
const char *leftovers(void);

#endif
