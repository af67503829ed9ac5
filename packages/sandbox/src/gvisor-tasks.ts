/** Measured: 28 of its own, and 2 for each process, however many threads that has. */
const OWN = 256
const PER_PROCESS = 4

/**
 * Tasks of the host that a container under gVisor may have. At this limit gVisor would not refuse but end, so it stands
 * behind the one that gVisor keeps itself.
 *
 * @param processes that the program may have
 */
export function gvisorTasks(processes: number): number {
  // Init is one more.
  return OWN + PER_PROCESS * (processes + 1)
}
