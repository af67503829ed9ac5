/* Init's own value for the OOM killer, which a new process inherits. */
#ifndef ISOPOD_OOM_SCORE_H
#define ISOPOD_OOM_SCORE_H

/* Called before any other process exists: for a moment init's files in /proc are its own. */
void oom_score_open(void);

/* Makes a process that is started now the first victim. A failure is ignored: the kernel then chooses by size alone. */
void oom_score_raise(void);

/* Makes init again what it was. */
void oom_score_restore(void);

#endif
