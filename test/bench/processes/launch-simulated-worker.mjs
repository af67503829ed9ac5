import { launchService } from '@isopod/service-kit/launch'

launchService(new URL('simulated-worker.mjs', import.meta.url))
