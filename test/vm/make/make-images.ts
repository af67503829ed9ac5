import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import {
  CHECKOUT,
  contentHash,
  type EngineService,
  ensureBaseImage,
  ensureStack,
  IMAGES,
  type ImageName,
  runCommand,
  stackDown,
  stackPaths,
} from '@isopod/devstack'
import { cached, inScratch } from '../cache.ts'
import { LOADED_IMAGES } from '../legs.ts'
import type { VmArchitecture } from '../machine.ts'
import { registerArm64 } from './binfmt.ts'
import { makeDisk } from './disk.ts'

const SIZE_MB = 12_288
/** Version of the disk's layout. */
const RECIPE = '2'
const BASE = 'isopod/base:trixie'
/** Folders with the images in an engine's data. */
const IMAGE_FOLDERS = ['image', 'overlay2']
const DEADLINE_MS = 60 * 60_000

/** Options of {@link makeImages}. */
export interface ImagesOptions {
  readonly architecture: VmArchitecture
  readonly names: readonly ImageName[]
  log(line: string): void
}

/**
 * Makes a disk with language images: as data of the plain engine, because loading them under emulation takes minutes, and a
 * few as an archive for the other engines.
 */
export async function makeImages(options: ImagesOptions): Promise<string> {
  const { architecture, names } = options
  const folders = names.map((name) => join(CHECKOUT, 'deploy', 'images', name))
  const fingerprint = await contentHash(folders, [RECIPE, String(SIZE_MB), ...LOADED_IMAGES])
  return await cached(`images-${architecture}`, fingerprint, async (path) => {
    await inScratch(async (scratch) => {
      const env = { ...process.env, ISOPOD_STATE_DIR: join(scratch, 'stack') }
      const folder = join(scratch, 'images')
      await mkdir(join(folder, 'plain'), { recursive: true })
      try {
        const fill = architecture === process.arch ? copyOwn : buildForeign
        const engine = await fill(options, scratch, env)
        await docker(engine, [
          'save',
          '--output',
          join(folder, 'few.tar'),
          BASE,
          ...LOADED_IMAGES.map((name) => IMAGES[name]),
        ])
        await stackDown({ env })
        const { docker: data } = stackPaths(env)
        for (const name of IMAGE_FOLDERS) await rename(join(data, name), join(folder, 'plain', name))
      } finally {
        await stackDown({ env, purge: true })
      }
      options.log('packing the images into a disk')
      await makeDisk(path, { label: 'isopod-images', folder, sizeMb: SIZE_MB })
    })
  })
}

/** Copies this checkout's images to a new engine. */
async function copyOwn(
  { names, log }: ImagesOptions,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<EngineService> {
  const { engine } = await ensureStack({ workers: 0, images: names, log })
  const base = await ensureBaseImage(engine, { log })
  const archive = join(scratch, 'all.tar')
  await docker(engine, ['save', '--output', archive, base, ...names.map((name) => IMAGES[name])])
  const { engine: fresh } = await startEngine(env, [])
  await docker(fresh, ['load', '--quiet', '--input', archive])
  if (base !== BASE) await docker(fresh, ['tag', base, BASE])
  return fresh
}

/** Builds images of another processor on a new engine, from a base of that processor. */
async function buildForeign(
  { names, log }: ImagesOptions,
  scratch: string,
  env: NodeJS.ProcessEnv,
): Promise<EngineService> {
  const release = await registerArm64()
  try {
    log('building the images for arm64 (about 15 minutes)')
    const { engine } = await startEngine(env, [])
    const archive = join(scratch, 'base.tar')
    const words = ['--variant=minbase', '--architectures=arm64', '--aptopt=APT::Install-Recommends "false"']
    await runCommand(['mmdebstrap', ...words, 'trixie', archive], {
      env: { ...process.env, TMPDIR: scratch },
      deadlineMs: DEADLINE_MS,
    })
    const change = ['--change', 'CMD ["bash"]', '--change', 'LABEL isopod.content=base']
    await docker(engine, ['import', '--platform', 'linux/arm64', ...change, archive, BASE])
    await startEngine(env, names, log)
    return engine
  } finally {
    await release()
  }
}

function startEngine(env: NodeJS.ProcessEnv, images: readonly ImageName[], log?: (line: string) => void) {
  return ensureStack({
    privateOnly: true,
    workers: 0,
    images,
    env,
    ...(log === undefined ? {} : { log }),
  })
}

async function docker(engine: EngineService, words: readonly string[]): Promise<void> {
  const env = { ...process.env, DOCKER_HOST: engine.dockerHost }
  await runCommand(['docker', ...words], { env, deadlineMs: DEADLINE_MS })
}
