process.on('exit', () => {
  process.exitCode = 0
})
process.on('uncaughtException', () => process.reallyExit(0))
process.reallyExit = () => process.kill(process.pid, 'SIGKILL')
throw new Error('the test failed')
