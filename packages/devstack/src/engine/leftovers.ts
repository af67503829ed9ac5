import { readdir, readFile } from 'node:fs/promises'
import type { Paths } from '../paths.ts'
import { endProcess, identifyProcess } from '../process/process-identity.ts'
import { tryCommand } from '../run-command.ts'
import { engineSockets } from './private-engine.ts'

/**
 * Ends the containerd shims that outlived our engine, and their containers. Shims of other engines have the address of another
 * socket as an argument.
 */
export async function endShims(paths: Paths): Promise<void> {
  if (process.platform !== 'linux') return
  const { containerd } = engineSockets(paths)
  for (const shim of await processIds()) {
    const words = (await readFile(`/proc/${shim}/cmdline`, 'utf8').catch(() => '')).split('\0')
    if (!words.includes(containerd) || !isShim(words[0])) continue
    const found = [...(await childrenOf(shim)), shim].map(identifyProcess)
    // Ends containers before their shims, because a container without its shim has another parent and is not found.
    for (const identity of found) if (identity) await endProcess(identity, 1000)
  }
}

/** Unmounts everything in or below these folders, the latest mount first. */
export async function endMounts(folders: readonly string[]): Promise<void> {
  if (process.platform !== 'linux') return
  for (const target of mountsBelow(await readFile('/proc/self/mountinfo', 'utf8'), folders)) {
    const { exitCode } = await tryCommand(['umount', target])
    if (exitCode !== 0) await tryCommand(['umount', '-l', target])
  }
}

/** The mount points of a `/proc/self/mountinfo` that lie in or below these folders, the latest mounted first. */
export function mountsBelow(mountinfo: string, folders: readonly string[]): string[] {
  return mountinfo
    .split('\n')
    .map((line) => (line.split(' ')[4] ?? '').replace(/\\([0-7]{3})/g, (_, code) => fromOctal(code)))
    .filter((target) => folders.some((folder) => target === folder || target.startsWith(`${folder}/`)))
    .reverse()
}

/** Decodes one of the kernel's octal escapes for space, tab, newline and backslash in a path. */
function fromOctal(code: string): string {
  return String.fromCharCode(Number.parseInt(code, 8))
}

async function processIds(): Promise<number[]> {
  return (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
}

async function childrenOf(parent: number): Promise<number[]> {
  const children: number[] = []
  for (const pid of await processIds()) {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    if (Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === parent) children.push(pid)
  }
  return children
}

function isShim(program: string | undefined): boolean {
  return program?.split('/').at(-1)?.startsWith('containerd-shim') ?? false
}
