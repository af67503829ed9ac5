// Starts process-sandboxes.ts with the flags of a worker.
import { launchService } from '@isopod/service-kit/launch'

launchService(new URL('./process-sandboxes.ts', import.meta.url))
