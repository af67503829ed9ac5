#ifndef ISOPOD_READY_H
#define ISOPOD_READY_H

/* Reads back what the container was given, and tells the host. */
void ready_send(void);

#endif
