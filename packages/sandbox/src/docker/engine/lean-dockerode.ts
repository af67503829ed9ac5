import { createRequire, Module } from 'node:module'
import type Dockerode from 'dockerode'

/**
 * Parts of dockerode that Isopod never uses and that load whole libraries: BuildKit sessions (gRPC, protobuf) and engines
 * behind SSH, whose addresses the settings refuse. They cost each worker 12 MB and a tenth of a second.
 */
const UNUSED = [
  { from: 'dockerode', path: './session' },
  { from: 'docker-modem', path: './ssh' },
]

function withoutUnusedParts(): typeof Dockerode {
  const here = createRequire(import.meta.url)
  const dockerode = createRequire(here.resolve('dockerode'))
  for (const { from, path } of UNUSED) {
    const within = createRequire(dockerode.resolve(from === 'dockerode' ? './docker' : from))
    const file = within.resolve(path)
    const stub = new Module(file)
    stub.exports = () => {
      throw new Error(`${from}: ${path} is not part of Isopod`)
    }
    stub.loaded = true
    // A part that is already loaded in this process stays.
    within.cache[file] ??= stub
  }
  return here('dockerode') as typeof Dockerode
}

/** The client for an engine's API, without the unused parts. */
export const Docker = withoutUnusedParts()
