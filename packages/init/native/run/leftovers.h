/* Finds what can outlive all processes: unlinked files, and sockets in a message that was never received. */
#ifndef ISOPOD_LEFTOVERS_H
#define ISOPOD_LEFTOVERS_H

/* Notes the memory and sockets that are in use before any program runs. */
void leftovers_baseline(void);
/* Names what is in use beyond that, in a word for the host, or returns NULL. Gives the kernel half a second to release it. */
const char *leftovers(void);

#endif
