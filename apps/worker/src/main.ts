import { runService } from '@isopod/service-kit'
import { openSandbox } from './host/open-sandbox.ts'
import { listImages } from './list-images.ts'
import { runWorker } from './run-worker.ts'
import { selfTestCommand } from './self-test/self-test-command.ts'

/** `main.js self-test`. Exits at its end: idle connections to the engine would keep the process for minutes. */
async function selfTest(): Promise<void> {
  await selfTestCommand(process.env, process.stdout)
  process.exit()
}

const COMMANDS: Readonly<Record<string, () => Promise<void>>> = {
  'self-test': selfTest,
  images: () => listImages(process.env, process.stdout),
}

runService('isopod-worker', COMMANDS[process.argv[2] ?? ''] ?? (() => runWorker(openSandbox)))
