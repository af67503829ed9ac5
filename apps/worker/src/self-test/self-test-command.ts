import { UnavailableError } from '@isopod/protocol'
import { isContained } from '@isopod/sandbox'
import { readWorkerConfig } from '../config.ts'
import { loadCatalogue } from '../document/load-catalogue.ts'
import { openSandbox } from '../host/open-sandbox.ts'
import { selfTestRuntimes } from './self-test.ts'

/** A deployment of its own, so that no worker reaps the containers of the test. */
const DEPLOYMENT = 'self-test'

/**
 * `isopod-worker self-test`: runs the self-test with a worker's settings, without Redis. Prints a JSON object per line for
 * each probe (`probe`, `runtime`, `tries`, `verdict`, `detail`, `ms`), and a last one with `contained` and `ms`. Sets exit code 1
 * unless the containers withstood all probes.
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
    // Removes the containers of a killed self-test, but only after their deadline, because other tests may be running.
    await sandbox.reap(async (owners) => new Set(owners))
    const subject = { catalogue, sandbox, minimumIsolation: config.minimumIsolation }
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
