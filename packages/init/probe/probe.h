#ifndef PROBE_H
#define PROBE_H

/* Reports that the attack succeeded: one line about what it got. May be called more than once. */
void got(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports that the attack could not be tried here, which proves nothing. */
void untried(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports a fact for the worker to judge: one line "name value". */
void fact(const char *name, long long value);
/* Writes as much as possible. */
void put(int fd, const void *bytes, unsigned long size);
/* Reads a small file whole and adds a NUL; returns the number of bytes, or -1. */
long slurp(const char *path, char *text, unsigned long size);
/* Milliseconds of the wall clock. */
long long wall_ms(void);

/* An attack, with the arguments after its name on the command line. */
typedef void attack(int count, char **args);

attack artifact, calls, capabilities, clocks, connections, core_file, cpu, descriptors, devices, disk, environment, files,
    forks, host_name, init, inodes, interfaces, keep, limits, look, masks, memory, mounts, open_files, output, proc,
    processes, read_only, signals, sleeper, terminal, uncounted, wire;

#endif
