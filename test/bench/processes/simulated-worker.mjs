// A worker with simulated containers; everything else is the released worker. Plain JavaScript, because Node's type stripping
// would distort the measurement.
import { ContainerSandbox } from '@isopod/sandbox'
import { SimulatedDriver } from '@isopod/sandbox/simulated'
import { runService } from '@isopod/service-kit'
import { runWorker } from '../../../apps/worker/dist/run-worker.js'

const runMs = Number(process.env.BENCH_SANDBOX_MS ?? 0)

async function openSandbox({ workerId }, deployment, _catalogue, observe) {
  return new ContainerSandbox(new SimulatedDriver({ owner: workerId, runMs, observe }), {
    deployment,
    observe,
  })
}

runService('isopod-worker', () => runWorker(openSandbox))
