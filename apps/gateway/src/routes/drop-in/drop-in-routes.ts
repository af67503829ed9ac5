import type { DropIn } from '../../config.ts'
import type { GatewayParts } from '../../gateway-parts.ts'
import { answerRefusals, type Http } from '../../http/create-http.ts'
import type { Refusal } from '../../http/problem.ts'
import { judge0Refusal } from './judge0/refusals.ts'
import { judge0Routes } from './judge0/routes.ts'
import { pistonRefusal } from './piston/refusals.ts'
import { pistonRoutes } from './piston/routes.ts'
import { sandboxFusionRefusal } from './sandboxfusion/refusals.ts'
import { sandboxFusionRoutes } from './sandboxfusion/routes.ts'

interface DropInService {
  readonly routes: (http: Http, parts: GatewayParts) => void
  /** A refusal in the service's format. */
  readonly formatRefusal: (refusal: Refusal) => { readonly status: number; readonly body: object }
}

const SERVICES: Readonly<Record<DropIn, DropInService>> = {
  judge0: { routes: judge0Routes, formatRefusal: judge0Refusal },
  piston: { routes: pistonRoutes, formatRefusal: pistonRefusal },
  sandboxfusion: { routes: sandboxFusionRoutes, formatRefusal: sandboxFusionRefusal },
}

/** Registers the enabled drop-in services, each in its own scope with that service's error format. */
export function dropInRoutes(http: Http, parts: GatewayParts): void {
  for (const name of parts.config.dropIns) {
    const { routes, formatRefusal } = SERVICES[name]
    void http.register(async (scope) => {
      answerRefusals(scope as Http, parts, (reply, _, refusal) => {
        const { status, body } = formatRefusal(refusal)
        return reply.code(status).send(body)
      })
      routes(scope as Http, parts)
    })
  }
}
