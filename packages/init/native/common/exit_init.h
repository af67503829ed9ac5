#ifndef ISOPOD_EXIT_INIT_H
#define ISOPOD_EXIT_INIT_H

/* Kills every other process and ends init. */
_Noreturn void exit_init(int code);

#endif
