import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Architecture, type InitBinary, initBinary } from '@isopod/init'
import { isGvisor, RetryableError } from '@isopod/protocol'
import type { Container as EngineContainer } from 'dockerode'
import { extract, pack } from 'tar-stream'
import { INIT_DIRECTORY, INIT_PATH } from '../driver/confinement.ts'
import { type Engine, statusCode } from './engine/engine.ts'
import { removeContainer } from './remover.ts'

/**
 * The volume with this release's init. Its name contains the binary's hash, so that releases use different volumes. Its
 * content is compared before use.
 */
export class InitVolume {
  readonly #engine: Engine
  readonly #architecture: Architecture
  readonly #labels: Record<string, string>
  readonly #checked = new Map<InitKind, Promise<string>>()

  /**
   * @param architecture of the engine's host
   * @param labels marks the volume, and the helper containers so that the reaper finds one that a crash left
   */
  constructor(engine: Engine, architecture: Architecture, labels: Record<string, string>) {
    this.#engine = engine
    this.#architecture = architecture
    this.#labels = labels
  }

  /**
   * The name of the volume, filled and checked on the first call.
   *
   * @param image any image of this engine: none of its programs is started, but a container cannot be made without one
   * @param runtime gVisor gets another volume, because it must be able to read the file that it runs
   */
  name(image: string, runtime: string): Promise<string> {
    const kind = isGvisor(runtime) ? READABLE : EXECUTE_ONLY
    const known = this.#checked.get(kind)
    if (known) return known
    const engine = this.#engine
    const architecture = this.#architecture
    const checked = ensureFilled({ engine, architecture, image, labels: this.#labels, kind })
    this.#checked.set(kind, checked)
    checked.catch(() => this.#checked.delete(kind))
    return checked
  }

  /** Makes the next call check the volumes again. Called after a container could not be started with one. */
  forget(): void {
    this.#checked.clear()
  }
}

/** Layout of the volume with init. */
interface InitKind {
  readonly suffix: string
  /** Init's command that installs it. */
  readonly command: string
  readonly mode: number
}

const EXECUTE_ONLY: InitKind = { suffix: '', command: 'install', mode: 0o111 }
const READABLE: InitKind = { suffix: '-readable', command: 'install-readable', mode: 0o555 }

/** What the functions below need to find, check and fill a volume. */
interface Filling {
  readonly engine: Engine
  readonly architecture: Architecture
  readonly image: string
  readonly labels: Record<string, string>
  readonly kind: InitKind
}

async function ensureFilled(filling: Filling): Promise<string> {
  const { engine, labels, kind } = filling
  const binary = await initBinary(filling.architecture)
  const volume = `isopod-init-${binary.sha256.slice(0, 12)}${kind.suffix}`
  const { 'isopod.stack': stack } = labels
  const marks = { 'isopod.init': binary.sha256, ...(stack !== undefined && { 'isopod.stack': stack }) }
  await engine.call('volume', (docker) => docker.createVolume({ Name: volume, Labels: marks }))
  if (await holds(filling, volume, binary)) return volume
  const exitCode = await fill(filling, volume, binary)
  // Whatever the helper ended with: somebody may have started it a second time.
  if (await holds(filling, volume, binary)) return volume
  throw new RetryableError(
    `the volume ${volume} does not hold init after it was written (exit code ${exitCode}); remove it if that does not end`,
  )
}

/** Whether the volume contains the binary. Reads it through a container that is never started. */
function holds(
  { engine, image, labels, kind }: Filling,
  volume: string,
  binary: InitBinary,
): Promise<boolean> {
  return withHelper(
    engine,
    { volume, image, labels, readOnly: true, entrypoint: [INIT_PATH] },
    async (helper) => {
      try {
        // Read completely within the call, so that a broken connection is its error.
        const archive = await engine.call('volume', async (docker) =>
          buffer(await docker.getContainer(helper.id).getArchive({ path: INIT_PATH })),
        )
        const entries = extract()
        entries.end(archive)
        for await (const entry of entries) {
          const found = createHash('sha256')
            .update(await buffer(entry))
            .digest('hex')
          return found === binary.sha256 && ((entry.header.mode ?? 0) & 0o777) === kind.mode
        }
        return false
      } catch (error) {
        if (statusCode(error) === 404) return false
        throw error
      }
    },
  )
}

/** Copies the file under another name and renames it, so that no container sees an incomplete file. @returns the helper's exit code */
function fill({ engine, image, labels, kind }: Filling, volume: string, binary: InitBinary): Promise<number> {
  const incoming = `incoming-${randomBytes(6).toString('hex')}`
  const entrypoint = [`${INIT_DIRECTORY}/${incoming}`, kind.command, INIT_PATH]
  return withHelper(engine, { volume, image, labels, readOnly: false, entrypoint }, async (helper) => {
    const archive = pack()
    archive.entry({ name: incoming, mode: 0o755 }, Buffer.from(binary.bytes))
    archive.finalize()
    await engine.call('volume', async () =>
      helper.putArchive(await buffer(archive), { path: INIT_DIRECTORY }),
    )
    await engine.call('start', () => helper.start())
    const { StatusCode } = await engine.call('volume', () => helper.wait())
    return StatusCode
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
