import { createHash } from 'node:crypto'
import { globSync, readFileSync, statSync } from 'node:fs'
import { engineJson } from '@isopod/devstack'
import { differences, type Observer } from './observer.ts'

/** The engine's state on the host. */
export interface EngineState extends Observer {
  /** Folder of the engine's data on this host. */
  readonly dataRoot: string
}

/** Watches the engine's images and version, names with the marker, and the bytes of every volume with init. */
export async function watchEngine(
  dockerHost: string,
  marker: string,
  volumes = 'isopod-init-*',
): Promise<EngineState> {
  const { DockerRootDir: dataRoot } = (await engineJson(dockerHost, '/info')) as { DockerRootDir: string }
  const before = inits(dataRoot, volumes)
  const named = async (path: `/${string}`) =>
    JSON.stringify(await engineJson(dockerHost, path)).includes(marker)
  return {
    dataRoot,
    async findings() {
      const after = inits(dataRoot, volumes)
      // A worker of another release may add a volume with its init, but existing volumes must not change.
      const known = new Map([...after].filter(([path]) => before.has(path)))
      const found = differences(new Map([...before].filter(([path]) => after.has(path))), known)
      for (const path of ['/containers/json?all=1', '/volumes', '/images/json', '/networks'] as const) {
        if (await named(path)) found.push(`the engine's ${path} knows something of the attack`)
      }
      return found
    },
  }
}

function inits(dataRoot: string, volumes: string): Map<string, string> {
  const paths = globSync(`${dataRoot}/volumes/${volumes}/_data/*`)
  return new Map(paths.map((path) => [path, `${statSync(path).mode.toString(8)} ${sha256(path)}`]))
}

function sha256(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
