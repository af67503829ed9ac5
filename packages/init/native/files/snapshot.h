/* Snapshot of the workspace's files in init's memory, which programs cannot read; a reset restores them from it. */
#ifndef ISOPOD_SNAPSHOT_H
#define ISOPOD_SNAPSHOT_H

/* Replaces the snapshot by copies of all regular files and reports to the host. If `refused` is not 0, only reports that errno. */
void snapshot_take(int refused);
/* Writes the files back. */
void snapshot_restore(void);
void snapshot_drop(void);

#endif
