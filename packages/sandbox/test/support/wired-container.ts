import type { Duplex } from 'node:stream'
import { RetryableError } from '@isopod/protocol'
import { Demultiplexer } from '../../src/docker/demultiplexer.ts'
import { type ContainerHost, InitContainer } from '../../src/driver/init-container.ts'
import { Wire } from '../../src/driver/wire.ts'

/** A container on the given attach stream, without an engine. */
export function wiredContainer(stream: Duplex, remove: ContainerHost['remove'] = () => {}): InitContainer {
  return new InitContainer({
    facts: {
      id: 'x',
      imageDigest: 'x',
      runtime: 'runc',
      isolation: { driver: 'docker', namespaces: [], cgroup: 2 },
      origin: 'made',
      user: { uid: 1, gid: 1 },
      deadline: 0,
    },
    wire: new Wire(stream, (frames, stderr) => new Demultiplexer(frames, stderr)),
    forks: false,
    host: {
      changeLimits: async () => {},
      view: async () => undefined,
      end: () => Promise.reject(new RetryableError('the engine is gone')),
      confirmRunning: async () => {},
      assign: () => {},
      remove,
      timed: (_operation, act) => act(),
    },
  })
}
