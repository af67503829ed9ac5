import type { QueuedJob } from '@isopod/client'
import { describe, expect, it } from 'vitest'
import { cli, fakeClient } from './support.ts'

const JOB: QueuedJob = {
  ...{ id: 'j-1', state: 'waiting', turn: 3, submittedAt: Date.now() - 65_000, language: 'python' },
  ...{ tenant: 'acme', batchId: 'run-7', labels: { model: 'sm\u001b[2Jall', n: '1' }, replyTo: 'grades' },
}

// promise: cancel-many
describe('isopod cancel with options', () => {
  const withCounts = (cancelled: number, requested: number) => {
    const fake = fakeClient()
    fake.client.cancelJobs = async (filter) => {
      fake.calls.push({ method: 'cancelJobs', value: filter })
      return { cancelled, requested }
    }
    return fake
  }

  it('cancels the jobs that agree with each option, and prints their numbers', async () => {
    const options = [
      '--batch',
      'run-7',
      '--label',
      'model=small',
      '--label',
      'n=a=b',
      '-r',
      'grades',
      '--tenant',
      'acme',
    ]
    const { exitCode, stdout, calls } = await cli(['cancel', ...options], { client: withCounts(199, 1) })
    expect([exitCode, stdout]).toEqual([
      0,
      '199 jobs cancelled before running, 1 running job being cancelled\n',
    ])
    const value = {
      batchId: 'run-7',
      labels: { model: 'small', n: 'a=b' },
      replyTo: 'grades',
      tenant: 'acme',
    }
    expect(calls[0]).toEqual({ method: 'cancelJobs', value })
  })

  it.each([
    [3, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ])('with %i cancelled and %i requested ends with exit code %i', async (cancelled, requested, exitCode) => {
    const client = withCounts(cancelled, requested)
    const json = await cli(['cancel', '--batch', 'a', '--json'], { client })
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([exitCode, { cancelled, requested }])
    const { stderr } = await cli(['cancel', '--batch', 'a'], { client })
    expect(stderr).toBe(exitCode === 0 ? '' : 'isopod: no such job waits or runs\n')
  })

  it.each([[[]], [['j-1', '--batch', 'a']], [['--batch', '']], [['--label', 'model']], [['--label', '=x']]])(
    'refuses %j: nothing, both an id and options, and labels without a name',
    async (args) => {
      const { exitCode, calls } = await cli(['cancel', ...args])
      expect([exitCode, calls]).toEqual([2, []])
    },
  )
})

// promise: list-waiting
describe('isopod jobs', () => {
  it('lists id, state, age and origin of each job, without control characters', async () => {
    const client = fakeClient()
    client.client.jobs = async () => ({ jobs: [JOB] })
    const { exitCode, stdout } = await cli(['jobs'], { client })
    expect(exitCode).toBe(0)
    expect(stdout.split('\n')[0]).toMatch(/^id +state +age +language +tenant +reply to +batch +labels$/)
    expect(stdout.split('\n')[1]).toMatch(
      /^j-1 +waiting +1 min +python +acme +grades +run-7 +model=sm\S+all n=1$/,
    )
    expect(stdout).not.toContain('\u001b')
  })

  it('prints one JSON object per line with --json, page by page, and says if there are more', async () => {
    const client = fakeClient()
    client.client.jobs = async (options) => {
      client.calls.push({ method: 'jobs', value: options })
      return { jobs: [JOB], cursor: `wait:${client.calls.length}` }
    }
    const { stdout, stderr } = await cli(['jobs', '--json', '-n', '2', '--reply-to', 'grades'], { client })
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([JOB, JOB])
    expect(stderr).toBe('isopod: there are more than 2; --count sets how many are listed\n')
    expect(client.calls.slice(0, 2).map(({ value }) => value)).toEqual([
      { replyTo: 'grades', limit: 2, cursor: undefined },
      { replyTo: 'grades', limit: 1, cursor: 'wait:1' },
    ])
  })

  it('says that there is none, with exit code 0', async () => {
    expect(await cli(['jobs', '--batch', 'a'])).toMatchObject({
      ...{ exitCode: 0, stdout: '', stderr: 'isopod: no such job waits or runs\n' },
    })
  })
})

describe('isopod submit --label', () => {
  it('sets labels of the job', async () => {
    const { calls } = await cli(['submit', '-', '--label', 'model=small'], { stdin: 'x' })
    expect(calls[0]).toMatchObject({ value: [{ labels: { model: 'small' } }] })
  })
})
