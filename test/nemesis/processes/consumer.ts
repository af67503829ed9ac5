// Consumes results and prints each as a line of JSON: `consumer.ts URL PREFIX REPLY_TO`. Ends on SIGTERM.
import { connect } from '@isopod/client'

const [url = '', prefix = '', replyTo = ''] = process.argv.slice(2)
const client = await connect({ url, prefix })
client.results(
  async ({ id, status, stdout, workerId, attempt, errorMessage }) => {
    process.stdout.write(`${JSON.stringify({ id, status, stdout, workerId, attempt, errorMessage })}\n`)
  },
  { replyTo },
)
process.once('SIGTERM', () => void client.close().then(() => process.exit(0)))
