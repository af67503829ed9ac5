import { describe, expect, it } from 'vitest'
import type { MetricDefinition } from '../src/metric-definition.ts'
import { METRIC_TABLE } from '../src/metric-table.ts'
import { createMetrics } from '../src/metrics.ts'

const listed = { language: ['python'], status: ['success', 'timeout'], image: ['isopod/python:3.13'] }
const metricsOnly = () => createMetrics({ listed, processMetrics: false })

describe('the table of metrics', () => {
  const rows: MetricDefinition[] = Object.values(METRIC_TABLE)

  it('has unique names with the prefix isopod that follow the conventions of Prometheus', () => {
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length)
    for (const row of rows) {
      expect(row.name).toMatch(/^isopod_[a-z][a-z_]*[a-z]$/)
      if (row.kind === 'counter') expect(row.name).toMatch(/_total$/)
      if (row.kind === 'histogram') expect(row.name).toMatch(/_(seconds|bytes)$/)
    }
  })

  it('has ascending buckets for each histogram and for no other metric', () => {
    for (const row of rows) {
      const buckets = row.buckets ?? []
      expect(buckets.length > 0).toBe(row.kind === 'histogram')
      expect([...buckets].sort((a, b) => a - b)).toEqual(buckets)
      expect(new Set(buckets).size).toBe(buckets.length)
    }
  })

  it('has no ids in labels', () => {
    for (const row of rows) expect(Object.keys(row.labels).join(' ')).not.toMatch(/id|tenant|batch/)
  })
})

describe('createMetrics', () => {
  it('renders every metric of the table', async () => {
    const text = await metricsOnly().render()
    for (const row of Object.values(METRIC_TABLE)) {
      expect(text).toContain(`# TYPE ${row.name} ${row.kind}\n`)
      expect(text).toContain(`# HELP ${row.name} ${row.help}\n`)
    }
  })

  it('counts, sets and observes', async () => {
    const metrics = metricsOnly()
    metrics.jobsFinished.inc({ language: 'python', status: 'success' })
    metrics.jobsFinished.inc({ language: 'python', status: 'success' }, 2)
    metrics.workerSlots.set({ state: 'busy' }, 4)
    metrics.workerSlots.dec({ state: 'busy' })
    metrics.jobRun.observe({ language: 'python' }, 0.2)
    metrics.redisUp.set({}, 1)
    const text = await metrics.render()
    expect(text).toContain('isopod_jobs_finished_total{language="python",status="success"} 3\n')
    expect(text).toContain('isopod_worker_slots{state="busy"} 3\n')
    expect(text).toContain('isopod_job_run_seconds_bucket{le="0.25",language="python"} 1\n')
    expect(text).toContain('isopod_job_run_seconds_bucket{le="0.1",language="python"} 0\n')
    expect(text).toContain('isopod_redis_up 1\n')
  })

  it('counts unknown label values as other, however many there are', async () => {
    const metrics = metricsOnly()
    for (let i = 0; i < 1_000; i++) metrics.jobsFinished.inc({ language: `evil${i}`, status: 'success' })
    metrics.jobsFinished.inc({ language: 'constructor', status: '__proto__' })
    const text = await metrics.render()
    expect(text).toContain('isopod_jobs_finished_total{language="other",status="success"} 1000\n')
    expect(text).toContain('isopod_jobs_finished_total{language="other",status="other"} 1\n')
    expect(text).not.toContain('evil')
  })

  it('ignores NaN instead of throwing to its caller', async () => {
    const metrics = metricsOnly()
    metrics.containerCpu.inc({}, Number.NaN)
    metrics.containerCpu.inc({}, -5)
    metrics.queueWait.observe({}, Number.POSITIVE_INFINITY)
    const text = await metrics.render()
    expect(text).toContain('isopod_container_cpu_seconds_total 0\n')
    expect(text).toContain('isopod_queue_wait_seconds_count 0\n')
  })

  it('reads gauges at scrape time, and leaves them out if that fails', async () => {
    const metrics = metricsOnly()
    let scrapes = 0
    metrics.onScrape(() => metrics.queueJobs.set({ queue: 'jobs', state: 'waiting' }, ++scrapes))
    metrics.onScrape(() => {
      throw new Error('broken at once')
    })
    metrics.onScrape(async () => Promise.reject(new Error('broken later')))
    await metrics.render()
    expect(await metrics.render()).toContain('isopod_queue_jobs{queue="jobs",state="waiting"} 2\n')
  })

  it('does not wait for a scrape that hangs', async () => {
    const metrics = metricsOnly()
    metrics.onScrape(() => new Promise(() => {}))
    expect(await metrics.render()).toContain('isopod_queue_jobs')
  })

  it('includes process metrics unless they are switched off, and has its own registry each time', async () => {
    expect(await createMetrics({ listed }).render()).toContain('process_cpu_seconds_total')
    expect(await metricsOnly().render()).not.toContain('process_cpu_seconds_total')
  })
})
