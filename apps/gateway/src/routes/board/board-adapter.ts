import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app'
import fastifyStatic from '@fastify/static'
import type { Http } from '../../http/create-http.ts'

/**
 * Serves bull-board's page and its read-only routes. The library's own adapter is not used: its error format differs from
 * ours, and its page has inline styles and an external font, which our content security policy forbids.
 */
export class BoardAdapter implements IServerAdapter {
  readonly #basePath: string
  #queues: BullBoardQueues = new Map()
  #views = ''
  #assets = ''
  #entry: AppViewRoute | undefined
  #routes: readonly AppControllerRoute[] = []
  #config: UIConfig = {}

  constructor(basePath: string) {
    this.#basePath = basePath
  }

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues
    return this
  }

  setViewsPath(path: string): this {
    this.#views = path
    return this
  }

  setStaticPath(_route: string, path: string): this {
    this.#assets = path
    return this
  }

  setEntryRoute(route: AppViewRoute): this {
    this.#entry = route
    return this
  }

  /** Ignored: the gateway answers errors itself. */
  setErrorHandler(): this {
    return this
  }

  setApiRoutes(routes: AppControllerRoute[]): this {
    this.#routes = routes.filter(({ method }) => method === 'get')
    return this
  }

  setUIConfig(config: UIConfig): this {
    this.#config = config
    return this
  }

  /** Adds the routes to a scope that has the base path as its prefix. */
  async serve(scope: Http): Promise<void> {
    const page = await this.#page()
    await scope.register(fastifyStatic, {
      root: this.#assets,
      prefix: '/static/',
      index: false,
      decorateReply: false,
      immutable: true,
      maxAge: '1d',
      schemaHide: true,
    })
    for (const url of [this.#entry?.route ?? []].flat()) {
      scope.get(url, { schema: { hide: true } }, (_, reply) => reply.type('text/html').send(page))
    }
    for (const { route, handler } of this.#routes) {
      for (const url of [route].flat()) {
        scope.get(url, { schema: { hide: true } }, async (request, reply) => {
          const answer = await handler({
            queues: this.#queues,
            uiConfig: this.#config,
            params: request.params as Record<string, string>,
            query: request.query as Record<string, string>,
            body: {},
            headers: request.headers as Record<string, string>,
          })
          return reply.code(answer.status ?? 200).send(answer.body)
        })
      }
    }
  }

  /** The library's page without its inline styles and its external font. */
  async #page(): Promise<string> {
    const { name = '', params = {} } =
      this.#entry?.handler({ basePath: this.#basePath, uiConfig: this.#config }) ?? {}
    const template = await readFile(join(this.#views, name), 'utf8')
    return template
      .replace(/<link [^>]*fonts\.googleapis\.com[^>]*>/, '')
      .replace(/(<div id="root">)[\s\S]*<\/style>\s*/, '$1')
      .replace(/<%[-=] (\w+) %>/g, (_, field: string) => String(params[field] ?? ''))
  }
}
