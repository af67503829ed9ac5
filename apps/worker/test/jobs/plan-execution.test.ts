import { createCatalogue } from '@isopod/languages'
import { type JobInput, type Language, parseJob } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import type { DeploymentRules } from '../../src/jobs/deployment-rules.ts'
import { planExecution } from '../../src/jobs/plan-execution.ts'
import { compileNetworks } from '../../src/network/profiles.ts'

const python: Language = {
  name: 'python',
  image: 'x',
  version: '3.13',
  aliases: ['py'],
  filename: 'main.py',
  command: ['python3', '{filename}'],
  timeout_factor: 2,
  env: {},
  opens_at_start: [],
  default_limits: { memoryMb: 512 },
  seccomp_profile: 'default',
  allow_network: false,
}
const rules = {
  catalogue: createCatalogue([python]),
  defaults: { timeoutSeconds: 10, memoryMb: 64 },
  maxima: { timeoutSeconds: 20, cpus: 2 },
  networks: compileNetworks({ profiles: { pypi: { egress: ['pypi.org:443'] } } }, 'p.yaml'),
  runtime: 'runc',
  runtimes: ['runc', 'runsc'],
}

function plan(job: JobInput, under: DeploymentRules = rules) {
  return planExecution({ id: 'j-1', attempt: 3, job: parseJob(job) }, under)
}

describe('planExecution', () => {
  it('fills limits from language and deployment, and multiplies times by the language’s factor', () => {
    expect(plan({ code: 'x', language: 'PY' }).execution).toMatchObject({
      id: 'j-1',
      attempt: 3,
      language: { name: 'python' },
      limits: { timeoutSeconds: 20, memoryMb: 512, cpus: 0.5 },
    })
  })

  it('preloads the language if the job or the deployment asks for it', () => {
    expect(plan({ code: 'x' }).execution?.preload).toBe(false)
    expect(plan({ code: 'x', preload: true }).execution?.preload).toBe(true)
    const preloaded = new Set(['python'])
    expect(plan({ code: 'x' }, { ...rules, preloaded }).execution?.preload).toBe(true)
  })

  it('passes arguments, variables and compileArgs on', () => {
    const given = { args: ['a'], env: { A: '1' } }
    expect(plan({ code: 'x', ...given }).execution).toMatchObject(given)
    const compiled = createCatalogue([{ ...python, compile: ['cc', '{args}', '{filename}'] }])
    const compileArgs = ['-O0']
    expect(plan({ code: 'x', compileArgs }, { ...rules, catalogue: compiled }).execution).toMatchObject({
      compileArgs,
    })
  })

  it('refuses variables that the language sets, with and without preload', () => {
    const own = { ...python, env: { CACHE: '/tmp' }, input_hook: { files: {}, env: { START: 'hook' } } }
    const under = { ...rules, catalogue: createCatalogue([own]) }
    expect(plan({ code: 'x', env: { CACHE: '', START: '', FREE: '' } }, under).problems).toEqual([
      'env.CACHE: must not be set, because python sets it',
      'env.START: must not be set, because python sets it',
    ])
  })

  it('refuses compileArgs without a compile run that accepts them', () => {
    const job = { code: 'x', compileArgs: ['-O0'] }
    expect(plan(job).problems).toEqual(['compileArgs: must be absent, because python has no compile run'])
    const closed = createCatalogue([{ ...python, compile: ['cc', '{filename}'] }])
    expect(plan(job, { ...rules, catalogue: closed }).problems).toEqual([
      'compileArgs: must be absent, because the compile run of python takes none',
    ])
    expect(plan({ ...job, compileArgs: [] }).problems).toBeUndefined()
  })

  it('refuses a language that this worker does not have', () => {
    expect(plan({ code: 'x', language: 'perl' })).toEqual({
      problems: ['language: "perl" is not supported; the supported languages are python@3.13'],
    })
  })

  it('names each limit above the deployment’s maximum', () => {
    expect(plan({ code: 'x', limits: { timeoutSeconds: 21, cpus: 3 } }).problems).toEqual([
      'limits.timeoutSeconds: must be at most 20 on this deployment, got 21',
      'limits.cpus: must be at most 2 on this deployment, got 3',
    ])
  })

  it('finds the network profile, and lists the existing ones when it refuses another', () => {
    expect(plan({ code: 'x' }).egress).toBeUndefined()
    expect(plan({ code: 'x', network: 'pypi' }).egress?.name).toBe('pypi')
    expect(plan({ code: 'x', network: 'host' }).problems).toEqual([
      'network: "host" is not a profile of this deployment; it has none, pypi',
    ])
  })

  it('refuses a network under a seccomp profile without sockets, and accepts the job without it', () => {
    const sealed = createCatalogue([{ ...python, seccomp_profile: 'compute' }])
    const under = { ...rules, catalogue: sealed, offline: new Set(['compute']) }
    expect(plan({ code: 'x', network: 'pypi' }, under).problems).toEqual([
      'network: must be none under the seccomp profile compute of python, got "pypi"',
    ])
    expect(plan({ code: 'x' }, under).problems).toBeUndefined()
    expect(
      plan({ code: 'x', network: 'pypi' }, { ...rules, offline: under.offline }).problems,
    ).toBeUndefined()
  })

  it('lets a job choose a runtime with more isolation than language and deployment demand, never with less', () => {
    expect(plan({ code: 'x' }).execution?.runtime).toBe('runc')
    expect(plan({ code: 'x', runtime: 'runsc' }).execution?.runtime).toBe('runsc')
    const guarded = { ...rules, catalogue: createCatalogue([{ ...python, runtime: 'runsc' }]) }
    expect(plan({ code: 'x' }, guarded).execution?.runtime).toBe('runsc')
    expect(plan({ code: 'x', runtime: 'runc' }, guarded).problems).toEqual([
      'runtime: "runc" isolates less than "gvisor", the minimum here',
    ])
    expect(plan({ code: 'x', runtime: 'runc' }, { ...rules, runtime: 'runsc' }).problems).toHaveLength(1)
  })

  it('gives a job the isolation that it chooses, from the deployment’s minimum on', () => {
    const both = { ...rules, runtimes: ['runc', 'runsc', 'isopod-spawner'] }
    expect(plan({ code: 'x', isolation: 'gvisor' }, both).execution?.runtime).toBe('runsc')
    expect(plan({ code: 'x', isolation: 'process' }, both).problems).toEqual([
      'isolation: "process" isolates less than "container", the minimum here',
    ])
    const allowing = { ...both, minimumIsolation: 'process' } as const
    expect(plan({ code: 'x', isolation: 'process' }, allowing).execution?.runtime).toBe('isopod-spawner')
    expect(plan({ code: 'x' }, allowing).execution?.runtime).toBe('runc')
  })

  it('refuses less memory than gVisor itself needs', () => {
    expect(plan({ code: 'x', runtime: 'runsc', limits: { memoryMb: 31 } }).problems).toEqual([
      'limits.memoryMb: must be at least 32 under runsc, got 31',
    ])
    expect(plan({ code: 'x', runtime: 'runsc', limits: { memoryMb: 32 } }).problems).toBeUndefined()
    expect(plan({ code: 'x', limits: { memoryMb: 16 } }).problems).toBeUndefined()
  })

  it('lists the existing runtimes when it refuses another', () => {
    expect(plan({ code: 'x', runtime: 'crun' }).problems).toEqual([
      'runtime: "crun" is not available; this worker offers runc, runsc',
    ])
  })

  it('distinguishes a null inputData from none', () => {
    expect(plan({ code: 'x', inputData: null }).execution?.inputData).toBeNull()
    expect(plan({ code: 'x' }).execution?.inputData).toBeUndefined()
  })
})
