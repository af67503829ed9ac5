import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type InitBinary, initBinary } from '@isopod/init'
import { TerminalError } from '@isopod/protocol'
import type { Container as EngineContainer } from 'dockerode'
import { extract, pack } from 'tar-stream'
import { INIT_DIRECTORY, INIT_PATH } from './container-options.ts'
import { removeContainer } from './disposer.ts'
import { type Engine, statusCode } from './engine.ts'

/**
 * The volume with this release's init in it. Its name carries the binary's hash, so releases do not disturb each other.
 * Whatever lies in it is compared before it is believed.
 */
export class InitVolume {
  readonly #engine: Engine
  readonly #labels: Record<string, string>
  #checked: Promise<string> | undefined

  /** @param labels marks the volume, and the helper containers so that the reaper finds one that a crash left */
  constructor(engine: Engine, labels: Record<string, string>) {
    this.#engine = engine
    this.#labels = labels
  }

  /**
   * The name of the volume, filled and checked; the work is done once.
   *
   * @param image any image of this engine: none of its programs is started, but a container cannot be made without one
   */
  name(image: string): Promise<string> {
    this.#checked ??= ensureFilled(this.#engine, image, this.#labels).catch((error: unknown) => {
      this.#checked = undefined
      throw error
    })
    return this.#checked
  }

  /** Has the next call look again, for when a container could not be started with the volume. */
  forget(): void {
    this.#checked = undefined
  }
}

async function ensureFilled(engine: Engine, image: string, labels: Record<string, string>): Promise<string> {
  const binary = await initBinary(await engineArchitecture(engine))
  const volume = `isopod-init-${binary.sha256.slice(0, 12)}`
  const { 'isopod.stack': stack } = labels
  const marks = { 'isopod.init': binary.sha256, ...(stack !== undefined && { 'isopod.stack': stack }) }
  await engine.call('volume', (docker) => docker.createVolume({ Name: volume, Labels: marks }))
  if (await holds(engine, volume, image, labels, binary)) return volume
  await fill(engine, volume, image, labels, binary)
  if (await holds(engine, volume, image, labels, binary)) return volume
  throw new TerminalError(
    `the volume ${volume} does not hold init after it was written; remove it and start again`,
  )
}

/**
 * The processor that the engine's containers run on, by Node's name.
 *
 * @throws {TerminalError} if nothing of ours is built for it
 */
export async function engineArchitecture(engine: Engine): Promise<'x64' | 'arm64'> {
  const { Arch } = await engine.call('info', (docker) => docker.version())
  if (Arch === 'amd64') return 'x64'
  if (Arch === 'arm64') return 'arm64'
  throw new TerminalError(`the engine runs on ${Arch}; init is built for amd64 and arm64`)
}

/** Reads the file back out of the volume through a container that is never started. */
function holds(
  engine: Engine,
  volume: string,
  image: string,
  labels: Record<string, string>,
  binary: InitBinary,
): Promise<boolean> {
  return withHelper(
    engine,
    { volume, image, labels, readOnly: true, entrypoint: [INIT_PATH] },
    async (helper) => {
      try {
        const archive = await engine.call('volume', (docker) =>
          docker.getContainer(helper.id).getArchive({ path: INIT_PATH }),
        )
        const entries = extract()
        archive.pipe(entries)
        for await (const entry of entries) {
          const found = createHash('sha256')
            .update(await buffer(entry))
            .digest('hex')
          return found === binary.sha256 && (entry.header.mode ?? 0) % 2 === 1
        }
        return false
      } catch (error) {
        if (statusCode(error) === 404) return false
        throw error
      }
    },
  )
}

/** Puts the file beside its place and lets it rename itself there: a container that starts meanwhile sees the old or the new one, never half of one. */
function fill(
  engine: Engine,
  volume: string,
  image: string,
  labels: Record<string, string>,
  binary: InitBinary,
): Promise<void> {
  const incoming = `incoming-${randomBytes(6).toString('hex')}`
  const entrypoint = [`${INIT_DIRECTORY}/${incoming}`, 'install', INIT_PATH]
  return withHelper(engine, { volume, image, labels, readOnly: false, entrypoint }, async (helper) => {
    const archive = pack()
    archive.entry({ name: incoming, mode: 0o755 }, Buffer.from(binary.bytes))
    archive.finalize()
    await engine.call('volume', async () =>
      helper.putArchive(await buffer(archive), { path: INIT_DIRECTORY }),
    )
    await engine.call('start', () => helper.start())
    const { StatusCode } = await engine.call('volume', () => helper.wait())
    if (StatusCode !== 0)
      throw new TerminalError(`init could not be installed in ${volume} (exit code ${StatusCode})`)
  })
}

interface Helper {
  readonly volume: string
  readonly image: string
  readonly labels: Record<string, string>
  readonly readOnly: boolean
  readonly entrypoint: string[]
}

async function withHelper<T>(
  engine: Engine,
  helper: Helper,
  act: (container: EngineContainer) => Promise<T>,
): Promise<T> {
  const container = await engine.call('create', (docker) =>
    docker.createContainer({
      Image: helper.image,
      Entrypoint: helper.entrypoint,
      Cmd: [],
      User: '0:0',
      Labels: helper.labels,
      HostConfig: {
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges:true'],
        LogConfig: { Type: 'none', Config: {} },
        Mounts: [
          { Type: 'volume', Source: helper.volume, Target: INIT_DIRECTORY, ReadOnly: helper.readOnly },
        ],
      },
    }),
  )
  try {
    return await act(container)
  } finally {
    await removeContainer(engine, container.id)
  }
}
