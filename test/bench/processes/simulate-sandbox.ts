// Given to a worker with --import: its own `open-sandbox` is replaced by one that starts no container. Everything else of
// the worker is what users start. Both files lie in one folder then, without their types.
import { registerHooks } from 'node:module'

const REPLACEMENT = new URL('./simulated-sandbox.mjs', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const isWorkers = context.parentURL?.endsWith('/apps/worker/dist/main.js') ?? false
    if (!isWorkers || specifier !== './open-sandbox.js') return next(specifier, context)
    return { url: REPLACEMENT, format: 'module', shortCircuit: true }
  },
})
