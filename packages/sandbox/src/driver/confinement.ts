import type { Limits } from '@isopod/protocol'

/** Directory of the program's files, and its working directory. */
export const WORKSPACE = '/workspace'
/** Mount point of init's directory, and the path of init in it. */
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
/** Host-wide pools and counters, which a job could exhaust or use as a covert channel. */
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

/** Docker's default list, and /sys/fs/cgroup, which it leaves writable on cgroup v2 with user namespaces. */
export const READONLY_PATHS: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
  '/sys/fs/cgroup',
]

/** Size of /dev/shm, for semaphores and small shared arrays; the memory limit counts it, too. */
export const SHM_BYTES = 16 * MIB

/** Size of the workspace in bytes; the rest of `diskMb` belongs to /tmp. */
export function workspaceBytes(diskMb: number): number {
  return diskMb * MIB - tmpBytes(diskMb)
}

/** Size of /tmp in bytes: a quarter of `diskMb`. */
export function tmpBytes(diskMb: number): number {
  return (diskMb * MIB) / 4
}

/** Inodes of the workspace: with files of two pages each, space and inodes run out at about the same time. */
export function workspaceInodes(diskMb: number): number {
  return inodesOf(workspaceBytes(diskMb))
}

/** Inodes of a file system of this size. */
export function inodesOf(bytes: number): number {
  return Math.max(MIN_INODES, Math.floor((bytes / MIB) * INODES_PER_MIB))
}

/** Maximum open files of any process in a container: the program's limit, but at least what init needs. */
export function openFilesOf({ openFiles }: Pick<Limits, 'openFiles'>): number {
  return Math.max(openFiles, 64)
}

/** Measured: gVisor needs 28 tasks for itself and 2 per process, regardless of the number of threads. */
const GVISOR_TASKS = 256
const GVISOR_TASKS_PER_PROCESS = 4

/**
 * Maximum host tasks of a container under gVisor. gVisor does not survive reaching it, so its own process limit is lower.
 *
 * @param processes the program's limit
 */
export function gvisorTasks(processes: number): number {
  // Plus one for init.
  return GVISOR_TASKS + GVISOR_TASKS_PER_PROCESS * (processes + 1)
}
