import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Language } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { shippedCatalogue } from '../../../test/support/shipped-catalogue.ts'
import { temporaryFolder } from './support.ts'

const run = promisify(execFile)

/** Fills a workspace as a worker does, in a folder of the test instead of /workspace. */
async function workspace(language: Language, code: string, inputData?: unknown) {
  const folder = await temporaryFolder()
  const local = (text: string) => text.replaceAll('/workspace', folder)
  await writeFile(join(folder, language.filename), code)
  let env = language.env
  if (inputData !== undefined) {
    await writeFile(join(folder, 'input.json'), JSON.stringify(inputData))
    for (const [path, content] of Object.entries(language.input_hook?.files ?? {})) {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), local(content))
    }
    env = { ...env, ...language.input_hook?.env }
  }
  const [program = '', ...args] = language.command.map((word) =>
    word.replace('{filename}', language.filename),
  )
  const localEnv = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, local(value)]))
  const executable = program === 'node' ? process.execPath : program
  return {
    folder,
    run: () => run(executable, args, { cwd: folder, env: { PATH: process.env['PATH'], ...localEnv } }),
  }
}

async function language(name: string): Promise<Language> {
  const found = (await shippedCatalogue()).find(name)
  if (found === undefined) throw new Error(`${name} is not in the catalogue`)
  return found
}

describe('the default catalogue', () => {
  it('begins with Python, JavaScript, TypeScript, Bash and C, and has at least 16', async () => {
    const { languages, summaries } = await shippedCatalogue()
    const names = languages.map(({ name }) => name)
    expect(names.slice(0, 5)).toEqual(['python', 'javascript', 'typescript', 'bash', 'c'])
    expect(names.length).toBeGreaterThanOrEqual(16)
    expect(summaries()[0]).toEqual({
      name: 'python',
      version: '3.13',
      aliases: ['py', 'python3', 'python3.13'],
      separations: ['process', 'both', 'none'],
    })
    expect(summaries()[3]?.separations).toEqual(['none'])
  })

  it.each([
    ['py', 'python'],
    ['Python@3', 'python'],
    ['python@3.13', 'python'],
    ['node@24', 'javascript'],
    ['TS', 'typescript'],
    ['sh', 'bash'],
    ['gcc@14', 'c'],
    ['C++', 'cpp'],
    ['golang@1', 'go'],
  ])('finds %s as %s', async (asked, name) => {
    expect((await shippedCatalogue()).find(asked)?.name).toBe(name)
  })

  it.each(['python@3.1', 'python@2', 'brainfuck', '', '@', '__proto__'])(
    'does not find %j',
    async (asked) => {
      expect((await shippedCatalogue()).find(asked)).toBeUndefined()
    },
  )

  it.each(['javascript', 'typescript'])(
    'gives %s programs their input as input_data, numbers exact',
    async (name) => {
      const code = 'console.log(JSON.stringify(input_data), typeof input_data.n)'
      const data = { n: 9_007_199_254_740_991, list: [1.5, null, 'ü'] }
      const { run } = await workspace(await language(name), code, data)
      expect((await run()).stdout).toBe(`${JSON.stringify(data)} number\n`)
    },
  )

  it('does not change line numbers and module globals of a program with input', async () => {
    const { run } = await workspace(await language('javascript'), '\nthrow new Error(require.main.id)', 1)
    await expect(run()).rejects.toMatchObject({
      stderr: expect.stringMatching(/main\.js:2\n[\s\S]*Error: \./),
    })
  })

  it('lets a child start after the program removed the input', async () => {
    const { run, folder } = await workspace(await language('javascript'), 'console.log(typeof input_data)', 1)
    await rm(join(folder, 'input.json'))
    await expect(run()).resolves.toMatchObject({ stdout: 'undefined\n', stderr: '' })
  })

  it('runs TypeScript with enums and parameter properties, without output on stderr', async () => {
    const code = `enum Color { Red = 'r' }
class Point { constructor(readonly x: number) {} }
console.log(Color.Red, new Point(3).x)`
    const { run } = await workspace(await language('typescript'), code)
    await expect(run()).resolves.toMatchObject({ stdout: 'r 3\n', stderr: '' })
  })
})
