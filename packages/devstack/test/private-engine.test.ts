import { expect, it } from 'vitest'
import { containerdConfig, dockerdConfig } from '../src/engine/private-engine.ts'
import { stackPaths } from '../src/paths.ts'

const paths = stackPaths({ ISOPOD_STATE_DIR: '/state "7"' })

it('the private engine shares no directory, socket or containerd with another engine', () => {
  const config = JSON.parse(dockerdConfig(paths)) as Record<string, unknown>
  expect(config).toMatchObject({
    hosts: [`unix://${paths.runtime}/docker.sock`],
    containerd: `${paths.runtime}/containerd.sock`,
    'data-root': paths.docker,
    'exec-root': `${paths.runtime}/docker`,
    pidfile: `${paths.runtime}/docker.pid`,
  })
  expect(containerdConfig(paths)).toContain(`address = "${paths.runtime}/containerd.sock"`)
  expect(containerdConfig(paths)).toContain(`state = "${paths.runtime}/containerd"`)
  expect(containerdConfig(paths)).toContain('root = "/state \\"7\\"/containerd"')
})

it('the private engine creates no bridge and no firewall rules', () => {
  expect(JSON.parse(dockerdConfig(paths))).toMatchObject({
    bridge: 'none',
    iptables: false,
    ip6tables: false,
    'ip-forward': false,
    'ip-masq': false,
  })
})

it('the private engine offers gVisor only on request, and without a network', () => {
  expect(JSON.parse(dockerdConfig(paths))).not.toHaveProperty('runtimes')
  expect(JSON.parse(dockerdConfig(paths, '/state/runsc'))).toMatchObject({
    runtimes: { runsc: { path: '/state/runsc', runtimeArgs: ['--network=none', '--platform=systrap'] } },
  })
})
