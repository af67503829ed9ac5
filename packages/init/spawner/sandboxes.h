#ifndef SANDBOXES_H
#define SANDBOXES_H

/* The sandboxes of this process, each by its id. What they become, and how they end, is printed as main.c describes it. */

/* Moves a descriptor out of the way of those that a sandbox starts with. Returns the new one, or -1. */
int high_descriptor(int fd);

/* Reads an id from a connection, and starts its sandbox, which reads its steps from there. */
void start_sandbox(int connection);

/* Carries out a line of the worker: "kill ID". */
void obey(const char *line);

/* Reports the sandboxes that have ended. */
void reap_sandboxes(void);

void kill_sandboxes(void);

#endif
