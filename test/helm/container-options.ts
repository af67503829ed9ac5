/** The parts of a pod that `docker run` has options for. */
export interface PodSpec {
  readonly terminationGracePeriodSeconds?: number
  readonly volumes?: readonly { readonly name: string; readonly emptyDir?: { readonly sizeLimit?: string } }[]
  readonly containers: readonly [PodContainer]
}

interface PodContainer {
  readonly command?: readonly string[]
  readonly env: readonly { readonly name: string; readonly value?: string }[]
  readonly resources?: { readonly limits: { readonly cpu: string; readonly memory: string } }
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly securityContext: SecurityContext
}

interface SecurityContext {
  readonly runAsUser: number
  readonly runAsGroup?: number
  readonly allowPrivilegeEscalation: boolean
  readonly capabilities: { readonly drop: readonly string[]; readonly add?: readonly string[] }
  readonly seccompProfile: { readonly type: string }
  readonly appArmorProfile?: { readonly type: string }
}

/**
 * The options of `docker run` with which a container gets what a kubelet gives the container of a pod.
 *
 * @param env variables with other values than in the pod
 */
export function containerOptions(pod: PodSpec, env: Readonly<Record<string, string>>): string[] {
  const [{ securityContext: security, env: variables, resources, volumeMounts = [] }] = pod.containers
  const { runAsUser, runAsGroup, capabilities } = security
  const values = variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value] as const]))
  return [
    ...['--user', runAsGroup === undefined ? String(runAsUser) : `${runAsUser}:${runAsGroup}`],
    ...capabilities.drop.flatMap((capability) => ['--cap-drop', capability]),
    ...(capabilities.add ?? []).flatMap((capability) => ['--cap-add', capability]),
    ...['--security-opt', `no-new-privileges:${!security.allowPrivilegeEscalation}`],
    ...(security.seccompProfile.type === 'Unconfined' ? ['--security-opt', 'seccomp=unconfined'] : []),
    ...(security.appArmorProfile?.type === 'Unconfined' ? ['--security-opt', 'apparmor=unconfined'] : []),
    '--read-only',
    // A kubelet mounts volumes without "noexec".
    ...volumeMounts.flatMap(({ name, mountPath }) => {
      const size = pod.volumes?.find((volume) => volume.name === name)?.emptyDir?.sizeLimit
      return size === undefined ? [] : ['--tmpfs', `${mountPath}:exec,size=${size.replace('Mi', 'm')}`]
    }),
    ...(resources
      ? ['--cpus', resources.limits.cpu, '--memory', resources.limits.memory.replace('Gi', 'g')]
      : []),
    ...Object.entries({ ...Object.fromEntries(values), ...env }).flatMap(([name, value]) => [
      '--env',
      `${name}=${value}`,
    ]),
  ]
}
