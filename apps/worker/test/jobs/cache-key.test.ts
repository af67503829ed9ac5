import { type Job, type Language, parseJob } from '@isopod/protocol'
import { expect, test } from 'vitest'
import { cacheKeyOf } from '../../src/jobs/cache-key.ts'

const bash = {
  name: 'bash',
  version: '5',
  filename: 'main.sh',
  image: 'img',
  default_limits: {},
  timeout_factor: 1,
}

/** The key of a job, with the job, its language or its delivery changed. */
async function key(
  change: { job?: object; language?: object; id?: string; attempt?: number; roots?: string } = {},
) {
  const job = { ...parseJob({ code: 'echo 1', cache: true }), ...change.job } as Job
  const language = { ...bash, ...change.language } as unknown as Language
  const made = await cacheKeyOf(
    { id: change.id ?? 'j1', attempt: change.attempt ?? 1, job },
    {
      release: '1.0.0',
      rules: {
        catalogue: { find: () => language, summaries: () => [], languages: [] },
        ...{ defaults: {}, maxima: {}, networks: new Map(), runtime: 'runc' },
        ...{ runtimes: ['runc', 'isopod-spawner'], minimumIsolation: 'process' },
      },
      gate: { applied: (policy) => policy },
      digest: async (_, runtime) =>
        runtime === 'isopod-spawner' ? (change.roots ?? 'sha256:x') : 'sha256:x',
      profileDigest: () => undefined,
    },
  )
  return made?.text
}

test('the cache key includes every field of job and language, also fields added later', async () => {
  expect(await key({ job: { addedField: 1 } })).not.toBe(await key())
  expect(await key({ language: { added_field: 1 } })).not.toBe(await key())
})

test('the cache key ignores priority, labels, batch and delivery', async () => {
  const delivery = {
    ...{ priority: 7, batchId: 'b', labels: { a: '1' }, replyTo: 'mine', stream: true },
    ...{ idempotencyKey: 'k', callbackUrl: 'https://example.org/' },
  }
  expect(await key({ id: 'j2', attempt: 2, job: delivery })).toBe(await key())
})

test('the cache key has the digest of the image that the job’s own isolation uses', async () => {
  const process = { job: { isolation: 'process' } }
  expect(await key(process)).not.toBe(await key())
  expect(await key({ ...process, roots: 'sha256:y' })).not.toBe(await key(process))
  expect(await key({ roots: 'sha256:y' })).toBe(await key())
})
