// Submits jobs that it reads as lines of JSON ({name, job}), each until it is accepted, and prints {name, id}:
// `submitter.ts URL PREFIX`. Ends on SIGTERM.
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect, type JobInput } from '@isopod/client'

const RETRY_MS = 250
const [url = '', prefix = ''] = process.argv.slice(2)
const client = await connect({ url, prefix })

async function submit(job: JobInput): Promise<string> {
  for (;;) {
    const id = await client.submit(job).catch(() => undefined)
    if (id !== undefined) return id
    await sleep(RETRY_MS)
  }
}

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { name, job } = JSON.parse(line) as { name: string; job: JobInput }
  process.stdout.write(`${JSON.stringify({ name, id: await submit(job) })}\n`)
})
process.once('SIGTERM', () => void client.close().then(() => process.exit(0)))
