import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RootStore } from '../../src/process/root-store.ts'
import { Roots } from '../../src/process/roots.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const OTHER = `sha256:${'b'.repeat(64)}`

async function openStore() {
  const directory = await mkdtemp(join(tmpdir(), 'isopod-roots-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  return { directory, store: new RootStore(directory) }
}

async function unpack(files: string): Promise<void> {
  await mkdir(join(files, 'bin'))
  await writeFile(join(files, 'bin/sh'), 'program', { mode: 0o755 })
  await symlink('sh', join(files, 'bin/bash'))
}

const image = { reference: 'registry:5000/some/sh:1', digest: DIGEST, unpack }

async function names(directory: string): Promise<string[]> {
  return (await readdir(directory)).sort()
}

describe('RootStore', () => {
  it('makes a root that the driver finds, with every mount point', async () => {
    const { directory, store } = await openStore()
    expect(await store.add(image)).toBe(true)
    const { digest, path } = await new Roots(directory).find(image.reference)
    expect(digest).toBe(DIGEST)
    expect(await names(path)).toEqual(['bin', 'dev', 'isopod', 'proc', 'sys', 'tmp', 'workspace'])
    expect((await lstat(path)).mode & 0o7777).toBe(0o755)
    expect(await names(directory)).toEqual(['references', DIGEST.replace(':', '-')])
  })

  it('is on the disk before it has a name, and before a reference means it', async () => {
    const { directory, store } = await openStore()
    const bin = await mkdtemp(join(tmpdir(), 'isopod-bin-'))
    const { PATH } = process.env
    onTestFinished(() => {
      process.env['PATH'] = PATH
      return rm(bin, { recursive: true, force: true })
    })
    // The real program, which first notes what is there.
    const script = `#!/bin/sh\nls "${directory}" "${directory}/references" >> "${bin}/seen"\nexec /bin/sync "$@"\n`
    await writeFile(join(bin, 'sync'), script, { mode: 0o755 })
    process.env['PATH'] = `${bin}:${PATH}`
    await store.add(image)
    const seen = await readFile(join(bin, 'seen'), 'utf8')
    const [unpacked = '', named = '', ...more] = seen.split(`${directory}:\n`).slice(1)
    expect(more).toEqual([])
    expect([unpacked.includes('sha256-'), named.includes('sha256-'), named.includes('%2F')]).toEqual([
      ...[false, true, false],
    ])
  })

  it('unpacks a digest once, for all its references', async () => {
    const { store } = await openStore()
    await store.add(image)
    const again = { ...image, reference: 'sh:1', unpack: () => Promise.reject(new Error('unpacked twice')) }
    expect(await store.add(again)).toBe(false)
    expect(await store.has('sh:1', DIGEST)).toBe(true)
    expect(await store.list()).toMatchObject([
      { digest: DIGEST, references: [image.reference, 'sh:1'], bytes: 7 },
    ])
  })

  it('makes a root again that has lost its manifest', async () => {
    const { directory, store } = await openStore()
    await store.add(image)
    await rm(join(directory, DIGEST.replace(':', '-'), 'manifest'))
    expect(await store.add(image)).toBe(true)
    expect(await store.verify(DIGEST)).toEqual([])
    expect(await names(directory)).toEqual(['references', DIGEST.replace(':', '-')])
  })

  it('keeps what an image says of its sources', async () => {
    const { store } = await openStore()
    await store.add({ ...image, content: 'fingerprint' })
    await store.add({ ...image, reference: 'other:1', digest: OTHER })
    expect((await store.list()).map(({ content }) => content)).toEqual([undefined, 'fingerprint'])
  })

  it('makes one root of two that are unpacked at the same time', async () => {
    const { directory, store } = await openStore()
    const both = Promise.withResolvers<void>()
    let begun = 0
    const together = {
      ...image,
      unpack: async (files: string) => {
        begun += 1
        if (begun === 2) both.resolve()
        await both.promise
        await unpack(files)
      },
    }
    await Promise.all([store.add(together), new RootStore(directory).add(together)])
    expect(await names(directory)).toEqual(['references', DIGEST.replace(':', '-')])
    expect(await store.verify(DIGEST)).toEqual([])
  })

  it('keeps nothing of an unpacking that failed', async () => {
    const { directory, store } = await openStore()
    const broken = {
      ...image,
      unpack: async (files: string) => {
        await unpack(files)
        throw new Error('disk full')
      },
    }
    await expect(store.add(broken)).rejects.toThrow('disk full')
    expect(await names(directory)).toEqual(['references'])
    expect(await names(join(directory, 'references'))).toEqual([])
  })

  it('makes a root again whose manifest is damaged, and ignores references that no image has', async () => {
    const { directory, store } = await openStore()
    await store.add(image)
    const manifest = join(directory, DIGEST.replace(':', '-'), 'manifest')
    const lines = (await readFile(manifest, 'utf8')).split('\n')
    await writeFile(manifest, [lines[0], 'cut off', ...lines.slice(2)].join('\n'))
    expect(await store.verify(DIGEST)).toEqual(['unreadable line 2 of the manifest', 'added /'])
    await writeFile(manifest, '{"dig')
    await writeFile(join(directory, 'references/%'), DIGEST)
    await writeFile(join(directory, 'references/up'), '../..')
    expect(await store.list()).toEqual([])
    expect(await store.has('up', '../..')).toBe(false)
    expect(await store.add(image)).toBe(true)
    expect(await store.verify(DIGEST)).toEqual([])
  })

  it('removes what a killed unpacking left, and nothing of one that goes on', async () => {
    const { directory, store } = await openStore()
    const dead = join(directory, 'incoming-4194304-17-00112233aabb')
    await mkdir(join(dead, 'files'), { recursive: true })
    const busy = Promise.withResolvers<void>()
    const slow = store.add({ ...image, unpack: (files) => busy.promise.then(() => unpack(files)) })
    await expect.poll(() => existsSync(dead)).toBe(false)
    await store.add({ ...image, reference: 'other:1', digest: OTHER })
    busy.resolve()
    expect(await slow).toBe(true)
  })

  it.each(['tmp', 'proc', 'workspace'])('refuses an image in which /%s is a symbolic link', async (name) => {
    const { directory, store } = await openStore()
    const linked = { ...image, unpack: (files: string) => symlink('/etc', join(files, name)) }
    await expect(store.add(linked)).rejects.toThrow(
      `image ${image.reference} cannot be a root: /${name} is a symbolic link in it`,
    )
    expect(await names(directory)).toEqual(['references'])
  })

  it('removes named pipes and device nodes, through which sandboxes could reach each other or the host', async () => {
    const { directory, store } = await openStore()
    const special = async (files: string) => {
      await unpack(files)
      execFileSync('mkfifo', [join(files, 'bin/pipe')])
      // Only root can make a device.
      if (process.getuid?.() === 0) execFileSync('mknod', [join(files, 'bin/null'), 'c', '1', '3'])
    }
    await store.add({ ...image, unpack: special })
    const { path } = await new Roots(directory).find(image.reference)
    expect(await names(join(path, 'bin'))).toEqual(['bash', 'sh'])
    expect(await store.verify(DIGEST)).toEqual([])
  })

  it('names every file that was changed, added or removed since', async () => {
    const { directory, store } = await openStore()
    await store.add(image)
    expect(await store.verify(DIGEST)).toEqual([])
    const { path } = await new Roots(directory).find(image.reference)
    await writeFile(join(path, 'bin/sh'), 'PROGRAM')
    await writeFile(join(path, 'tmp/new'), '')
    await rm(join(path, 'bin/bash'))
    expect(await store.verify(DIGEST)).toEqual(['changed /bin/sh', 'added /tmp/new', 'missing /bin/bash'])
  })

  it('notices another owner, mode or target of a link', async () => {
    const { directory, store } = await openStore()
    await store.add(image)
    const { path } = await new Roots(directory).find(image.reference)
    execFileSync('chmod', ['u+s', join(path, 'bin/sh')])
    await rm(join(path, 'bin/bash'))
    await symlink('/host', join(path, 'bin/bash'))
    expect(await store.verify(DIGEST)).toEqual(['changed /bin/bash', 'changed /bin/sh'])
  })

  it('removes a root with its last reference', async () => {
    const { directory, store } = await openStore()
    await store.add(image)
    await store.add({ ...image, reference: 'sh:1' })
    expect(await store.remove('sh:1')).toBe(true)
    expect(await store.remove('sh:1')).toBe(false)
    expect(await store.has(image.reference, DIGEST)).toBe(true)
    expect(await store.remove(image.reference)).toBe(true)
    expect(await names(directory)).toEqual(['references'])
  })

  it('lists a root whose reference means a newer one without references', async () => {
    const { store } = await openStore()
    await store.add(image)
    await store.add({ ...image, digest: OTHER })
    expect((await store.list()).map(({ digest, references }) => [digest, references])).toEqual([
      [OTHER, [image.reference]],
      [DIGEST, []],
    ])
    await store.removeRoot(DIGEST)
    expect(await store.list()).toHaveLength(1)
  })
})
