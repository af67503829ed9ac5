import { access, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { SOAK } from '../../../../test/support/soak.ts'
import { scaled } from '../../../../test/support/time-factor.ts'
import { localBase } from '../../src/images/base-image.ts'
import { LOCAL_BASE } from '../../src/images/bootstrap-base.ts'
import { IMAGES } from '../../src/images/image-names.ts'
import { stackPaths } from '../../src/paths.ts'
import { buildRoots, outdatedRoots } from '../../src/roots/build-roots.ts'
import { makeRoot, openRoots } from '../../src/roots/roots.ts'
import { runCommand } from '../../src/run-command.ts'
import { stackDown } from '../../src/stack/stack-down.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const MINUTES = scaled(60_000)
const reference = IMAGES.bash
const engine = { dockerHost: inject('stack').dockerHost, ours: false }
/** What an engine adds to a container, and a cache with times in it. */
const OF_THE_ENGINE = /^\/(etc\/(hostname|hosts|mtab|resolv\.conf)|var\/cache\/ldconfig\/aux-cache)$/

let folder: string
let env: NodeJS.ProcessEnv

/** Path → mode, owners and content, as a root's manifest has them. */
async function filesOf(roots: string, digest: string): Promise<Map<string, unknown[]>> {
  const text = await readFile(join(roots, digest.replace(':', '-'), 'manifest'), 'utf8')
  const [, ...lines] = text.trimEnd().split('\n')
  return new Map(
    lines.flatMap((line) => {
      const [path, ...facts] = JSON.parse(line) as [string, ...unknown[]]
      return OF_THE_ENGINE.test(path) ? [] : [[path, facts] as const]
    }),
  )
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'isopod-build-roots-'))
  // No engine answers here, so that none can be used by mistake.
  env = {
    ...process.env,
    DOCKER_HOST: `unix://${folder}/absent.sock`,
    ISOPOD_STATE_DIR: join(folder, 'state'),
    ISOPOD_ROOTS_DIR: join(folder, 'roots'),
  }
})

afterAll(() => rm(folder, { recursive: true, force: true }))

/** Makes the engine's base the archive that the demo would have made, so that both build on the same packages. */
async function shareBase(): Promise<string> {
  const base = await localBase(engine)
  const file = join(folder, 'base.tar')
  const ofEngine = { env: { ...process.env, DOCKER_HOST: engine.dockerHost } }
  await runCommand(['docker', 'save', '--output', file, base?.tag ?? ''], ofEngine)
  await runCommand(['tar', '-xf', file, '-C', folder])
  const manifest = await readFile(join(folder, 'manifest.json'), 'utf8')
  const [image] = JSON.parse(manifest) as [{ Layers: [string, ...string[]] }]
  expect(image.Layers).toHaveLength(1)
  const { baseArchive } = stackPaths(env)
  await mkdir(dirname(baseArchive), { recursive: true })
  await rename(join(folder, image.Layers[0]), baseArchive)
  return baseArchive
}

// promise: roots-without-engine
describe('roots without an engine', () => {
  it('have the files, modes and owners of the image that an engine builds', {
    timeout: 5 * MINUTES,
  }, async () => {
    const archive = await shareBase()
    expect(await outdatedRoots(['bash'], env)).toEqual(['bash'])
    const lines: string[] = []
    const [made] = await buildRoots(['bash'], { env, log: (line) => lines.push(line) })
    expect(lines.join('\n')).not.toContain(LOCAL_BASE)
    await expect(access(archive)).rejects.toThrow('ENOENT')
    const digest = made?.digest ?? ''
    expect(made).toEqual({
      reference,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      unpacked: true,
    })
    expect(await (await openRoots(env)).verify(digest)).toEqual([])
    const other = await temporaryFolder()
    const { digest: wanted } = await makeRoot(engine, reference, { env: { ...env, ISOPOD_ROOTS_DIR: other } })
    const [own, theirs] = await Promise.all([filesOf(join(folder, 'roots'), digest), filesOf(other, wanted)])
    const different = [...theirs].filter(
      ([path, facts]) => JSON.stringify(own.get(path)) !== JSON.stringify(facts),
    )
    expect(different).toEqual([])
    expect([...own.keys()].filter((path) => !theirs.has(path))).toEqual([])
  })

  it('are made once, also by two at the same time, from the image that buildah has kept', {
    timeout: 2 * MINUTES,
  }, async () => {
    const lines: string[] = []
    const log = (line: string) => lines.push(line)
    expect(await outdatedRoots(['bash'], env)).toEqual([])
    expect((await buildRoots(['bash'], { env, log }))[0]).toMatchObject({ reference, unpacked: false })
    expect(lines).toEqual([])
    await rm(join(folder, 'roots'), { recursive: true })
    const both = await Promise.all([buildRoots(['bash'], { env, log }), buildRoots(['bash'], { env, log })])
    expect(both[0][0]?.digest).toBe(both[1][0]?.digest)
    expect(lines.filter((line) => line.startsWith('made'))).toHaveLength(1)
    expect(lines.filter((line) => line.startsWith('built'))).toEqual([])
  })

  it('leave no mount behind, and "down --purge" deletes what they were built from', {
    timeout: MINUTES,
  }, async () => {
    expect(await readFile('/proc/self/mountinfo', 'utf8')).not.toContain(folder)
    const buildah = join(folder, 'state', 'buildah')
    expect(await readdir(join(buildah, 'temporary'))).toEqual([])
    await stackDown({ env })
    await access(buildah)
    await stackDown({ env, purge: true })
    await expect(access(join(folder, 'state'))).rejects.toThrow('ENOENT')
  })

  const built = 'are built of Debian’s packages alone, and tell nothing of this host'
  // A minute of downloads and of dpkg.
  if (SOAK)
    it(built, { timeout: 5 * MINUTES }, async () => {
      const lines: string[] = []
      const roots = join(folder, 'other-roots')
      const given = { env: { ...env, ISOPOD_ROOTS_DIR: roots }, log: (line: string) => lines.push(line) }
      const [made] = await buildRoots(['bash'], given)
      await stackDown({ env, purge: true })
      expect(lines.join('\n')).toMatch(
        /made isopod\/base:trixie.*\nbuilt isopod\/bash:5\.2.*\nmade the root of/,
      )
      const files = join(roots, made?.digest.replace(':', '-') ?? '', 'files')
      expect(await readFile(join(files, 'etc/os-release'), 'utf8')).toContain('trixie')
      for (const file of ['hostname', 'resolv.conf']) {
        expect(await readFile(join(files, 'etc', file), 'utf8'), file).toBe('')
      }
      expect(await readdir(join(files, 'dev'))).toEqual([])
    })
})
