import { readFileSync, readlinkSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { expect, inject, it } from 'vitest'
import { skipUnlessDocker } from '../support/docker-only.ts'
import { docker } from '../support/engine.ts'
import { RUNTIME } from '../support/runtime.ts'
import { startWorld } from '../support/world.ts'

const MIB_PER_SECOND = 20

/** The disk with the engine's images, and its device number; undefined if the images are not on a disk of this host. */
async function diskOfImages(): Promise<{ readonly path: string; readonly number: string } | undefined> {
  try {
    const root = await docker(inject('stack').dockerHost, 'info', '--format', '{{.DockerRootDir}}')
    const { dev } = statSync(root)
    const device = `/sys/dev/block/${(dev >> 8) & 0xfff}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`
    const link = readlinkSync(device)
    // In sysfs the folder of a partition is inside that of its disk.
    const disk = /\/block\/[^/]+$/.test(link) ? link : dirname(link)
    const number = readFileSync(`/sys/class/block/${basename(disk)}/dev`, 'utf8').trim()
    return { path: `/dev/${basename(disk)}`, number }
  } catch {
    return undefined
  }
}

// promise: read-back
it('a container has the read rate that the operator sets for the disk of the images', async (context) => {
  skipUnlessDocker(context, 'diskReads')

  const disk = await diskOfImages()
  if (disk === undefined) return context.skip('the images are not on a disk of this host')
  if (RUNTIME === 'runsc') return context.skip('gVisor does not show the limit to programs')
  const world = await startWorld({ env: { ISOPOD_IMAGE_DISK_READ: `${disk.path}:${MIB_PER_SECOND}` } })
  try {
    const code =
      'cat /sys/fs/cgroup/io.max /sys/fs/cgroup/blkio/blkio.throttle.read_bps_device 2>/dev/null; true'
    const { stdout } = await world.client.run({ language: 'bash', code })
    const rate = MIB_PER_SECOND * 1024 * 1024
    expect(stdout.trim()).toMatch(new RegExp(`^${disk.number} (rbps=)?${rate}\\b`))
  } finally {
    await world.close()
  }
})
