import { createCatalogue } from '@isopod/languages'
import type { Language } from '@isopod/protocol'
import type { ProbeFinding } from '@isopod/sandbox'
import { describe, expect, it } from 'vitest'
import { reachableRuntimes, type SelfTestSubject, selfTestRuntimes } from '../../src/self-test/self-test.ts'

const bash: Language = {
  name: 'bash',
  version: '5.2',
  aliases: [],
  image: 'isopod/bash:5.2',
  filename: 'main.sh',
  command: ['bash', '{filename}'],
  timeout_factor: 1,
  env: {},
  opens_at_start: [],
  default_limits: {},
  seccomp_profile: 'default',
  allow_network: false,
}

/** A sandbox that records the attacks it is asked for; every one is refused. */
function subject(options: {
  runtimes: string[]
  runtime?: string
  languages?: Language[]
  missing?: string[]
  minimum?: SelfTestSubject['minimumIsolation']
}): SelfTestSubject & { attacked: unknown[] } {
  const attacked: unknown[] = []
  const finding = (runtime: string): ProbeFinding => ({
    probe: 'files',
    runtime,
    tries: 'to',
    verdict: 'held',
    detail: '',
    ms: 1,
  })
  return {
    attacked,
    catalogue: createCatalogue(options.languages ?? [bash]),
    minimumIsolation: options.minimum,
    sandbox: {
      facts: { runtimes: options.runtimes, defaultRuntime: options.runtime ?? 'runc' },
      missingImages: async () => options.missing ?? [],
      selfTest: async (image, { runtime = '' } = {}) => {
        attacked.push({ image, runtime })
        return { findings: [finding(runtime)], ms: 10 }
      },
    },
  }
}

describe('the self-test of a worker', () => {
  it.each<[string, Parameters<typeof subject>[0], string[]]>([
    ['the only one', { runtimes: ['runc', 'io.containerd.runc.v2'] }, ['runc']],
    ['those that a job may choose', { runtimes: ['runc', 'crun', 'runsc'] }, ['runc', 'crun', 'runsc']],
    ['none that isolates less', { runtimes: ['runc', 'crun', 'runsc'], runtime: 'runsc' }, ['runsc']],
    [
      'that of a language',
      { runtimes: ['runc', 'runsc'], languages: [{ ...bash, runtime: 'runsc' }] },
      ['runc', 'runsc'],
    ],
    [
      'those that only the minimum allows',
      { runtimes: ['runc', 'isopod-spawner'], minimum: 'process' },
      ['runc', 'isopod-spawner'],
    ],
    ['none below the minimum', { runtimes: ['runc', 'isopod-spawner'], minimum: 'container' }, ['runc']],
  ])('covers every runtime that a job can come to: %s', async (_, options, runtimes) => {
    expect(reachableRuntimes(subject(options)).toSorted()).toEqual(runtimes.toSorted())
    const tested = subject(options)
    const { findings, ms } = await selfTestRuntimes(tested, { signal: new AbortController().signal })
    expect(findings.map(({ runtime }) => runtime).toSorted()).toEqual(runtimes.toSorted())
    expect(ms).toBe(10 * runtimes.length)
  })

  it('uses an image that exists, and names the wanted ones if none does', async () => {
    const { signal } = new AbortController()
    const other = { ...bash, name: 'sh', image: 'absent:1' }
    const some = subject({ runtimes: ['runc'], languages: [other, bash], missing: ['absent:1'] })
    await selfTestRuntimes(some, { signal })
    expect(some.attacked).toEqual([{ image: 'isopod/bash:5.2', runtime: 'runc' }])
    const none = subject({ runtimes: ['runc'], missing: ['isopod/bash:5.2'] })
    await expect(selfTestRuntimes(none, { signal })).rejects.toThrow(
      'no image of the catalogue is here for runc: isopod/bash:5.2',
    )
  })
})
