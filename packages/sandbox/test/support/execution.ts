import { DEFAULT_LIMITS, type Language, type Limits } from '@isopod/protocol'
import type { Execution } from '../../src/contract/execution.ts'

/** A language that works in any image with a shell. */
export const SHELL: Language = {
  name: 'sh',
  image: 'isopod/bash:5.2',
  version: '1',
  aliases: [],
  filename: 'main.sh',
  command: ['sh', '{filename}'],
  timeout_factor: 1,
  env: {},
  opens_at_start: [],
  default_limits: {},
  seccomp_profile: 'default',
  allow_network: false,
}

/** Default limits with changes. */
export function limits(changes: Partial<Limits> = {}): Limits {
  return { ...DEFAULT_LIMITS, ...changes }
}

/** A shell script as an execution. */
export function script(code: string, changes: Partial<Execution> = {}): Execution {
  return { id: 'j-test', attempt: 1, language: SHELL, code, limits: limits(), ...changes }
}
