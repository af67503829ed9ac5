import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Observer } from './observer.ts'

const run = promisify(execFile)
/** Tables of the host's kernel that list objects by name. */
const TABLES = ['/proc/keys', '/proc/net/unix', '/proc/self/mountinfo', '/proc/swaps']
const FOLDERS = ['/', '/etc', '/run', '/dev', '/dev/shm', '/dev/mqueue', '/var/tmp']
const SYSTEM_V = ['shm', 'sem', 'msg']
const KEY_COLUMN = 0

/**
 * Reports objects with the attack's marker that a program can leave in the host's kernel or folders: keys, sockets, mounts,
 * message queues, files, lines of the kernel's log, and System V objects, whose key is `key`.
 */
export function watchSharedObjects(marker: string, key: number): Observer {
  return {
    async findings() {
      const found: string[] = []
      for (const table of TABLES) {
        const text = await readFile(table, 'utf8').catch(() => '')
        const lines = text.split('\n').filter((line) => line.includes(marker))
        if (lines.length > 0) found.push(`${table} has ${lines[0]}`)
      }
      for (const folder of FOLDERS) {
        const names = (await readdir(folder).catch(() => [])).filter((name) => name.includes(marker))
        if (names.length > 0) found.push(`${folder} has got ${names.join(', ')}`)
      }
      for (const kind of SYSTEM_V) {
        const rows = (await readFile(`/proc/sysvipc/${kind}`, 'utf8').catch(() => '')).split('\n')
        if (rows.some((row) => Number(row.trim().split(/\s+/)[KEY_COLUMN]) === key)) {
          found.push(`the host has a System V object (${kind}) of the attack`)
        }
      }
      // The kernel's log cannot be read everywhere; then only the other objects are checked.
      const { stdout: log } = await run('dmesg', { maxBuffer: 64 * 1024 * 1024 }).catch(() => ({
        stdout: '',
      }))
      if (log.includes(marker)) found.push("the kernel's log has a line of the attack")
      return found
    },
  }
}
