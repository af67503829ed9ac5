import { join } from 'node:path'
import type { Services } from './services.ts'

const devstack = () => import('@isopod/devstack')

/** The services of this machine. Each is loaded when it is first used: `isopod --help` needs none of them. */
export const systemServices: Services = {
  async connect(url, env) {
    const { connect } = await import('@isopod/client')
    // The commands warn by themselves, at once.
    return await connect({ url, ...(await queueSettings(env)), onNoWorker: () => {} })
  },
  async findStack(env) {
    return await (await devstack()).findStack({ env })
  },
  async findPrivateServices(env) {
    return await (await devstack()).findPrivateServices({ env })
  },
  async ensureStack(options) {
    const { driverOf } = await import('./driver.ts')
    return await (await devstack()).ensureStack({ ...options, driver: driverOf(options.env) })
  },
  async stackDown(options) {
    await (await devstack()).stackDown(options)
  },
  async startGateway({ env, ...options }) {
    const { stackPaths, startGateway } = await devstack()
    const { SECRET_VARIABLE, webhookSecret } = await import('./webhook-secret.ts')
    return await startGateway({
      ...options,
      env: { ...env, [SECRET_VARIABLE]: await webhookSecret(env) },
      log: join(stackPaths(env).logs, 'gateway.log'),
    })
  },
  async openAccess(url, env) {
    const { openAccess } = await import('@isopod/access')
    return await openAccess({ url, ...(await queueSettings(env)) })
  },
  async openWebhooks(url, env) {
    const { openWebhookQueue } = await import('@isopod/webhooks')
    return await openWebhookQueue({ url, ...(await queueSettings(env)) })
  },
  async openDeadResults(url, env) {
    const { openDeadResults } = await import('@isopod/client')
    return await openDeadResults({ url, ...(await queueSettings(env)) })
  },
  async openQuarantine(url, env) {
    const { openQuarantine } = await import('@isopod/client')
    return await openQuarantine({ url, ...(await queueSettings(env)) })
  },
  async openRoots(env) {
    return await (await devstack()).openRoots(env)
  },
  async makeRoot(engine, reference, options) {
    return await (await devstack()).makeRoot(engine, reference, options)
  },
  async buildRoots(names, options) {
    return await (await devstack()).buildRoots(names, options)
  },
  async importRoot(file, reference, options) {
    return await (await devstack()).importRoot(file, reference, options)
  },
  async catalogueImages(env) {
    return await (await devstack()).catalogueImages(env)
  },
  async serveMcp(args, env) {
    const { serveMcp } = await import('./serve-mcp.ts')
    return await serveMcp(args, env)
  },
}

async function queueSettings(env: NodeJS.ProcessEnv) {
  const { readQueueSettings } = await import('@isopod/service-kit')
  return readQueueSettings(env)
}
