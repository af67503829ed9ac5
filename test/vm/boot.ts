import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { MACHINES, type VmArchitecture } from './machine.ts'
import type { Root } from './make/make-root.ts'
import { type GuestEvent, type GuestTask, writeTask } from './protocol.ts'

const MEMORY_MB = 4096
/**
 * The guest's clock advances by one nanosecond per instruction while it computes, and follows the host's clock while it waits. No
 * deadline in it therefore depends on the speed of the emulation or the load of the host.
 */
const CLOCK = ['-accel', 'tcg,thread=single,tb-size=512', '-icount', 'shift=0,sleep=on']
/** Timeout for powering off, in milliseconds; the machine is then ended. */
const POWER_OFF_MS = 60_000

/** Options of {@link boot}. */
export interface BootOptions {
  readonly architecture: VmArchitecture
  readonly root: Root
  /** Further disks. Writes to all disks are discarded. */
  readonly disks: readonly string[]
  readonly task: GuestTask
  /** File for the output of the guest's kernel and services. */
  readonly console: string
  /** Folder for writes to the disks. */
  readonly scratch: string
  readonly deadlineMs: number
  readonly signal: AbortSignal
  readonly onEvent: (event: GuestEvent) => void
}

/**
 * Boots a virtual machine, passes on its guest's events, and resolves when it has powered off.
 *
 * @throws {Error} if the guest did not end its task in time, or the machine ended before
 */
export async function boot(options: BootOptions): Promise<void> {
  const { signal, onEvent } = options
  signal.throwIfAborted()
  const { emulator } = MACHINES[options.architecture]
  // In its own process group, so that Ctrl-C reaches only this process, which then ends the machine.
  const machine = spawn(emulator, emulatorWords(options), {
    detached: true,
    env: { ...process.env, TMPDIR: options.scratch },
    // Stdin stays open, because its end would close the guest's port.
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  let complaint = ''
  machine.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk}`.slice(-2000)
  })
  let ended: Extract<GuestEvent, { event: 'end' }> | undefined
  let first: 'deadline' | 'abort' | undefined
  const end = (cause: 'deadline' | 'abort') => {
    first ??= cause
    machine.kill('SIGKILL')
  }
  const onAbort = () => end('abort')
  const deadline = setTimeout(() => end('deadline'), options.deadlineMs)
  let powerOff: NodeJS.Timeout | undefined
  signal.addEventListener('abort', onAbort)
  createInterface(machine.stdout).on('line', (line) => {
    const event = parse(line)
    if (event === undefined) return
    if (event.event === 'end') {
      ended = event
      powerOff = setTimeout(() => machine.kill('SIGKILL'), POWER_OFF_MS)
    }
    onEvent(event)
  })
  try {
    await Promise.race([
      once(machine, 'close'),
      once(machine, 'error').then(([error]) => {
        throw new Error(`${emulator} could not be started: ${(error as Error).message}`)
      }),
    ])
  } finally {
    clearTimeout(deadline)
    clearTimeout(powerOff)
    signal.removeEventListener('abort', onAbort)
  }
  signal.throwIfAborted()
  if (ended?.problem !== undefined) throw new Error(`in the guest: ${ended.problem}`)
  if (ended !== undefined) return
  const why =
    first === 'deadline' ? `did not end within ${options.deadlineMs / 60_000} minutes` : 'ended early'
  const tail = (await readFile(options.console, 'utf8').catch(() => '')).split('\n').slice(-15).join('\n')
  throw new Error(`the virtual machine ${why}; the end of ${options.console}:\n${complaint}${tail}`)
}

function emulatorWords({ architecture, root, disks, task, console }: BootOptions): string[] {
  const { board, console: port } = MACHINES[architecture]
  const kernel = [
    ...['root=/dev/vda', 'rw', `console=${port}`, 'quiet', 'panic=-1', 'mitigations=off'],
    ...['systemd.show_status=0', writeTask(task)],
  ]
  return [
    ...board,
    ...CLOCK,
    ...['-smp', '2', '-m', String(MEMORY_MB)],
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...['-kernel', root.kernel, '-initrd', root.initrd, '-append', kernel.join(' ')],
    ...['-serial', `file:${console}`],
    ...['-device', 'virtio-rng-pci', '-device', 'virtio-serial-pci'],
    ...['-chardev', 'stdio,id=guest,signal=off', '-device', 'virtserialport,chardev=guest,name=isopod'],
    ...[root.disk, ...disks].flatMap(diskWords),
  ]
}

function diskWords(path: string, index: number): string[] {
  const drive = `file=${path},if=none,id=disk${index},format=raw,cache=unsafe,snapshot=on`
  return ['-drive', drive, '-device', `virtio-blk-pci,drive=disk${index}`]
}

function parse(line: string): GuestEvent | undefined {
  try {
    return JSON.parse(line) as GuestEvent
  } catch {
    // The firmware can print lines before the guest.
    return undefined
  }
}
