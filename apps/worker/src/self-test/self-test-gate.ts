import { setTimeout as sleep } from 'node:timers/promises'
import { isContained, listFindings, type SelfTestReport } from '@isopod/sandbox'
import type { Logger, Metrics } from '@isopod/telemetry'
import { type SelfTestSubject, selfTestRuntimes } from './self-test.ts'

/** Pause between attempts while the test cannot run. */
const AGAIN_MS = 10_000

/** Dependencies of {@link SelfTestGate}. */
export interface SelfTestGateOptions {
  /** Whether to test at all. */
  readonly wanted: boolean
  readonly subject: SelfTestSubject
  readonly logger: Logger
  readonly metrics: Pick<Metrics, 'selfTestFailed' | 'selfTestDuration'>
}

/** Keeps a worker from its first job until the self-test has passed. */
export class SelfTestGate {
  readonly #options: SelfTestGateOptions
  readonly #stopping = new AbortController()
  #summary = 'not done yet'

  constructor(options: SelfTestGateOptions) {
    this.#options = options
  }

  /** For /readyz: `ok`, or what keeps the worker from its first job. */
  get summary(): string {
    return this.#summary
  }

  /**
   * Resolves with true once the containers withstood every probe, or with false once one succeeded: the operator then has to
   * repair the host and restart the worker. While the test cannot run (no engine, no image), it is repeated.
   */
  async pass(): Promise<boolean> {
    const { wanted, logger } = this.#options
    if (!wanted) {
      this.#summary = 'off'
      logger.warn('ISOPOD_SELF_TEST is false: the isolation of containers on this host is not tested')
      return true
    }
    for (;;) {
      try {
        const report = await this.#test()
        if (isContained(report)) return this.#passed(report)
        if (this.#failed(report)) return false
      } catch (error) {
        if (this.#stopping.signal.aborted) return false
        this.#wait(error instanceof Error ? error.message : String(error))
      }
      const stopped = await sleep(AGAIN_MS, false, { signal: this.#stopping.signal }).catch(() => true)
      if (stopped) return false
    }
  }

  /** Ends a running test; `pass` then resolves with false. */
  stop(): void {
    this.#stopping.abort(new Error('the worker is stopping'))
  }

  async #test(): Promise<SelfTestReport> {
    const { subject, metrics } = this.#options
    const report = await selfTestRuntimes(subject, { signal: this.#stopping.signal })
    metrics.selfTestDuration.set({}, report.ms / 1000)
    const failed = new Set(succeeded(report))
    for (const { probe, verdict } of report.findings) {
      if (verdict === 'held' || failed.has(probe))
        metrics.selfTestFailed.set({ probe }, failed.has(probe) ? 1 : 0)
    }
    return report
  }

  #passed(report: SelfTestReport): true {
    this.#summary = 'ok'
    const exempt = listFindings(report, 'exempt')
    this.#options.logger.info(
      { probes: report.findings.length, ms: report.ms, ...(exempt !== '' && { exempt }) },
      'self-test passed',
    )
    return true
  }

  /** Whether a probe succeeded, which is final. */
  #failed(report: SelfTestReport): boolean {
    for (const { probe, runtime, tries, verdict, detail } of report.findings) {
      if (verdict !== 'succeeded') continue
      const found = { probe, runtime, tries, got: detail }
      this.#options.logger.error(found, 'a probe succeeded; no job is taken')
    }
    const probes = succeeded(report)
    if (probes.length === 0) {
      this.#wait(listFindings(report, 'untried'))
      return false
    }
    // No details, because anyone who reaches the port can read them.
    this.#summary = `failed: ${probes.join(', ')}`
    return true
  }

  #wait(reason: string): void {
    this.#summary = `could not run: ${reason.slice(0, 500)}`
    this.#options.logger.error({ reason }, 'the self-test could not run; it will be repeated')
  }
}

/** Probes that succeeded under any runtime. */
function succeeded({ findings }: SelfTestReport): string[] {
  return [...new Set(findings.flatMap(({ probe, verdict }) => (verdict === 'succeeded' ? [probe] : [])))]
}
