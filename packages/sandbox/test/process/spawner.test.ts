import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawnerBinary } from '@isopod/init'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DriverUnavailableError } from '../../src/driver/faults.ts'
import { type SandboxProcess, Spawner } from '../../src/process/spawner.ts'

const newId = () => randomBytes(32).toString('hex')
const shell = (script: string) => ['--', '/bin/sh', '-c', script, '']

/** Kills the program that has started a process. */
async function killSpawnerOf(made: SandboxProcess): Promise<void> {
  made.send(shell('grep PPid /proc/self/status; exec cat'))
  const [line] = await once(made.wire, 'data')
  // The number of grep's parent, the shell, whose parent is the program.
  const status = readFileSync(`/proc/${String(line).split(/\s+/)[1]}/status`, 'utf8')
  process.kill(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]), 'SIGKILL')
}

let directory: string
let spawner: Spawner
let spawnerPath: string
beforeEach(async (context) => {
  context.skip(process.platform !== 'linux', 'the spawner runs on Linux only')
  directory = mkdtempSync(join(tmpdir(), 'isopod-spawner-'))
  spawnerPath = (await spawnerBinary()).path
  spawner = new Spawner(spawnerPath, join(directory, 'socket'))
})
afterEach(async () => {
  await spawner.close()
  rmSync(directory, { recursive: true })
})

describe('the spawner of a worker', () => {
  it('starts a process, which becomes a program by its steps', async () => {
    const made = await spawner.start(newId())
    made.send(shell('echo ready; read line; echo "got $line" >&2; exit 3'))
    made.wire.once('data', () => made.wire.write('it\n'))
    expect(await made.ended).toEqual({ code: 3, signal: null, message: 'got it' })
    expect(made.isRunning).toBe(false)
  })

  it('ends a process that has not even begun', async () => {
    const made = await spawner.start(newId())
    made.kill()
    expect(await made.ended).toMatchObject({ code: null, signal: 9 })
  })

  it('loses its sandboxes with its program, and starts it again', async () => {
    const [one, other] = [await spawner.start(newId()), await spawner.start(newId())]
    await killSpawnerOf(one)
    for (const { ended } of [one, other]) await expect(ended).rejects.toThrow(DriverUnavailableError)
    expect([one.isRunning, other.isRunning, one.wire.destroyed]).toEqual([false, false, true])
    const next = await spawner.start(newId())
    next.send(shell('exit 4'))
    expect((await next.ended).code).toBe(4)
  })

  it('reports a connection that is refused', async () => {
    await spawner.start(newId())
    rmSync(join(directory, 'socket'))
    const made = await spawner.start(newId())
    await expect(made.ended).rejects.toThrow('refused a connection')
    expect(made.isRunning).toBe(false)
  })

  it('removes the socket of one that was killed, and no other', async () => {
    const at = (name: string) => join(directory, name)
    const others = [at('dead.sock'), at('alive.sock')].map((path) => new Spawner(spawnerPath, path))
    const [dead] = await Promise.all(others.map((other) => other.start(newId())))
    if (dead !== undefined) await killSpawnerOf(dead)
    await expect(dead?.ended).rejects.toThrow(DriverUnavailableError)
    await spawner.start(newId())
    expect(readdirSync(directory).sort()).toEqual(['alive.sock', 'dead.sock', 'socket'])
    await spawner.removeDeadSockets()
    expect(readdirSync(directory).sort()).toEqual(['alive.sock', 'socket'])
    await others[1]?.close()
  })

  it('is refused if its program is missing, and may be closed then', async () => {
    const missing = new Spawner('/nowhere', join(directory, 'other'))
    for (let times = 0; times < 2; times++) {
      await expect(missing.start(newId())).rejects.toThrow(DriverUnavailableError)
    }
    await missing.close()
  })
})
