import { describe, expect, it } from 'vitest'
import { runtimeProblem } from '../../../src/docker/engine/runtime-problem.ts'

const facts = {
  runcVersion: '1.1.5+ds1',
  defaultRuntime: 'runc',
  runtimePrograms: {
    runc: 'runc',
    'io.containerd.runc.v2': 'runc',
    crun: '/usr/bin/crun',
    gvisor: '/opt/bin/runsc',
    own: '/usr/local/sbin/own-wrapper',
    kata: '',
  },
}

describe('the runtime of containers', () => {
  it('is refused if it is an old runc, with the installed version and the reason', () => {
    expect(runtimeProblem(facts, undefined)).toEqual({
      state: 'refused',
      reason: expect.stringMatching(
        /runc is 1\.1\.5\+ds1.*CVE-2024-21626, CVE-2025-31133.*upgrade to 1\.2\.8/,
      ),
    })
  })

  it.each(['runc', 'io.containerd.runc.v2', 'own', 'not-listed'])(
    'counts as runc if it is called %s',
    (name) => expect(runtimeProblem(facts, name)?.state).toBe('refused'),
  )

  it.each(['crun', 'gvisor', 'kata', 'runsc', 'io.containerd.runsc.v1'])(
    'is not judged by the version of runc if it is %s',
    (name) => expect(runtimeProblem(facts, name)).toBeUndefined(),
  )

  it('is accepted if runc is new', () => {
    expect(runtimeProblem({ ...facts, runcVersion: '1.3.3' }, undefined)).toBeUndefined()
  })

  it.each([undefined, 'unknown'])('is unknown if its version is %s', (runcVersion) => {
    expect(runtimeProblem({ ...facts, runcVersion }, undefined)).toEqual({
      state: 'unknown',
      reason: expect.stringContaining('does not say which version'),
    })
  })

  it('follows the engine’s default', () => {
    expect(runtimeProblem({ ...facts, defaultRuntime: 'gvisor' }, undefined)).toBeUndefined()
    expect(runtimeProblem({ ...facts, defaultRuntime: 'gvisor' }, 'runc')?.state).toBe('refused')
  })
})
