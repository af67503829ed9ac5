// A producer of a batch: `<redis url> <prefix> <batch id> <samples of each problem> <problems> [<samples until its death>]`.
// Prints the outcome of each sample as one line of JSON, and the summary last.
import { connect, type Sample } from '@isopod/client'

const [url = '', prefix = '', id = '', each = '', problems = '', untilDeath = ''] = process.argv.slice(2)

/** The samples of all problems: sample n of problem p passes if n modulo the number of problems is less than p. */
function* samples(): Generator<Sample> {
  for (let n = 0; n < Number(each); n++) {
    for (let problem = 0; problem < Number(problems); problem++) {
      const code = `exit ${n % Number(problems) < problem ? 0 : 1} # ${problem}/${n}`
      yield { id: `${problem}/${n}`, problem: `p${problem}`, job: { language: 'bash', code } }
    }
  }
}

const client = await connect({ url, prefix })
const batch = client.batch({ id, samples: samples(), inFlight: 128, k: [1, 10] })
let printed = 0
for await (const { id: sample, outcome, jobId, resumed } of batch) {
  process.stdout.write(`${JSON.stringify({ sample, outcome, jobId, resumed })}\n`)
  printed += 1
  if (printed === Number(untilDeath)) process.kill(process.pid, 'SIGKILL')
}
process.stdout.write(`${JSON.stringify({ summary: await batch.summary() })}\n`)
await client.close()
