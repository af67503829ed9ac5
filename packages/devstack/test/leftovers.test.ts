import { expect, it } from 'vitest'
import { mountsBelow } from '../src/engine/leftovers.ts'

const MOUNTINFO = [
  '22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw',
  '30 22 254:0 /s/docker /s/docker rw,relatime - ext4 /dev/vda rw',
  '31 30 0:44 / /s/docker/overlay2/a/merged rw - overlay overlay rw',
  '32 22 0:45 / /s/docker-of-somebody-else rw - tmpfs tmpfs rw',
  '33 22 0:46 / /s/docker/with\\040space rw - tmpfs tmpfs rw',
  '',
].join('\n')

it('mountsBelow finds the mounts in and below a folder, latest first, and no mounts beside it', () => {
  expect(mountsBelow(MOUNTINFO, ['/s/docker'])).toEqual([
    '/s/docker/with space',
    '/s/docker/overlay2/a/merged',
    '/s/docker',
  ])
})

it('mountsBelow finds nothing where nothing is mounted', () => {
  expect(mountsBelow(MOUNTINFO, ['/elsewhere'])).toEqual([])
  expect(mountsBelow('', ['/s'])).toEqual([])
})
