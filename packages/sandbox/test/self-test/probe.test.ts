import { PROCESS_LIMITS } from '@isopod/init'
import { DEFAULT_LIMITS } from '@isopod/protocol'
import { describe, expect, it } from 'vitest'
import { sampleOutcome, sampleStream } from '../../../../test/support/samples.ts'
import type { Outcome } from '../../src/contract/outcome.ts'
import { isContained, listFindings, type ProbeFinding } from '../../src/self-test/finding.ts'
import type { Honeypot } from '../../src/self-test/honeypot.ts'
import { factIn, judgeProbe } from '../../src/self-test/probe.ts'
import { probeExecution } from '../../src/self-test/probe-execution.ts'
import { PROBES } from '../../src/self-test/probes.ts'
import { PROBE_IDS } from '../../src/self-test/self-test.ts'

const KIT = {
  probe: new Uint8Array(),
  image: 'i',
  runtime: 'runc',
  name: 'n',
  ownProfile: true,
  users: 256,
}

/** Verdict on a probe whose program printed `output` and ended with the given outcome. */
function judged(id: string, output = '', changes: Partial<Outcome> = {}, visits = 0) {
  const probe = PROBES.find((candidate) => candidate.id === id)
  if (probe === undefined) throw new Error(`no probe ${id}`)
  const honeypot: Honeypot = {
    file: '/tmp/honeypot',
    secret: 'secret',
    token: 'token',
    port: 1,
    socket: 's',
    visits: () => visits,
    remove: async () => {},
  }
  return judgeProbe(probe, {
    execution: probeExecution(KIT, id, [], probe.limits),
    outcome: sampleOutcome({ stdout: sampleStream(output), ...changes }),
    output,
    honeypot,
    fact: (name) => factIn(output, name),
  }).verdict
}

describe('the verdict on a probe', () => {
  it('is held if its program reports a refusal and the host observed nothing else', () => {
    expect(judged('interfaces')).toBe('held')
  })

  it('is succeeded if its program reports success', () => {
    expect(judged('interfaces', 'interface eth0 is up', { status: 'execution_error', exitCode: 1 })).toBe(
      'succeeded',
    )
  })

  it('is untried if its program could not try the attack or ended unexpectedly', () => {
    expect(judged('interfaces', 'no /proc', { status: 'execution_error', exitCode: 2 })).toBe('untried')
    expect(judged('interfaces', '', { status: 'timeout', exitCode: null })).toBe('untried')
    expect(judged('memory')).toBe('untried')
  })

  it('depends on what the host observed, whatever its program says', () => {
    expect(judged('connections', '', {}, 1)).toBe('succeeded')
    expect(judged('files', 'secret')).toBe('succeeded')
    expect(judged('wire')).toBe('succeeded')
    expect(judged('environment', 'AWS_SECRET=1\n')).toBe('succeeded')
    expect(judged('host-name', 'worker-17\n')).toBe('succeeded')
    expect(
      judged('sleeper', '', { status: 'timeout', exitCode: null, wallMs: 5_499.6, cpuUserMs: null }),
    ).toBe('succeeded')
    expect(judged('sleeper', '', { status: 'timeout', exitCode: null, wallMs: 6_000, cpuUserMs: 1 })).toBe(
      'held',
    )
    expect(judged('cpu', '', { wallMs: 500, cpuUserMs: 900 })).toBe('succeeded')
    expect(judged('output', '', { stdout: sampleStream('y'.repeat(5000)) })).toBe('succeeded')
    expect(judged('memory', '', { status: 'memory_exceeded', memoryPeakBytes: 64 * 1024 * 1024 })).toBe(
      'succeeded',
    )
  })

  it('is held for a count within the limit, and succeeded without a count', () => {
    expect(judged('forks', 'forked 11\n')).toBe('held')
    expect(judged('forks', 'forked 64\n')).toBe('succeeded')
    expect(judged('forks')).toBe('succeeded')
    expect(judged('disk', '/workspace 3145728\n/tmp 1048576\n/dev/shm 16777216\n')).toBe('held')
    expect(judged('disk', '/workspace 3145728\n/tmp 1048576\n/dev/shm 16777217\n')).toBe('succeeded')
    expect(judged('inodes', '/workspace 1023\n/tmp 1023\n/dev/shm 9999\n')).toBe('succeeded')
    const own = PROCESS_LIMITS.map(
      ({ name, resource, unit }) => `rlimit-${resource} ${DEFAULT_LIMITS[name] * unit}\n`,
    )
    const bounds = `core 0\nmemlock 1048576\nmsgqueue 0\ninit-core 0\ninit-nofile 256\n${own.join('')}`
    expect(judged('limits', bounds)).toBe('held')
    expect(judged('limits', bounds.replace('memlock 1048576', 'memlock -1'))).toBe('succeeded')
    expect(judged('limits', bounds.replace('init-core 0\n', ''))).toBe('succeeded')
    expect(judged('limits', bounds.replace('rlimit-7 256', 'rlimit-7 257'))).toBe('succeeded')
  })
})

describe('the report of a self-test', () => {
  const finding = (verdict: ProbeFinding['verdict']): ProbeFinding => ({
    probe: `p-${verdict}`,
    runtime: 'runc',
    tries: 'to',
    verdict,
    detail: '',
    ms: 1,
  })

  it('lets jobs run only if at least one probe was tried, and each held or is exempt', () => {
    const report = (...verdicts: ProbeFinding['verdict'][]) => ({ findings: verdicts.map(finding), ms: 1 })
    expect(isContained(report('held', 'exempt'))).toBe(true)
    expect(isContained(report('held', 'untried'))).toBe(false)
    expect(isContained(report('held', 'succeeded'))).toBe(false)
    expect(isContained(report())).toBe(false)
    expect(listFindings(report('held', 'succeeded'), 'succeeded')).toBe('p-succeeded')
  })

  it('has a unique id for each probe', () => {
    expect(new Set(PROBE_IDS).size).toBe(PROBE_IDS.length)
    expect(PROBE_IDS.length).toBeGreaterThanOrEqual(20)
  })
})
