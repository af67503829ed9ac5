const { spawn } = require('node:child_process')
setInterval(() => {
  for (let i = 0; i < 20; i++)
    spawn('bash', ['-c', 'sleep 100 & sleep 100 & wait'], { detached: true, stdio: 'ignore' }).on(
      'error',
      () => {},
    )
}, 1)
