import { UnavailableError } from '@isopod/protocol'
import { isContained } from '@isopod/sandbox'
import { readWorkerConfig } from '../config.ts'
import { loadCatalogue } from '../document/load-catalogue.ts'
import { openSandbox } from '../host/open-sandbox.ts'
import { selfTestRuntimes } from './self-test.ts'

/** No worker reaps containers of a deployment that is not its own. */
const DEPLOYMENT = 'self-test'

/**
 * `main.js self-test`: attacks containers as a worker does at its start, with a worker's settings but without a Redis.
 * Prints one JSON object a line for each probe as it is judged (`probe`, `runtime`, `tries`, `verdict`, `detail`, `ms`), and a last
 * one with `contained` and `ms`. Sets exit code 1 when a probe did not hold.
 *
 * @throws {UnavailableError} if there is no engine, or none of the catalogue's images on it
 */
export async function selfTestCommand(
  env: Readonly<Record<string, string | undefined>>,
  out: NodeJS.WritableStream,
): Promise<void> {
  const config = readWorkerConfig(env)
  const catalogue = await loadCatalogue(config.catalogueFile)
  const sandbox = await openSandbox(config, DEPLOYMENT, catalogue)
  const interrupt = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => interrupt.abort(new UnavailableError('interrupted')))
  }
  try {
    // What an earlier self-test left that was killed, once its time is over; others may be under way.
    await sandbox.reap(async (owners) => new Set(owners))
    const subject = { catalogue, sandbox }
    const report = await selfTestRuntimes(subject, {
      signal: interrupt.signal,
      onFinding: (finding) => out.write(`${JSON.stringify(finding)}\n`),
    })
    const contained = isContained(report)
    out.write(`${JSON.stringify({ contained, ms: report.ms })}\n`)
    if (!contained) process.exitCode = 1
  } finally {
    await sandbox.close()
  }
}
