import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type RedisServer, startRedisServer } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECKOUT, npm, packPublic } from '../support/packed.ts'
import { startWorld, type World } from '../support/world.ts'

const run = promisify(execFile)
/** Node that runs the examples: `TEST_NODE=/path/to/node`, or that of this process. */
const NODE = process.env['TEST_NODE'] ?? process.execPath
const TYPESCRIPT = '5.9.3'
/** Pages whose examples are programs of a producer. */
const PAGES = [
  'README.md',
  ...globSync('packages/{client,protocol,queue}/README.md', { cwd: CHECKOUT }),
  ...globSync('docs/*.md', { cwd: CHECKOUT }).filter((page) => examplesOf(page).length > 0),
]

/** Declarations that the examples omit; an example's own declaration of the same name wins. */
const ASSUMED = `
import type { IsopodClient, Job, Result, Sample } from '@isopod/client'
import type { JobsOptions, RedisOptions } from 'bullmq'
declare global {
  const isopod: IsopodClient
  const code: string, id: string, secret: string, body: string
  const source: string, big: string, sum: string
  const samples: readonly string[]
  const request: { readonly headers: Readonly<Record<string, string>> }
  const connection: RedisOptions
  const options: JobsOptions
  function save(result: Result): Promise<void>
  function read(file: string): AsyncIterable<Sample>
  function runSomewhere(job: Job, signal: AbortSignal): Promise<Result>
}
`

const folder = mkdtempSync(join(tmpdir(), 'isopod-elsewhere-'))
const project = join(folder, 'project')
let redis: RedisServer
let world: World

/** The TypeScript examples of a page, in order. */
function examplesOf(page: string): string[] {
  const text = readFileSync(join(CHECKOUT, page), 'utf8')
  return [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, example = '']) => example)
}

function write(file: string, text: string): void {
  mkdirSync(dirname(join(project, file)), { recursive: true })
  writeFileSync(join(project, file), text)
}

/** Runs a file of the installed project in a process with few environment variables, like a user's. */
async function node(...words: string[]): Promise<string> {
  const env = { PATH: process.env['PATH'], REDIS_URL: redis.url }
  return (await run(NODE, words, { cwd: project, env })).stdout
}

beforeAll(async () => {
  mkdirSync(join(folder, 'tarballs'))
  const packed = await packPublic(join(folder, 'tarballs'))
  write('package.json', '{ "name": "elsewhere", "private": true, "type": "module" }')
  const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, 'package.json'), 'utf8'))
  // The page about webhooks has a receiver as its example.
  const { version } = JSON.parse(
    readFileSync(join(CHECKOUT, 'node_modules/standardwebhooks/package.json'), 'utf8'),
  )
  const others = [
    `typescript@${TYPESCRIPT}`,
    `@types/node@${dependencies['@types/node']}`,
    `standardwebhooks@${version}`,
  ]
  const files = packed.map(({ file }) => file)
  await npm(project, 'install', '--prefer-offline', ...files, ...others)
  // Examples connect with the default prefix, so they need a Redis that no other spec uses.
  mkdirSync(join(folder, 'redis'))
  redis = await startRedisServer({ directory: join(folder, 'redis') })
  world = await startWorld({ redisUrl: redis.url, env: { ISOPOD_QUEUE_PREFIX: 'isopod' } })
})

afterAll(async () => {
  await world?.close()
  await redis?.stop()
  rmSync(folder, { recursive: true, force: true })
})

// promise: install
describe('a plain project with the packed packages', () => {
  it('contains the client and its dependencies, and no other package of this repository', () => {
    expect(readdirSync(join(project, 'node_modules', '@isopod'))).toEqual(['client', 'protocol', 'queue'])
  })

  it('compiles the examples of the pages under TypeScript 5 with strict options, and checks the libraries, too', async () => {
    const compilerOptions = {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    }
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['examples'] }))
    write('examples/assumed.d.ts', ASSUMED)
    write(
      'examples/required.cts',
      `import isopod = require('@isopod/client')\nvoid isopod.connect('redis://a')\n`,
    )
    for (const page of PAGES) {
      const examples = examplesOf(page)
      expect(examples, page).not.toEqual([])
      for (const [index, example] of examples.entries()) {
        // Without imports TypeScript would take an example for a script, in which names are global.
        write(`examples/${page.replace('.md', '')}-${index + 1}.ts`, `${example}\nexport {}\n`)
      }
    }
    const compiled = await run(process.execPath, ['node_modules/typescript/bin/tsc'], { cwd: project }).catch(
      (error) => error,
    )
    expect(compiled.stdout).toBe('')
  })

  it('runs the first example of README', async () => {
    const [example = ''] = examplesOf('README.md')
    write('example.ts', example)
    expect(await node('example.ts')).toBe('success 6\n\n')
  })

  it('can require the client from CommonJS', async () => {
    write(
      'required.cjs',
      `const { connect } = require('@isopod/client')
      connect().then(async (isopod) => {
        const { stdout } = await isopod.run({ language: 'python', code: 'print(1 + 1)' })
        console.log(require('@isopod/client/package.json').name, stdout)
        await isopod.close()
      })`,
    )
    expect(await node('required.cjs')).toBe('@isopod/client 2\n\n')
  })

  it('cannot import internal files of a package', async () => {
    const deep = node('-e', `require('@isopod/client/dist/client.js')`)
    await expect(deep).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED')
  })
})
