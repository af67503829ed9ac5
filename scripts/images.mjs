// Sees to Redis, an engine, init and all images, without starting a worker: `npm run images`.
const { ensureStack } = await import('@isopod/devstack')
try {
  const stack = await ensureStack({ workers: 0, say: (line) => console.error(line) })
  console.error(`images are ready at ${stack.engine.dockerHost}`)
} catch (error) {
  console.error(error.message)
  process.exit(3)
}
