import type { NewRoot, RootStore } from '@isopod/sandbox'
import type { EngineService } from '../engine/engine-service.ts'
import { type Log, secondsSince } from '../log.ts'
import { stackPaths } from '../paths.ts'
import { asSetupError } from '../setup-error.ts'
import { archiveRoot } from './archive-root.ts'
import { engineRoot } from './engine-root.ts'

/** Options of {@link makeRoot} and {@link importRoot}. */
export interface RootOptions {
  /** `ISOPOD_ROOTS_DIR`, `ISOPOD_STATE_DIR`. @default process.env */
  readonly env?: NodeJS.ProcessEnv
  /** Receives one line per step. @default none */
  readonly log?: Log
}

/** A root that was made, or found. */
export interface MadeRoot {
  readonly reference: string
  readonly digest: string
  /** Whether it was unpacked now; false if the host had it. */
  readonly unpacked: boolean
}

export type { RootStore, StoredRoot } from '@isopod/sandbox'

/** The roots of this host, in the directory that the environment selects. */
export async function openRoots(env: NodeJS.ProcessEnv = process.env): Promise<RootStore> {
  // Loaded when a root is needed: other commands need nothing of the sandbox.
  const { RootStore } = await import('@isopod/sandbox')
  return new RootStore(stackPaths(env).roots)
}

/**
 * Makes the root of an engine's image, unless this host has it.
 *
 * @throws {ImageAbsentError} if the engine lacks the image
 * @throws {SetupError} if it cannot be unpacked
 */
export async function makeRoot(
  engine: EngineService,
  reference: string,
  options: RootOptions = {},
): Promise<MadeRoot> {
  const { env = process.env } = options
  return await addRoot(await engineRoot(engine, reference, env), options)
}

/**
 * Makes a root of an image in a file: what `docker save` writes, or an OCI archive.
 *
 * @param reference how the catalogue names the image
 * @throws {SetupError} if the file cannot be used
 */
export async function importRoot(
  file: string,
  reference: string,
  options: RootOptions = {},
): Promise<MadeRoot> {
  const { env = process.env, log = () => {} } = options
  return await addRoot(await archiveRoot(file, reference, { env, log }), options)
}

/**
 * Provides roots of an engine's images. Takes milliseconds if they exist. Concurrent calls are safe, even from several processes.
 *
 * @returns the directory of the roots
 * @throws {SetupError} one sentence about what is missing
 */
export async function ensureRoots(
  engine: EngineService,
  references: readonly string[],
  options: RootOptions = {},
): Promise<string> {
  const { env = process.env } = options
  for (const reference of references) await makeRoot(engine, reference, options)
  return stackPaths(env).roots
}

/** Unpacks a root, unless this host has it. */
export async function addRoot(root: NewRoot, { env, log = () => {} }: RootOptions): Promise<MadeRoot> {
  const { reference, digest } = root
  const store = await openRoots(env)
  const startedAt = performance.now()
  if (await store.has(reference, digest)) return { reference, digest, unpacked: false }
  const unpacked = await asSetupError(() => store.add(root))
  if (unpacked) log(`made the root of ${reference} in ${secondsSince(startedAt)}`)
  return { reference, digest, unpacked }
}
