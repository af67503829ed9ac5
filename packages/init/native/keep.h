/* Copies of the files in the workspace, to be laid there again after a reset. Programs cannot look into this process. */
#ifndef ISOPOD_KEEP_H
#define ISOPOD_KEEP_H

/* Copies all regular files and tells the host; what was kept before is dropped. With an errno it is refused. */
void keep(int refused);
/* Lays them as a put of each would. */
void keep_lay(void);
void keep_drop(void);

#endif
