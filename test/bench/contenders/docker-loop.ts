import { IMAGES } from '@isopod/devstack'
import { containerOptions } from '@isopod/sandbox'
import type { ContainerCreateOptions } from 'dockerode'
import type { Engine } from '../engine.ts'
import { FROM_STDIN } from './commands.ts'
import { type Contender, type Program, wholeOf } from './contender.ts'
import { demultiplexed } from './demultiplexed.ts'
import { type LanesTrial, laned } from './laned.ts'

/** Variant of the loop. */
export interface LoopKind {
  readonly name: string
  /** Seccomp profile as JSON. @default the engine's */
  readonly seccomp?: string
  /** @default the engine's */
  readonly runtime?: string
}

/** The loop of a typical dockerode user: create, attach, start, wait, remove, with the same hardening as Isopod. */
export function dockerLoop(engine: Engine, kind: LoopKind, trial: LanesTrial): Contender {
  const run = async (program: Program) => {
    const words = FROM_STDIN[program.language]
    return { stdout: await runOnce(engine, kind, IMAGES[program.language], words, wholeOf(program)) }
  }
  return laned(kind.name, run, trial)
}

/**
 * One container for one command.
 *
 * @throws if the command does not end with exit code 0
 */
export function runOnce(
  engine: Engine,
  kind: Omit<LoopKind, 'name'>,
  image: string,
  words: readonly string[],
  stdin: string | Uint8Array,
): Promise<string> {
  return engine.once(async () => {
    const container = await engine.docker.createContainer(hardened(engine, kind, image, words))
    try {
      const wire = await container.attach({
        stream: true,
        stdin: true,
        stdout: true,
        stderr: true,
        hijack: true,
      })
      const output = demultiplexed(wire)
      await container.start()
      wire.end(stdin)
      const [{ StatusCode }, { stdout, stderr }] = await Promise.all([container.wait(), output])
      if (StatusCode !== 0) throw new Error(`${words[0]} ended with ${StatusCode}: ${stderr.slice(-500)}`)
      return stdout
    } finally {
      await container.remove({ force: true })
    }
  })
}

/** Isopod's container options, with the interpreter instead of init, and without init's volume. */
function hardened(
  engine: Engine,
  { seccomp, runtime }: Omit<LoopKind, 'name'>,
  image: string,
  words: readonly string[],
): ContainerCreateOptions {
  const options = containerOptions({
    limits: engine.limits,
    image,
    user: { uid: 65_534, gid: 65_534 },
    opens: [],
    initVolume: '',
    seccomp: seccomp ?? '',
    runtime: runtime ?? engine.defaultRuntime,
    labels: engine.labels,
  })
  const own: string[] = options.HostConfig?.SecurityOpt ?? []
  const security = seccomp === undefined ? own.filter((line) => !line.startsWith('seccomp=')) : own
  return {
    ...options,
    Entrypoint: [],
    Cmd: [...words],
    WorkingDir: '/workspace',
    HostConfig: { ...options.HostConfig, Mounts: [], SecurityOpt: security },
  }
}
