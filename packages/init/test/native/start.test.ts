import { expect, it } from 'vitest'
import { Container, describeInit } from './container.ts'

describeInit('the start of a program', () => {
  // Where the kernel hides init by itself, the child has init's memory until its exec, otherwise its own.
  for (const readable of [false, true]) {
    it(`makes the program the OOM killer's first victim, and not init (readable: ${readable})`, async () => {
      await using container = await Container.start({ readable })
      const shown = 'cat /proc/self/oom_score_adj /proc/1/oom_score_adj'
      const before = await container.sh(shown)
      expect(before.stdout.toString()).toMatch(/^1000\n-?\d+\n$/)
      expect(before.stdout.toString()).not.toBe('1000\n1000\n')
      expect((await container.sh(shown)).stdout).toEqual(before.stdout)
    })

    it(`reports why there is no program, and starts the next one (readable: ${readable})`, async () => {
      await using container = await Container.start({ readable })
      expect((await container.run({ argv: ['no-such-program'] })).done.spawnError).toBe('ENOENT')
      expect((await container.run({ argv: ['/etc'] })).done.spawnError).toBe('EACCES')
      expect((await container.run({ argv: ['true'], cwd: '/no/such/directory' })).done.spawnError).toBe(
        'ENOENT',
      )
      const next = await container.sh('echo $$ $PPID; umask; trap')
      expect(next.stdout.toString()).toMatch(/^\d+ 1\n0022\n$/)
      expect(next.done).toMatchObject({ exitCode: 0, spawnError: null })
    })

    it(`keeps the program from looking into init (readable: ${readable})`, async () => {
      await using container = await Container.start({ readable })
      for (const path of ['environ', 'maps', 'mem', 'exe', 'cwd']) {
        expect((await container.sh(`cat /proc/1/${path}`)).done.exitCode).toBe(1)
      }
    })

    it(`leaves init's own limits, signals and directory as they are (readable: ${readable})`, async () => {
      await using container = await Container.start({ readable })
      const status = `grep -E '^(Sig|Seccomp|NoNewPrivs|Cap|Umask)' /proc/1/status; cat /proc/1/limits`
      const first = await container.sh(status)
      const second = await container.sh(status)
      expect(first.stdout.toString()).toMatch(/SigBlk/)
      expect(second.stdout.toString()).toBe(first.stdout.toString())
    })
  }
})
