import { expect, it } from 'vitest'
import { stackPlaces } from '../src/places.ts'
import { containerdConfig, dockerdConfig } from '../src/private-engine.ts'

const places = stackPlaces({ ISOPOD_STATE_DIR: '/state "7"' })

it('shares no directory, socket or containerd with another engine', () => {
  const config = JSON.parse(dockerdConfig(places)) as Record<string, unknown>
  expect(config).toMatchObject({
    hosts: [`unix://${places.runtime}/docker.sock`],
    containerd: `${places.runtime}/containerd.sock`,
    'data-root': places.docker,
    'exec-root': `${places.runtime}/docker`,
    pidfile: `${places.runtime}/docker.pid`,
  })
  expect(containerdConfig(places)).toContain(`address = "${places.runtime}/containerd.sock"`)
  expect(containerdConfig(places)).toContain(`state = "${places.runtime}/containerd"`)
  expect(containerdConfig(places)).toContain('root = "/state \\"7\\"/containerd"')
})

it('makes no bridge and touches no firewall rule', () => {
  expect(JSON.parse(dockerdConfig(places))).toMatchObject({
    bridge: 'none',
    iptables: false,
    ip6tables: false,
    'ip-forward': false,
    'ip-masq': false,
  })
})

it('has gVisor as a runtime, without a network, only when that was asked for', () => {
  expect(JSON.parse(dockerdConfig(places))).not.toHaveProperty('runtimes')
  expect(JSON.parse(dockerdConfig(places, '/state/runsc'))).toMatchObject({
    runtimes: { runsc: { path: '/state/runsc', runtimeArgs: ['--network=none', '--platform=systrap'] } },
  })
})
