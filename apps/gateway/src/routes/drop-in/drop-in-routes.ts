import type { DropIn } from '../../config.ts'
import type { GatewayParts } from '../../gateway-parts.ts'
import { answerRefusals, type Http, type SendRefusal } from '../../http/create-http.ts'
import { sendJudge0Refusal } from './judge0/refusals.ts'
import { judge0Routes } from './judge0/routes.ts'
import { sendPistonRefusal } from './piston/refusals.ts'
import { pistonRoutes } from './piston/routes.ts'
import { sendSandboxFusionRefusal } from './sandboxfusion/refusals.ts'
import { sandboxFusionRoutes } from './sandboxfusion/routes.ts'

interface DropInService {
  readonly routes: (http: Http, parts: GatewayParts) => void
  /** Sends an error in the service's format. */
  readonly sendRefusal: SendRefusal
}

const SERVICES: Readonly<Record<DropIn, DropInService>> = {
  judge0: { routes: judge0Routes, sendRefusal: sendJudge0Refusal },
  piston: { routes: pistonRoutes, sendRefusal: sendPistonRefusal },
  sandboxfusion: { routes: sandboxFusionRoutes, sendRefusal: sendSandboxFusionRefusal },
}

/** Registers the enabled drop-in services, each in its own scope with that service's error format. */
export function dropInRoutes(http: Http, parts: GatewayParts): void {
  for (const name of parts.config.dropIns) {
    const { routes, sendRefusal } = SERVICES[name]
    void http.register(async (scope) => {
      answerRefusals(scope as Http, parts, sendRefusal)
      routes(scope as Http, parts)
    })
  }
}
