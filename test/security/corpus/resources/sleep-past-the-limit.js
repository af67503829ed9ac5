process.on('SIGTERM', () => {})
setInterval(() => {}, 1000)
