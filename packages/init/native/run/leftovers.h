/* What can outlive every process: files without a name and sockets, held by a message that nobody has received. */
#ifndef ISOPOD_LEFTOVERS_H
#define ISOPOD_LEFTOVERS_H

/* Notes the memory and sockets that are in use before any program runs. */
void leftovers_baseline(void);
/* What is held beyond that, as a word for the host, or NULL. Waits up to half a second for the kernel to let go of it. */
const char *leftovers(void);

#endif
