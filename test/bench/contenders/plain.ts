import { chmod, mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { IMAGES } from '@isopod/devstack'
import type { Engine } from '../engine.ts'
import { NAMES } from '../names.ts'
import { FROM_FILE } from './commands.ts'
import { type Contender, ContenderUnavailable, type Program, wholeOf } from './contender.ts'
import { type LanesTrial, laned } from './laned.ts'
import { runProcess } from './spawned.ts'

const UNPRIVILEGED_ID = 65_534
const ENV = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUNBUFFERED: '1',
}

/** A contender that runs programs as plain processes, in the file system of one sleeping container per image. */
export interface Plain extends Contender {
  close(): Promise<void>
}

/**
 * The plain interpreter without any sandbox: the same interpreter from the same file system as in a container, started by
 * this process with `chroot`, in the host's namespaces and cgroups, without limits. Writes each program to a file in memory,
 * runs it, and removes it.
 */
export function plainInterpreter(engine: Engine, trial: LanesTrial): Plain {
  const roots = new Map<string, Promise<string>>()
  let count = 0
  const run = async (program: Program) => {
    const image = IMAGES[program.language]
    const { file, words } = FROM_FILE[program.language]
    const root = roots.get(image) ?? engine.once(() => rootOf(engine, image))
    roots.set(image, root)
    const folder = `/workspace/${count++}`
    const place = join(await root, folder)
    await mkdir(place)
    // Independent of the umask, because compilers write into this folder.
    await chmod(place, 0o777)
    try {
      await writeFile(join(place, file), wholeOf(program))
      const inside = ['sh', '-c', 'cd "$0" && exec "$@"', folder, ...words]
      const start = [
        'chroot',
        `--userspec=${UNPRIVILEGED_ID}:${UNPRIVILEGED_ID}`,
        await root,
        ...commandIn(program, folder, inside),
      ]
      return { stdout: await runProcess(start as [string, ...string[]], '', ENV) }
    } finally {
      await rm(place, { recursive: true, force: true })
    }
  }
  return { ...laned(NAMES.plain, run, trial), close: async () => roots.clear() }
}

/** A compiler writes into its working directory, so a shell changes there first; an interpreter gets the whole path instead. */
function commandIn({ language }: Program, folder: string, inside: readonly string[]): readonly string[] {
  const { file, words } = FROM_FILE[language]
  return language === 'c' ? inside : words.map((word) => (word === file ? `${folder}/${file}` : word))
}

/** The host's path to the root of a sleeping container, which is removed by its label. */
async function rootOf(engine: Engine, image: string): Promise<string> {
  if (process.getuid?.() !== 0 || process.platform !== 'linux') {
    throw new ContenderUnavailable('chroot into the file system of an image needs root on Linux')
  }
  const container = await engine.docker.createContainer({
    Image: image,
    Entrypoint: ['sleep', 'infinity'],
    Cmd: [],
    Labels: { ...engine.labels },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      LogConfig: { Type: 'none', Config: {} },
      Tmpfs: { '/workspace': 'rw,exec,mode=1777', '/tmp': 'rw,exec,mode=1777' },
    },
  })
  await container.start()
  const { State } = await container.inspect()
  const root = `/proc/${State.Pid}/root`
  // The process id belongs to another machine if the engine is remote.
  await mkdir(join(root, 'workspace', 'probe')).catch(() => {
    throw new ContenderUnavailable('the engine is not on this machine')
  })
  return root
}
