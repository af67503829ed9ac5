#ifndef ISOPOD_READY_H
#define ISOPOD_READY_H

/* Reports the container's limits and confinement to the host, as read back from inside. */
void ready_send(void);

#endif
