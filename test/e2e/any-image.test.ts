import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensureBaseImage } from '@isopod/devstack'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { processRoots } from '../support/process-roots.ts'
import { DRIVER } from '../support/runtime.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let folder: string

beforeAll(async () => {
  const { dockerHost } = inject('stack')
  const image = await ensureBaseImage({ dockerHost, ours: true })
  if (DRIVER === 'process') await processRoots([image])
  folder = await mkdtemp(join(tmpdir(), 'isopod-catalogue-'))
  const catalogue = {
    perl: { image, version: '5', aliases: ['pl'], filename: 'main.pl', command: ['perl', '{filename}'] },
    ghost: { image: 'isopod/no-such-image:1', filename: 'main.x', command: ['x', '{filename}'] },
    hollow: { image, filename: 'main.x', command: ['no-such-interpreter', '{filename}'] },
  }
  const file = join(folder, 'languages.json')
  await writeFile(file, JSON.stringify(catalogue))
  // A job that waits for its image is given up after a second.
  world = await startWorld({ env: { SANDBOX_LANGUAGE_CONFIG_FILE: file, ISOPOD_OUTAGE_SECONDS: '1' } })
})

afterAll(async () => {
  await world?.close()
  await rm(folder, { recursive: true, force: true })
})

// promise: any-image
it.concurrent('a bare Debian that only has perl runs Perl', async () => {
  const code = 'my $name = <STDIN>; print "Hello, $name"; exit 4'
  expect(await world.client.run({ language: 'pl', code, stdin: 'Alice' })).toMatchObject({
    status: 'execution_error',
    exitCode: 4,
    stdout: 'Hello, Alice',
    language: 'perl@5',
  })
})

it.concurrent('a missing image of a language is a fault of the platform', async () => {
  const result = await world.client.run({ language: 'ghost', code: 'x' })
  expect(result).toMatchObject({ status: 'setup_error', attributable: false, exitCode: null })
  const missing = {
    docker:
      'image isopod/no-such-image:1 is not on this engine; build it with: npm run images -- no-such-image',
    process:
      'there is no root of image isopod/no-such-image:1 on this host; make it with: npx isopod roots make no-such-image --driver process',
  }
  expect(result.errorMessage).toContain(`${missing[DRIVER]}; the job waited 1 s for it`)
})

it.concurrent('a missing interpreter of a language is a fault of the platform', async () => {
  const result = await world.client.run({ language: 'hollow', code: 'x' })
  expect(result).toMatchObject({ status: 'setup_error', attributable: false })
  expect(result.errorMessage).toContain('no-such-interpreter cannot be started in this image (ENOENT)')
})
