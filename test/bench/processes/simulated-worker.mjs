// A worker whose containers are simulated; everything else of it is what users start. Plain JavaScript, because Node's
// compiler for types would be measured with it.
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
