import { openPolicyChecker, type PolicyChecker } from '@isopod/policy'
import { type Language, parsePolicy, STATUSES } from '@isopod/protocol'
import type { Execution } from '@isopod/sandbox'
import { createMetrics } from '@isopod/telemetry'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PolicyEvent, policyGate } from '../../src/jobs/policy-gate.ts'
import { policyObserver } from '../../src/observe/job-observers.ts'

let checker: PolicyChecker

beforeAll(async () => {
  checker = await openPolicyChecker()
})

afterAll(() => checker.close())

const never = new AbortController().signal

function execution(code: string): Execution {
  const language = { name: 'python', filename: 'main.py' } as Language
  return { id: 'j-1', attempt: 2, language, code } as Execution
}

it.each([
  ['off', 'off', 'off', 0],
  ['off', 'enforce:strict', 'enforce:strict', 1],
  ['warn', 'enforce', 'enforce', 0],
  ['warn:strict', 'enforce', 'enforce:strict', 1],
  ['enforce:strict', 'off', 'enforce:strict', 1],
])('a job that asks for %s under a minimum of %s gets %s', async (asked, minimum, applied, problems) => {
  const events: PolicyEvent[] = []
  const gate = policyGate({
    checker,
    minimum: parsePolicy(minimum),
    observe: (event) => void events.push(event),
  })
  const decision = await gate.check(execution('import os'), parsePolicy(asked), never)
  expect(decision.policy).toEqual(parsePolicy(applied))
  expect(decision.problems).toHaveLength(problems)
  expect(events).toEqual([{ id: 'j-1', attempt: 2, language: 'python', asked: parsePolicy(asked), decision }])
})

it('the policy metric counts a refusal once per rule, and no warnings', async () => {
  const metrics = createMetrics({
    listed: { language: ['python'], status: STATUSES, image: [] },
    processMetrics: false,
  })
  const observe = policyObserver(metrics, () => {})
  const gate = policyGate({ checker, minimum: parsePolicy('off'), observe })
  const code = 'import os, sys\nimport os'
  await gate.check(execution(code), parsePolicy('warn:strict'), never)
  await gate.check(execution(code), parsePolicy('enforce:strict'), never)
  const text = await metrics.render()
  const counted = text.split('\n').filter((line) => line.startsWith('isopod_policy_rejections_total{'))
  expect(counted).toEqual([
    'isopod_policy_rejections_total{language="python",rule="python/import-os"} 1',
    'isopod_policy_rejections_total{language="python",rule="python/import-sys"} 1',
  ])
})
