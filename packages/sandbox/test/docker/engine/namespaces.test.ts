import { expect, it } from 'vitest'
import { containerNamespaces } from '../../../src/docker/engine/namespaces.ts'

const ALWAYS = ['mount', 'pid', 'ipc', 'uts', 'network']

// promise: isolation-named
it.each([
  ['runc', false, false, ALWAYS],
  ['crun', false, true, [...ALWAYS, 'cgroup']],
  ['runc', true, true, ['user', ...ALWAYS, 'cgroup']],
  // gVisor's own kernel has the processes and cgroups of its programs.
  ['runsc', false, true, ['mount', 'ipc', 'uts', 'network']],
])('the namespaces of a container under %s, with mapped users: %s, with cgroup namespaces: %s', (...row) => {
  const [runtime, mapsUsers, separatesCgroups, namespaces] = row
  expect(containerNamespaces(runtime, { mapsUsers, separatesCgroups })).toEqual(namespaces)
})
