// Takes a lock in a separate process. Arguments: lock file, log file, milliseconds to hold the lock, number of times.
import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { withLock } from '../../src/lock.ts'

const [lock = '', log = '', held = '0', times = '1'] = process.argv.slice(2)
for (let time = 0; time < Number(times); time++) {
  await withLock(lock, async () => {
    appendFileSync(log, 'in\n')
    await sleep(Number(held))
    appendFileSync(log, 'out\n')
  })
}
