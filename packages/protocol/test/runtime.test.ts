import { describe, expect, it } from 'vitest'
import { InvalidJobError } from '../src/errors.ts'
import { parseJob } from '../src/parse.ts'
import { chooseRuntime, offeredIsolations, type RuntimeWishes } from '../src/runtime.ts'

const ALL = ['runc', 'crun', 'io.containerd.runc.v2', 'runsc', 'isopod-spawner']

type Wishes = Partial<Omit<RuntimeWishes, 'job'>> & RuntimeWishes['job']

function choose({ runtime, isolation, ...wishes }: Wishes) {
  const rest = { language: undefined, deployment: 'runc', offered: ALL, ...wishes }
  return chooseRuntime({ job: { runtime, isolation }, ...rest })
}

describe('the runtime of an execution', () => {
  it.each<[string, Wishes]>([
    ['runc', {}],
    ['crun', { language: 'crun' }],
    ['runsc', { language: 'runsc' }],
    ['runsc', { language: 'runc', deployment: 'runsc' }],
    ['runsc', { runtime: 'runsc' }],
    ['runsc-kvm', { runtime: 'runsc', deployment: 'runsc-kvm', offered: [...ALL, 'runsc-kvm'] }],
    ['crun', { runtime: 'crun', language: 'runc' }],
    ['runsc', { runtime: 'runsc', deployment: 'kata' }],
    ['kata', { language: 'runc', deployment: 'kata' }],
    ['isopod-spawner', { deployment: 'isopod-spawner' }],
    // A process sandbox is not what a language with a runtime asks for.
    ['runc', { language: 'runc', deployment: 'isopod-spawner', offered: ['isopod-spawner'] }],
    ['runc', { isolation: 'container' }],
    ['crun', { isolation: 'container', deployment: 'crun' }],
    ['crun', { isolation: 'container', language: 'crun' }],
    ['runsc', { isolation: 'gvisor' }],
    ['runsc', { isolation: 'gvisor', deployment: 'kata' }],
    ['isopod-spawner', { isolation: 'process', deployment: 'isopod-spawner' }],
    ['isopod-spawner', { isolation: 'process', minimum: 'process' }],
    ['runc', { minimum: 'process' }],
    ['runsc', { language: 'runsc', minimum: 'process' }],
    ['runc', { isolation: 'container', deployment: 'runsc', minimum: 'container' }],
    ['crun', { runtime: 'crun', deployment: 'runsc', minimum: 'container' }],
    ['crun', { isolation: 'container', runtime: 'crun' }],
  ])('is %s for %j', (runtime, wishes) => {
    expect(choose(wishes)).toEqual({ runtime })
  })

  // promise: isolation-choice
  it.each<[string, Wishes]>([
    ['runtime: "runc" isolates less than "gvisor"', { runtime: 'runc', deployment: 'runsc' }],
    ['runtime: "crun" isolates less than "gvisor"', { runtime: 'crun', language: 'runsc' }],
    ['runtime: "runc" isolates less than "gvisor"', { runtime: 'runc', deployment: 'runsc-kvm' }],
    ['runtime: "runc" isolates less than "kata"', { runtime: 'runc', deployment: 'kata' }],
    ['isolation: "process" isolates less than "container"', { isolation: 'process' }],
    ['isolation: "process" isolates less than "container"', { isolation: 'process', minimum: 'container' }],
    ['isolation: "container" isolates less than "gvisor"', { isolation: 'container', deployment: 'runsc' }],
    // The operator has raised the language, whatever the deployment's minimum is.
    [
      'isolation: "process" isolates less than "gvisor"',
      { isolation: 'process', language: 'runsc', minimum: 'process' },
    ],
    [
      'isolation: "process" isolates less than "container"',
      { isolation: 'process', language: 'runc', minimum: 'process' },
    ],
  ])('is never below the minimum, and the refusal names it: %s', (sentence, wishes) => {
    expect(choose(wishes)).toEqual({ problem: `${sentence}, the minimum here` })
  })

  it.each<[string, Wishes]>([
    [
      'isolation: "gvisor" is not available; this worker offers container',
      { isolation: 'gvisor', offered: ['runc', 'io.containerd.runc.v2'] },
    ],
    [
      'isolation: "container" is not available; this worker offers process',
      { isolation: 'container', deployment: 'isopod-spawner', offered: ['isopod-spawner'] },
    ],
    [
      'runtime: "crun" is not available; this worker offers runc, runsc',
      { runtime: 'crun', offered: ['runc', 'runsc'] },
    ],
  ])('is one that the worker has, and the refusal lists them: %s', (problem, wishes) => {
    expect(choose(wishes)).toEqual({ problem })
  })
})

it('a worker offers the isolations of its runtimes, and none for a runtime of unknown isolation', () => {
  expect(offeredIsolations(ALL)).toEqual(['process', 'container', 'gvisor'])
  expect(offeredIsolations(['io.containerd.runc.v2', 'kata', 'crun'])).toEqual(['container'])
})

it('a job whose runtime has another isolation than the one that it asks for is refused', () => {
  const job = { code: 'x', isolation: 'process', runtime: 'runsc' }
  const sentence = 'isolation: must be "gvisor" with runtime "runsc", got "process"'
  expect(() => parseJob(job)).toThrow(new InvalidJobError([{ field: 'isolation', message: sentence }]))
  expect(parseJob({ ...job, isolation: 'gvisor' })).toMatchObject({ isolation: 'gvisor' })
})
