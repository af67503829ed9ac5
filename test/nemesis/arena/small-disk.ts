import { execFile } from 'node:child_process'
import { mkdir, open, readFile, rm, statfs, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { endMounts } from '@isopod/devstack'

const run = promisify(execFile)

const MIB = 1024 * 1024
const BLOCK = Buffer.alloc(4096)
/** Pause before space that others freed is filled again, in milliseconds. */
const REFILL_MS = 100

/** A file system of a fixed size, so that a disk can be full without the host's being full. */
export class SmallDisk {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  /** Mounts one that is kept in memory. */
  static async inMemory(path: string, megabytes: number): Promise<SmallDisk> {
    await mkdir(path, { recursive: true })
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700`, 'isopod-chaos', path])
    return new SmallDisk(path)
  }

  /** Mounts one that is kept in a sparse file for the next run, unless it is mounted already. Deleted files free space of the host. */
  static async inFile(path: string, file: string, megabytes: number): Promise<SmallDisk> {
    await mkdir(path, { recursive: true })
    if (await isMounted(path)) return new SmallDisk(path)
    const mount = () => run('mount', ['-o', 'loop,noatime,discard', file, path])
    await mount().catch(async () => {
      await rm(file, { force: true })
      await (await open(file, 'w', 0o600)).close()
      await truncate(file, megabytes * MIB)
      await run('mkfs.ext4', ['-q', '-m', '0', '-F', file])
      await mount()
    })
    return new SmallDisk(path)
  }

  /** Leaves no space for a while, whatever others free meanwhile. @param meanwhile runs while it is full */
  async fullFor(ms: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
    const deadline = performance.now() + ms
    const filler = join(this.path, 'filler')
    const freed = new AbortController()
    const filling = (async () => {
      while (!freed.signal.aborted) {
        await fill(this.path, filler)
        await sleep(REFILL_MS)
      }
    })()
    try {
      await meanwhile()
      await sleep(deadline - performance.now())
    } finally {
      freed.abort()
      await filling
      await rm(filler, { force: true })
    }
  }

  async unmount(): Promise<void> {
    await endMounts([this.path])
  }
}

/** Lets a file grow until its file system has no space. Its blocks stay unwritten, so a sparse file below does not grow. */
async function fill(disk: string, filler: string): Promise<void> {
  const { bavail, bsize } = await statfs(disk)
  const file = await open(filler, 'a', 0o600)
  try {
    const { size } = await file.stat()
    const more = String(bavail * bsize)
    if (bavail > 0) await run('fallocate', ['-o', String(size), '-l', more, filler]).catch(() => {})
    for (;;) await file.write(BLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    await file.close()
  }
}

async function isMounted(path: string): Promise<boolean> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8')
  return mounts.split('\n').some((line) => line.split(' ')[4] === path)
}
