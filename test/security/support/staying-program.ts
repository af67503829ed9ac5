import { randomUUID } from 'node:crypto'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'

/** A program that stays until its container is looked at, or cut off. */
export function staying(): Execution {
  const language = {
    name: 'sh',
    image: 'isopod/bash:5.2',
    version: '1',
    aliases: [],
    filename: 'main.sh',
    command: ['sh', '{filename}'],
    compile_timeout_seconds: 30,
    timeout_factor: 1,
    env: {},
    default_limits: {},
    seccomp_profile: 'default' as const,
    allow_network: false,
  }
  const id = `j-${randomUUID()}`
  return { id, attempt: 1, language, code: 'sleep 20', limits: DEFAULT_LIMITS }
}
