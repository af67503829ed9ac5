import { execFileSync } from 'node:child_process'
import { chmodSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Container, describeInit } from './container.ts'

/** Where the helper mounts a directory of the host. */
const MOUNTED = '/sys/fs/cgroup'

function hostDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'isopod-opens-'))
  chmodSync(path, 0o755)
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

describeInit('files that init opens at its start', () => {
  it('are opened before a program comes, and do not stay open', async () => {
    const directory = hostDirectory()
    const fifo = join(directory, 'fifo')
    execFileSync('mkfifo', ['-m', '644', fifo])
    // The kernel opens a FIFO for writing only once somebody has opened it for reading.
    const opened = open(fifo, 'w')
    await using container = await Container.start({ cgroup: directory, opens: `${MOUNTED}/fifo` })
    await (await opened).close()
    expect((await container.sh('echo ran')).stdout.toString()).toBe('ran\n')
    await expect(open(fifo, constants.O_WRONLY | constants.O_NONBLOCK)).rejects.toThrow('ENXIO')
  })

  it('may be missing', async () => {
    await using container = await Container.start({ opens: '/nowhere/at/all' })
    expect((await container.sh('echo ran')).stdout.toString()).toBe('ran\n')
  })
})
