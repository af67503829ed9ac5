import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, lstat, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { scaled } from '../../../../test/support/time-factor.ts'
import { IMAGES } from '../../src/images/image-names.ts'
import { CHECKOUT, stackPaths } from '../../src/paths.ts'
import { importRoot, makeRoot, openRoots } from '../../src/roots/roots.ts'
import { runCommand } from '../../src/run-command.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let folder: string
let env: NodeJS.ProcessEnv
const log = () => {}
const reference = IMAGES.bash
const engine = { dockerHost: inject('stack').dockerHost, ours: false }

beforeEach(async () => {
  folder = await temporaryFolder()
  // A state directory of its own, because containers of the unpacking are labelled with it.
  env = { ...process.env, ISOPOD_STATE_DIR: join(folder, 'state'), ISOPOD_ROOTS_DIR: join(folder, 'roots') }
})

function docker(...words: string[]): Promise<string> {
  return runCommand(['docker', ...words], { env: { ...env, DOCKER_HOST: engine.dockerHost } })
}

function containers(): Promise<string> {
  return docker('ps', '--all', '--quiet', '--filter', `label=isopod.stack=${stackPaths(env).id}`)
}

async function filesOf(digest: string): Promise<string> {
  return join(folder, 'roots', digest.replace(':', '-'), 'files')
}

async function savedImage(tag: string = reference): Promise<string> {
  const file = join(folder, 'image.tar')
  await docker('save', '--output', file, tag)
  return file
}

/** An image with one file more than nothing. @param prepare writes its files */
async function importedImage(prepare: (files: string) => Promise<void>): Promise<string> {
  const files = join(folder, 'image-files')
  await mkdir(files)
  await prepare(files)
  await runCommand(['tar', '--create', '--file', join(folder, 'files.tar'), '--directory', files, '.'])
  const tag = `isopod-roots-test:${process.pid}`
  await docker('import', join(folder, 'files.tar'), tag)
  onTestFinished(() => docker('rmi', '--force', tag).then(() => {}))
  return tag
}

// promise: language-roots
describe('a root of an engine’s image', () => {
  it('has the digest that the engine shows, and the image’s files with their owners', async () => {
    const made = await makeRoot(engine, reference, { env, log })
    const digest = await docker('image', 'inspect', '--format', '{{.Id}}', reference)
    expect(made).toEqual({ reference, digest, unpacked: true })
    const files = await filesOf(digest)
    expect(await readFile(join(files, 'etc/os-release'), 'utf8')).toContain('trixie')
    const shadow = await lstat(join(files, 'etc/shadow'))
    // Only root can give files to the group shadow, which has number 42 in Debian.
    expect([shadow.gid, shadow.mode & 0o777]).toEqual([process.getuid?.() === 0 ? 42 : shadow.gid, 0o640])
    expect((await lstat(join(files, 'workspace'))).isDirectory()).toBe(true)
    expect(await readdir(join(files, 'dev'))).toEqual([])
    expect(await readdir(files)).not.toContain('.dockerenv')
    expect(await (await openRoots(env)).verify(digest)).toEqual([])
    expect(await containers()).toBe('')
  })

  it('is made once, also by two processes at the same time', async () => {
    const both = await Promise.all([
      makeRoot(engine, reference, { env }),
      makeRoot(engine, reference, { env }),
    ])
    expect(both[0].digest).toBe(both[1].digest)
    expect(await makeRoot(engine, reference, { env })).toMatchObject({ unpacked: false })
    expect((await readdir(join(folder, 'roots'))).length).toBe(2)
    expect(await containers()).toBe('')
  })

  it('is whole after the process that made it was killed and another has made it', async () => {
    const code = `const { makeRoot } = await import('@isopod/devstack')
      await makeRoot(${JSON.stringify(engine)}, ${JSON.stringify(reference)})`
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: CHECKOUT, env })
    const ended = once(child, 'exit')
    const incoming = async () => {
      const names = await readdir(join(folder, 'roots')).catch(() => [])
      const name = names.find((each) => each.startsWith('incoming-'))
      return name === undefined ? [] : await readdir(join(folder, 'roots', name, 'files')).catch(() => [])
    }
    await expect.poll(incoming, { interval: 5, timeout: scaled(60_000) }).toContain('etc')
    child.kill('SIGKILL')
    await ended
    expect(await (await openRoots(env)).list()).toEqual([])
    onTestFinished(async () => {
      const left = await containers()
      if (left !== '') await docker('rm', '--force', ...left.split('\n'))
    })
    const { digest } = await makeRoot(engine, reference, { env })
    expect(await (await openRoots(env)).verify(digest)).toEqual([])
    expect((await readdir(join(folder, 'roots'))).sort()).toEqual(['references', digest.replace(':', '-')])
  })

  it('is refused if the engine lacks the image, or a mount point is a symbolic link', async () => {
    await expect(makeRoot(engine, 'isopod/absent:1', { env })).rejects.toThrow('has no image isopod/absent:1')
    const tag = await importedImage(async (files) => {
      await mkdir(join(files, 'var'))
      await symlink('var', join(files, 'tmp'))
    })
    await expect(makeRoot(engine, tag, { env })).rejects.toThrow(
      `image ${tag} cannot be a root: /tmp is a symbolic link in it`,
    )
    expect(await (await openRoots(env)).list()).toEqual([])
    expect(await containers()).toBe('')
  })

  it('keeps set-user-id bits, which mean nothing on a sandbox’s mounts, and other users’ directories', async () => {
    const tag = await importedImage(async (files) => {
      await writeFile(join(files, 'program'), '')
      await chmod(join(files, 'program'), 0o4711)
      await mkdir(join(files, 'closed'), { mode: 0o700 })
    })
    const { digest } = await makeRoot(engine, tag, { env })
    const modes = ['program', 'closed', ''].map(async (name) => {
      return (await lstat(join(await filesOf(digest), name))).mode & 0o7777
    })
    expect(await Promise.all(modes)).toEqual([0o4711, 0o700, 0o755])
  })
})

describe('a root of an archive', () => {
  it('is the same for "docker save" as for the engine that wrote it', async () => {
    const made = await importRoot(await savedImage(), 'any/name:1', { env, log })
    expect(made.digest).toBe(await docker('image', 'inspect', '--format', '{{.Id}}', reference))
    expect(await makeRoot(engine, reference, { env })).toMatchObject({ unpacked: false })
    const [root] = await (await openRoots(env)).list()
    expect(root?.references).toEqual(['any/name:1', reference])
    const files = await filesOf(made.digest)
    expect(await readFile(join(files, 'etc/os-release'), 'utf8')).toContain('trixie')
    expect(await (await openRoots(env)).verify(made.digest)).toEqual([])
  })

  it('can be an OCI archive', async () => {
    const file = join(folder, 'oci.tar')
    await importRoot(await savedImage(), 'first:1', { env, log })
    const copy = ['skopeo', 'copy', '--quiet', '--insecure-policy'] as const
    await runCommand([...copy, `docker-archive:${join(folder, 'image.tar')}`, `oci-archive:${file}`])
    const { digest } = await importRoot(file, 'second:1', { env })
    const files = await filesOf(digest)
    expect((await lstat(join(files, 'usr/bin/bash'))).isFile()).toBe(true)
    expect((await readdir(join(folder, 'roots'))).filter((name) => name.startsWith('incoming'))).toEqual([])
  })

  it('is refused with one sentence for any other file, and for a damaged one', async () => {
    const file = join(folder, 'text.tar')
    await expect(importRoot(file, 'x:1', { env })).rejects.toThrow(`there is no file ${file}`)
    await writeFile(file, 'text')
    await expect(importRoot(file, 'x:1', { env })).rejects.toThrow('is neither an archive of')
    const saved = await savedImage()
    const bytes = await readFile(saved)
    // In the middle of the only layer.
    bytes.fill(1, bytes.length >> 1, (bytes.length >> 1) + 512)
    await writeFile(saved, bytes)
    await expect(importRoot(saved, 'x:1', { env })).rejects.toThrow()
    expect(await (await openRoots(env)).list()).toEqual([])
  })
})
