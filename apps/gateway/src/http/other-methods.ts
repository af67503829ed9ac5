import type { FastifyInstance, RouteOptions } from 'fastify'
import type { Http } from './create-http.ts'
import { RequestRefused } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers the methods that its path does not have. */
    isOtherMethods?: true
  }
}

/**
 * Answers the methods that a path does not have: `OPTIONS` with 204, any other with 405 in the error format of the path's
 * scope. `Allow` names the methods that it has.
 *
 * @returns adds these answers; to be called after all routes, from the last plugin
 */
export function collectPaths(http: Http): () => void {
  const paths = new Map<string, Pick<RouteOptions, 'url'> & { scope: FastifyInstance; routePath: string }>()
  http.addHook('onRoute', function ({ url, routePath, method }) {
    // The route of the CORS plugin has no path of its own.
    if (method === 'OPTIONS') return
    // The router treats paths as equal that differ only in parameter names or a slash at the end.
    const key = url.replace(/:\w+/g, ':').replace(/(.)\/$/, '$1')
    if (!paths.has(key)) paths.set(key, { scope: this, url, routePath })
  })
  return () => {
    // Find the missing methods of all paths before adding any: a path with a parameter can match another, as /:id does /many.
    const missing = [...paths.values()].map((path) => {
      const { url } = path
      const isMissing = (method: string) => method === 'OPTIONS' || http.findRoute({ url, method }) === null
      return { ...path, methods: http.supportedMethods.filter(isMissing) }
    })
    for (const { scope, routePath, methods } of missing) {
      const allowed = http.supportedMethods.filter((one) => !methods.includes(one)).concat('OPTIONS')
      const allow = allowed.join(', ')
      scope.route({
        method: methods,
        url: routePath,
        exposeHeadRoute: false,
        config: { isOtherMethods: true },
        schema: { hide: true },
        // Before the body is read.
        onRequest: async ({ method, url }, reply) => {
          reply.header('allow', allow)
          if (method === 'OPTIONS') return reply.code(204).send()
          const detail = `${method} is not allowed for ${url.split('?', 1)[0]}; allowed: ${allow}.`
          throw new RequestRefused({ status: 405, code: 'method_not_allowed', detail })
        },
        handler: () => {},
      })
    }
  }
}
