import { expect, it } from 'vitest'
import { encodePutFile, encodeReset } from '../../src/encode.ts'
import { encodePreload, type PreloadRequest } from '../../src/encode-preload.ts'
import { sampleLimits } from '../samples.ts'
import { Container, describeInit, exec } from './container.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }
/** A process that reports that it waits, and continues after one byte. */
const WAITS =
  'open C, "+<&=", 255; syswrite C, "w"; sysread C, $b, 32; close C; print "$b|", scalar(<STDIN>), "|"; print STDERR join ",", <*>; exit 3'
const PERL = { argv: ['perl', '-e', WAITS], env, limits: sampleLimits({ openFiles: 256 }) }

async function preload(container: Container, request: Partial<PreloadRequest> = {}) {
  container.send(encodePreload({ wallMs: 5000, ...PERL, ...request }))
  return (await container.next('preloaded')).preloaded
}

describeInit('a preloaded process', () => {
  it('runs with the pipes, files and stdin of its run, and has ended afterwards', async () => {
    await using container = await Container.start()
    container.send(encodePutFile('hook', Buffer.from('x')))
    expect(await preload(container)).toMatchObject({ error: null })
    container.send(encodePutFile('main', Buffer.from('x')))
    const { done, stdout, stderr, started } = await container.run({ ...PERL, preloaded: true })
    expect([stdout.toString(), stderr.toString(), done.exitCode]).toEqual(['g||', 'main', 3])
    expect(started?.limits).toEqual(PERL.limits)
    container.send(exec({ ...PERL, preloaded: true }))
    expect(await container.next('fault')).toEqual({ type: 'fault', fault: { where: 'exec', error: 'ESRCH' } })
    expect((await container.sh('echo on')).stdout.toString()).toBe('on\n')
  })

  it('gets its CPU limit', async () => {
    await using container = await Container.start()
    await preload(container)
    expect((await container.run({ ...PERL, preloaded: true, cpuMs: 2500 })).stdout.toString()).toBe('g4||')
  })

  it('waits while it opens its main file, which may be larger than a pipe', async () => {
    await using container = await Container.start()
    const argv = ['cat', 'main', 'main']
    expect(await preload(container, { argv, mainFile: 'main' })).toMatchObject({ error: null })
    const content = Buffer.alloc(1_000_000, 'abcdefg')
    container.send(encodePutFile('main', content))
    const { done, stdout } = await container.run({ argv, env, preloaded: true })
    expect(done.exitCode).toBe(0)
    expect(stdout.equals(Buffer.concat([content, content]))).toBe(true)
  })

  it.each<[string, Partial<PreloadRequest>, string]>([
    ['does not exist', { argv: ['no-such'] }, 'ENOENT'],
    ['ends before it waits', { argv: ['true'] }, 'ESRCH'],
    ['never waits', { argv: ['sleep', '100'], wallMs: 200 }, 'ETIMEDOUT'],
    ['never opens its main file', { argv: ['sleep', '100'], wallMs: 200, mainFile: 'main' }, 'ETIMEDOUT'],
    ['prints before its program does', { argv: ['perl', '-e', `syswrite STDOUT, "x"; ${WAITS}`] }, 'EIO'],
  ])('leaves the container as it was if it %s', async (_, request, error) => {
    await using container = await Container.start()
    container.send(encodePutFile('hook', Buffer.from('x')))
    expect(await preload(container, request)).toMatchObject({ error })
    expect((await container.sh('ls; ps -e --no-headers | wc -l')).stdout.toString()).toMatch(/^\s*[2-5]\n$/)
  })

  it('refuses a run of another command', async () => {
    await using container = await Container.start()
    const limits = sampleLimits({ openFiles: 255 })
    for (const changes of [{ argv: ['perl', '-e', '1'] }, { env: {} }, { limits }, { cwd: '/' }]) {
      await preload(container)
      container.send(exec({ ...PERL, ...changes, preloaded: true }))
      expect((await container.next('fault')).fault).toEqual({ where: 'exec', error: 'EINVAL' })
    }
  })

  it('is ended by a plain run, another preload and a reset', async () => {
    await using container = await Container.start()
    await preload(container)
    expect((await container.sh('echo plain')).stdout.toString()).toBe('plain\n')
    await preload(container)
    await preload(container)
    container.send(encodeReset(), exec({ ...PERL, preloaded: true }))
    expect((await container.next('reset')).reset.clean).toBe(true)
    expect((await container.next('fault')).fault.where).toBe('exec')
  })

  it('refuses its run if it ended while it waited', async () => {
    await using container = await Container.start()
    const dies = `alarm 1; ${WAITS}`
    await preload(container, { argv: ['perl', '-e', dies] })
    await new Promise((resolve) => setTimeout(resolve, 1500))
    container.send(exec({ ...PERL, argv: ['perl', '-e', dies], preloaded: true }))
    expect((await container.next('fault')).fault).toEqual({ where: 'exec', error: 'ESRCH' })
  })
})
