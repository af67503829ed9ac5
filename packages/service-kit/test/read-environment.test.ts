import { ConfigError } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { flagVariable, numberVariable, QUEUE_VARIABLES } from '../src/env-schemas.ts'
import { readQueueSettings } from '../src/queue-settings.ts'
import { type EnvironmentOptions, readEnvironment } from '../src/read-environment.ts'

const schema = z.object({
  ...QUEUE_VARIABLES,
  PORT: numberVariable(0, 65_535).default(8007),
  ISOPOD_GATEWAY_DOCS: flagVariable.default(true),
})

const read = (env: Record<string, string>, options?: EnvironmentOptions) =>
  readEnvironment(schema, env, options)

describe('readEnvironment', () => {
  it('fills in defaults, and treats an empty variable as unset', () => {
    expect(read({ PORT: '', REDIS_URL: 'redis://r' })).toEqual({
      REDIS_URL: 'redis://r',
      ISOPOD_QUEUE_PREFIX: 'isopod',
      ISOPOD_ALLOW_EVICTION: false,
      ISOPOD_RESULT_TTL_SECONDS: 86_400,
      PORT: 8007,
      ISOPOD_GATEWAY_DOCS: true,
    })
  })

  it('names every invalid variable, what is allowed and what was given', () => {
    expect(() => read({ PORT: 'x', ISOPOD_ALLOW_EVICTION: 'yes' })).toThrow(
      new ConfigError(
        'ISOPOD_ALLOW_EVICTION: must be true or false, got "yes"; PORT: must be a whole number from 0 to 65535, got "x"',
      ),
    )
  })

  it('refuses an unknown ISOPOD_ variable, and suggests the nearest name', () => {
    expect(() => read({ ISOPOD_QUEUE_PREFX: 'a' })).toThrow(/did you mean ISOPOD_QUEUE_PREFIX\?/)
    expect(() => read({ ISOPOD_SLOTS: '4' })).toThrow(/^ISOPOD_SLOTS: unknown setting/)
  })

  it('accepts variables of other apps', () => {
    expect(read({ ISOPOD_MCP_PORT: '1', ISOPOD_DEBUG: '1', PATH: '/bin' }).PORT).toBe(8007)
    expect(read({ ISOPOD_SLOTS: '4', SANDBOX_PID_LIMIT: '5' }, { prefix: 'ISOPOD_GATEWAY_' }).PORT).toBe(8007)
  })

  it('accepts what Kubernetes injects for a Service of this name, and no other port', () => {
    const options = { prefix: 'ISOPOD_GATEWAY_' }
    for (const name of ['ISOPOD', 'ISOPOD_GATEWAY']) {
      const injected = {
        [`${name}_SERVICE_HOST`]: '10.0.0.1',
        [`${name}_SERVICE_PORT`]: '80',
        [`${name}_SERVICE_PORT_HTTP`]: '80',
        [`${name}_PORT`]: 'tcp://10.0.0.1:80',
        [`${name}_PORT_80_TCP`]: 'tcp://10.0.0.1:80',
        [`${name}_PORT_80_TCP_PROTO`]: 'tcp',
        [`${name}_PORT_80_TCP_PORT`]: '80',
        [`${name}_PORT_80_TCP_ADDR`]: '10.0.0.1',
      }
      expect(read(injected).PORT).toBe(8007)
      expect(read(injected, options).PORT).toBe(8007)
    }
    expect(() => read({ ISOPOD_PORT: '80' })).toThrow(/^ISOPOD_PORT: unknown setting/)
    expect(() => read({ ISOPOD_GATEWAY_PORT: '80' }, options)).toThrow(
      /^ISOPOD_GATEWAY_PORT: unknown setting/,
    )
  })

  it('refuses unknown variables of the app, and misspelt shared ones', () => {
    const options = { prefix: 'ISOPOD_GATEWAY_' }
    expect(() => read({ ISOPOD_GATEWAY_DOC: 'true' }, options)).toThrow(/did you mean ISOPOD_GATEWAY_DOCS\?/)
    expect(() => read({ ISOPOD_QUEUE_PREFX: 'a' }, options)).toThrow(/did you mean ISOPOD_QUEUE_PREFIX\?/)
  })
})

describe('the settings of the queue', () => {
  it('are read from an environment with variables of other apps', () => {
    const env = { ISOPOD_QUEUE_PREFIX: 'mine', ISOPOD_ALLOW_EVICTION: 'true', ISOPOD_CONCURRENCY: '4' }
    expect(readQueueSettings(env)).toEqual({ prefix: 'mine', allowEviction: true })
    expect(readQueueSettings({})).toEqual({ prefix: 'isopod', allowEviction: false })
  })

  it('are refused with an invalid value or a misspelt name', () => {
    expect(() => readQueueSettings({ ISOPOD_ALLOW_EVICTION: 'yes' })).toThrow(
      'ISOPOD_ALLOW_EVICTION: must be true or false, got "yes"',
    )
    expect(() => readQueueSettings({ ISOPOD_QUEUE_PREFX: 'mine' })).toThrow(
      'ISOPOD_QUEUE_PREFX: unknown setting; did you mean ISOPOD_QUEUE_PREFIX?',
    )
  })
})
