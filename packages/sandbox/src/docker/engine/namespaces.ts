import { isGvisor, type Namespace } from '@isopod/protocol'
import type { EngineFacts } from './engine-facts.ts'

/**
 * A container's own namespaces on its host: those that our container options ask for, and those that the engine's configuration
 * adds. Processes and cgroups of a program under gVisor belong to gVisor's kernel, which needs no namespaces for them.
 */
export function containerNamespaces(
  runtime: string,
  { mapsUsers, separatesCgroups }: Pick<EngineFacts, 'mapsUsers' | 'separatesCgroups'>,
): Namespace[] {
  const usesHostKernel = !isGvisor(runtime)
  const kinds: readonly [Namespace, boolean][] = [
    ['user', mapsUsers],
    ['mount', true],
    ['pid', usesHostKernel],
    ['ipc', true],
    ['uts', true],
    ['network', true],
    ['cgroup', usesHostKernel && separatesCgroups],
  ]
  return kinds.flatMap(([name, isOwn]) => (isOwn ? [name] : []))
}
