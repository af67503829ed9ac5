import { describe, expect, it } from 'vitest'
import { readGatewayConfig } from '../src/config.ts'

describe('the settings of a gateway', () => {
  it('have defaults', () => {
    expect(readGatewayConfig({})).toMatchObject({
      host: '127.0.0.1',
      port: 8007,
      allowAnonymous: false,
      executePolicy: { mode: 'enforce', rules: 'strict' },
      bodyBytes: 16 * 1024 * 1024,
      corsOrigins: [],
      dropIns: [],
    })
  })

  it('accept a list of origins, and a policy in its short form', () => {
    const env = {
      ISOPOD_GATEWAY_CORS_ORIGINS: 'https://a.example, https://b.example',
      ISOPOD_GATEWAY_EXECUTE_POLICY: 'warn',
    }
    expect(readGatewayConfig(env)).toMatchObject({
      corsOrigins: ['https://a.example', 'https://b.example'],
      executePolicy: { mode: 'warn', rules: 'standard' },
    })
  })

  it('accept a list of drop-in services, and an error lists the supported ones', () => {
    const read = (value: string) => readGatewayConfig({ ISOPOD_GATEWAY_DROP_INS: value }).dropIns
    expect(read('piston, judge0')).toEqual(['judge0', 'piston'])
    expect(() => read('judge0,judge1')).toThrow(
      /ISOPOD_GATEWAY_DROP_INS: must be a list of judge0, piston, sandboxfusion/,
    )
  })
})
