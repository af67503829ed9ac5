import type { JobInput, Result } from '@isopod/client'
import { imageStates } from '@isopod/devstack'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { docker } from '../support/engine.ts'
import { languageFixtures, type ProgramFixture } from '../support/language-fixtures.ts'
import { shippedCatalogue } from '../support/shipped-catalogue.ts'
import { startWorld, WITHOUT_RETRIES, type World } from '../support/world.ts'

const { dockerHost } = inject('stack')
const { languages } = await shippedCatalogue()
const fixtures = languageFixtures()
const images = new Map((await imageStates({ dockerHost, ours: true })).map((state) => [state.tag, state]))

/** A compiler needs more than half a core, and two at once still fit two cores. A slow host takes long for any program. */
const LIMITS = { cpus: 1, compileSeconds: 120, timeoutSeconds: 120 }
let world: World

beforeAll(async () => {
  world = await startWorld({ env: WITHOUT_RETRIES })
})

afterAll(() => world?.close())

async function run(job: JobInput): Promise<Result> {
  return await world.client.run({ ...job, limits: { ...LIMITS, ...job.limits } })
}

function expectEnd(result: Result, fixture: ProgramFixture, status: Result['status']): void {
  const { exit = null, signal = null } = fixture
  const shown = `${result.errorMessage}\n${result.stderr}`
  expect(result.status, shown).toBe(fixture.status ?? status)
  if (exit !== null) expect(result.exitCode).toBe(exit)
  if (signal !== null) expect(result.signal).toBe(signal)
  // Some compilers print their errors to stdout.
  const words = status === 'compile_error' ? result.compileOutput : result.stderr
  if (fixture.says !== undefined) expect(words).toMatch(new RegExp(fixture.says))
  if (fixture.stdout !== undefined) expect(result.stdout).toMatch(new RegExp(fixture.stdout))
}

it('every language has fixtures', () => {
  expect([...fixtures.keys()].sort()).toEqual(languages.map(({ name }) => name).sort())
})

// promise: invocation
it('every compiler that takes arguments has a fixture for them', () => {
  const takes = languages.filter(({ compile }) => compile?.includes('{args}')).map(({ name }) => name)
  const have = [...fixtures].flatMap(([name, { compileArgs }]) => (compileArgs ? [name] : []))
  expect(have.sort()).toEqual(takes.sort())
})

// promise: languages
describe.concurrent.each(languages.map((language) => ({ ...language })))(
  '$name',
  ({ name: language, ...entry }) => {
    const image = images.get(entry.image)
    const programs = fixtures.get(language)
    if (programs === undefined || image === undefined || image.state === 'absent') {
      it('has its image', (context) => {
        context.skip(programs === undefined, `no test/fixtures/languages/${language}.yaml`)
        context.skip(`image not built; npm run images -- ${image?.name ?? entry.image}`)
      })
      return
    }
    const {
      echo,
      unicode,
      refused,
      library,
      hog,
      libraries,
      surroundings,
      compileArgs,
      stdout = 'hello\n',
    } = programs

    it('says hello', async () => {
      expect(await run({ language, code: programs.hello })).toMatchObject({
        status: 'success',
        stdout,
        stderr: '',
        language: `${language}@${entry.version}`,
      })
    })

    it('has the version that the catalogue names', async () => {
      const words = programs.version
      // Some toolchains print their version to stderr.
      const command = ['sh', '-c', '"$0" "$@" 2>&1', ...words]
      const said = await docker(dockerHost, 'run', '--rm', '--network', 'none', entry.image, ...command)
      const version = entry.version.replaceAll('.', '\\.')
      expect(said).toMatch(new RegExp(`(?<![\\d.])${version}(?!\\d)`))
    })

    if (echo)
      it('reads stdin', async () => {
        const stdin = 'one\ntwo words\n'
        const result = await run({ language, code: echo, stdin })
        expect(result).toMatchObject({ status: 'success', stdout: stdin, stderr: '' })
      })

    if (unicode)
      it('keeps non-ASCII characters in source, stdin and stdout', async () => {
        const result = await run({ language, code: unicode, stdin: 'größer 𝄞\n' })
        expect(result).toMatchObject({ status: 'success', stdout: 'é 😀 größer 𝄞\n', stderr: '' })
      })

    it('ends after an unhandled error with the language’s message and exit code', async () => {
      expectEnd(await run({ language, code: programs.error.code }), programs.error, 'execution_error')
    })

    it('reports an invalid program with the message of its compiler or interpreter', async () => {
      const status = entry.compile ? 'compile_error' : 'execution_error'
      const result = await run({ language, code: programs.broken.code })
      expectEnd(result, programs.broken, status)
      expect(result.attributable).toBe(true)
    })

    if (refused)
      it('reports a program that compiles but that the language’s usual command rejects', async () => {
        expectEnd(await run({ language, code: refused.code }), refused, 'compile_error')
      })

    if (library)
      it('reports a library, which is no program', async () => {
        const result = await run({ language, code: library.code })
        expectEnd(result, library, 'compile_error')
        expect(result.errorMessage).toMatch(/^Compilation failed: /)
      })

    if (compileArgs)
      it('passes compileArgs to its compiler', async () => {
        const { args, code } = compileArgs
        const result = await run({ language, code, compileArgs: [...args] })
        expect(result, result.compileOutput).toMatchObject({ status: 'success', exitCode: 0 })
        expect(result.stdout).toMatch(/^42\n/)
        expect((await run({ language, code })).stdout).not.toMatch(/^42\n/)
      })

    it('ends at its time limit', async () => {
      const result = await run({ language, code: programs.forever, limits: { timeoutSeconds: 1 } })
      expect(result, result.stderr).toMatchObject({ status: 'timeout', limit: 'timeout' })
    })

    if (hog)
      it('ends at its memory limit', async () => {
        expectEnd(await run({ language, code: hog.code }), hog, 'memory_exceeded')
      })

    if (libraries)
      it('has the libraries that programs in grading data sets import', async () => {
        const status = libraries.exit || libraries.signal ? 'execution_error' : 'success'
        expectEnd(await run({ language, code: libraries.code }), libraries, status)
      })

    if (surroundings)
      it('can use threads, child processes, loopback and temporary files', async () => {
        expectEnd(await run({ language, code: surroundings.code }), surroundings, 'success')
      })
  },
)
