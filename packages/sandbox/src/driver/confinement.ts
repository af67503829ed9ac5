import type { Limits } from '@isopod/protocol'

/** Where the program's files are, and its current directory. */
export const WORKSPACE = '/workspace'
/** Where init's directory is mounted, and init in it. */
export const INIT_DIRECTORY = '/isopod'
export const INIT_PATH = `${INIT_DIRECTORY}/init`

const MIB = 1024 * 1024
const INODES_PER_MIB = 128
const MIN_INODES = 1024

/** Bytes that a program may lock in memory. */
export const MEMLOCK_BYTES = MIB
/** Host name of every container. */
export const HOST_NAME = 'sandbox'

/** Docker's default list (moby, oci/defaults). */
const ENGINE_MASKS = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
]
/** Pools and counters of the whole host, by which a job could starve another or pass it messages. */
const SHARED_BY_CONTAINERS = [
  '/dev/pts/ptmx',
  '/proc/locks',
  '/proc/sys/fs/dentry-state',
  '/proc/sys/fs/file-nr',
  '/proc/sys/fs/inode-nr',
  '/proc/sys/fs/inode-state',
  '/proc/sys/kernel/pty/nr',
]

/** Every path that is masked in a container. */
export const MASKED_PATHS: readonly string[] = [...ENGINE_MASKS, ...SHARED_BY_CONTAINERS]

/** Docker's default list, and what it leaves writable on cgroup v2 where it maps user ids. */
export const READONLY_PATHS: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/sys/fs/cgroup',
]

/** Room of /dev/shm: semaphores and small shared arrays fit; it is memory, so the memory limit bounds it too. */
export const SHM_BYTES = 16 * MIB

/** Room of the workspace in bytes; the rest of `diskMb` is /tmp's. */
export function workspaceBytes(diskMb: number): number {
  return diskMb * MIB - tmpBytes(diskMb)
}

/** Room of /tmp in bytes: a quarter of `diskMb`. */
export function tmpBytes(diskMb: number): number {
  return (diskMb * MIB) / 4
}

/** Inodes of the workspace: files of two pages each fill its space and its inodes at about the same time. */
export function workspaceInodes(diskMb: number): number {
  return inodesOf(workspaceBytes(diskMb))
}

/** Inodes of a file system of this size. */
export function inodesOf(bytes: number): number {
  return Math.max(MIN_INODES, Math.floor((bytes / MIB) * INODES_PER_MIB))
}

/** Files that any process of a container may have open: as many as the program's, and never fewer than init needs. */
export function openFilesOf({ openFiles }: Pick<Limits, 'openFiles'>): number {
  return Math.max(openFiles, 64)
}

/** Measured: gVisor has 28 tasks of its own, and 2 for each process, however many threads that has. */
const GVISOR_TASKS = 256
const GVISOR_TASKS_PER_PROCESS = 4

/**
 * Tasks of the host that a container under gVisor may have. gVisor does not survive this limit, so its own limit of processes
 * is lower.
 *
 * @param processes that the program may have
 */
export function gvisorTasks(processes: number): number {
  // Init is one more.
  return GVISOR_TASKS + GVISOR_TASKS_PER_PROCESS * (processes + 1)
}
