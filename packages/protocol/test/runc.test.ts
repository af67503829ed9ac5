import { describe, expect, it } from 'vitest'
import { runcEscapes } from '../src/runc.ts'

const OF_2024 = 'CVE-2024-21626'
const OF_2025 = ['CVE-2025-31133', 'CVE-2025-52565', 'CVE-2025-52881']

describe('the known escapes of runc', () => {
  it.each([
    '1.2.8',
    '1.2.8-1',
    '1.2.8+ds1',
    '1.2.10',
    '1.3.3',
    'v1.3.3',
    '1.3.4+ds1-1',
    '1.4.0-rc.3',
    '1.4.0-rc.4',
    '1.4.0',
    '1.10.0',
    '2.0.0',
  ])('%s has none', (version) => expect(runcEscapes(version)).toEqual([]))

  it.each([
    '1.1.12',
    '1.1.15+ds1',
    '1.1.99',
    '1.2.0',
    '1.2.7',
    '1.2.8-rc.1',
    '1.3.0',
    '1.3.2-1',
    '1.3.3~rc1',
    '1.3.3-rc.9',
    '1.4.0-rc.2',
    '1.4.0~rc2',
    '1.4.0-beta.3',
    '1.4.0-dev',
  ])('%s has those of 2025', (version) => expect(runcEscapes(version)).toEqual(OF_2025))

  it.each(['0.9.9', '1.0.0-rc93', '1.0.0~rc93+ds1', '1.1.5+ds1', '1.1.5+ds1-1+deb12u1', '1.1.11'])(
    '%s also has the older escape',
    (version) => expect(runcEscapes(version)).toEqual([OF_2024, ...OF_2025]),
  )

  it.each(['', 'unknown', '1.2', 'runc 1.3.3', 'N/A'])('%j is not a version', (version) =>
    expect(runcEscapes(version)).toBeUndefined(),
  )
})
