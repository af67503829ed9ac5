import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { WORKER_NODE_ENV, WORKER_NODE_FLAGS } from '../src/worker-process.ts'

const read = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

it('every way in which a worker is started gives Node the same flags and environment', () => {
  const image = /^CMD (\[.*\])$/m.exec(read('deploy/services/worker/Dockerfile'))?.[1] ?? '[]'
  expect(JSON.parse(image)).toEqual(['node', ...WORKER_NODE_FLAGS, 'apps/worker/dist/main.js'])
  const environment = Object.entries(WORKER_NODE_ENV).map(([name, value]) => `${name}=${value}`)
  expect(read('deploy/services/worker/Dockerfile')).toContain(
    `ENV NODE_ENV=production ${environment.join(' ')}\n`,
  )
  const gateway = /^CMD (\[.*\])$/m.exec(read('deploy/services/gateway/Dockerfile'))?.[1] ?? '[]'
  expect(JSON.parse(gateway)).toEqual(['node', ...WORKER_NODE_FLAGS, 'apps/gateway/dist/main.js'])
  const words = [...environment, 'node', ...WORKER_NODE_FLAGS, 'apps/worker/dist/main.js']
  expect(read('docs/operations.md')).toContain(` ${words.join(' ')}`)
})
