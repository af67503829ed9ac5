#ifndef ISOPOD_IPC_H
#define ISOPOD_IPC_H

/* Removes the System V objects and POSIX message queues of this namespace; 0 only if none is left. */
int ipc_remove(void);

#endif
