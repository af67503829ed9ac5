import type { Limits } from '@isopod/protocol'

/** Where the program's files are, and its current directory. */
export const WORKSPACE = '/workspace'
/** Where the volume with init is mounted, and init in it. */
export const INIT_DIRECTORY = '/isopod'
export const INIT_PATH = `${INIT_DIRECTORY}/init`

const MIB = 1024 * 1024
const INODES_PER_MIB = 128
const MIN_INODES = 1024

/** Bytes that a program may lock in memory. */
export const MEMLOCK_BYTES = MIB
/** What every container is called. */
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
/** One pool or counter for the whole host, by which a job could starve another or pass it messages. */
const SHARED_BY_CONTAINERS = [
  '/dev/pts/ptmx',
  '/proc/locks',
  '/proc/sys/fs/dentry-state',
  '/proc/sys/fs/file-nr',
  '/proc/sys/fs/inode-nr',
  '/proc/sys/fs/inode-state',
  '/proc/sys/kernel/pty/nr',
]

/** Every path that is covered in a container. */
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
