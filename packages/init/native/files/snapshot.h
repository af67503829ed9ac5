/* The snapshot: copies of the workspace's files, written there again after a reset. Programs cannot read this process. */
#ifndef ISOPOD_SNAPSHOT_H
#define ISOPOD_SNAPSHOT_H

/* Copies all regular files and reports to the host; replaces the snapshot before. With an errno it is refused. */
void snapshot_take(int refused);
/* Writes the files again, as a put of each would. */
void snapshot_restore(void);
void snapshot_drop(void);

#endif
