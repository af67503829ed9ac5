import { describe, expect, it } from 'vitest'
import { chooseRuntime, type RuntimeWishes } from '../src/runtime.ts'

describe('the runtime of an execution', () => {
  it.each<[RuntimeWishes['job'], RuntimeWishes['language'], string, string]>([
    [undefined, undefined, 'runc', 'runc'],
    [undefined, 'crun', 'runc', 'crun'],
    [undefined, 'runsc', 'runc', 'runsc'],
    [undefined, 'runc', 'runsc', 'runsc'],
    ['runsc', undefined, 'runc', 'runsc'],
    ['runsc', undefined, 'runsc-kvm', 'runsc-kvm'],
    ['crun', 'runc', 'runc', 'crun'],
    ['runsc', undefined, 'kata', 'runsc'],
    [undefined, 'runc', 'kata', 'kata'],
  ])('of job %s, language %s and deployment %s is %4$s', (job, language, deployment, runtime) => {
    expect(chooseRuntime({ job, language, deployment })).toEqual({ runtime })
  })

  it.each<[RuntimeWishes['job'], RuntimeWishes['language'], string]>([
    ['runc', undefined, 'runsc'],
    ['crun', 'runsc', 'runc'],
    ['runc', 'runc', 'runsc-kvm'],
    ['runc', undefined, 'kata'],
  ])('is never less than asked for: job %s, language %s, deployment %s', (job, language, deployment) => {
    expect(chooseRuntime({ job, language, deployment })).toEqual({
      problem: expect.stringMatching(/^runtime: "(runc|crun)" isolates less than "(runsc|kata)/),
    })
  })
})
