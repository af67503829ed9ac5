#ifndef ISOPOD_INSTALL_H
#define ISOPOD_INSTALL_H

/* Puts a copy of this program at `target`, whole or not at all; the exit code. */
int install_to(const char *target);

#endif
