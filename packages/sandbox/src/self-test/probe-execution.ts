import { DEFAULT_LIMITS, type Language, type Limits } from '@isopod/protocol'
import type { Execution } from '../contract/execution.ts'

/** Common parts of all executions of a self-test. */
export interface ProbeKit {
  /** Bytes of the probe for the engine's processor. */
  readonly probe: Uint8Array
  /** Any image of this host: none of its programs is started. */
  readonly image: string
  /** OCI runtime of the containers. */
  readonly runtime: string
  /** Makes names unique on the engine. */
  readonly name: string
  /** Whether containers have our own seccomp profile, not one of the operator's. */
  readonly ownProfile: boolean
  /** Number of user ids for containers. */
  readonly users: number
}

const PROBE = 'probe'
/** Enough for the slowest attack on a busy host, and short enough for the start of a worker. */
const TIMEOUT_SECONDS = 10

/** One attack as an execution, which is run like that of a job. */
export function probeExecution(
  kit: ProbeKit,
  attack: string,
  args: readonly (string | number)[] = [],
  limits: Partial<Limits> = {},
): Execution {
  const language: Language = {
    name: PROBE,
    image: kit.image,
    version: '1',
    aliases: [],
    filename: 'README',
    command: [`./${PROBE}`, attack, ...args.map(String)],
    compile_timeout_seconds: TIMEOUT_SECONDS,
    timeout_factor: 1,
    env: {},
    opens_at_start: [],
    default_limits: {},
    seccomp_profile: 'default',
    allow_network: false,
  }
  return {
    id: `${kit.name}-${attack}`,
    attempt: 1,
    language,
    runtime: kit.runtime,
    code: 'A probe of the self-test.\n',
    tools: { [PROBE]: kit.probe },
    limits: { ...DEFAULT_LIMITS, timeoutSeconds: TIMEOUT_SECONDS, memoryMb: 64, diskMb: 8, ...limits },
  }
}
