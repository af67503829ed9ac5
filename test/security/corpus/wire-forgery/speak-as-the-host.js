const fs = require('node:fs')
const net = require('node:net')
// Frames that only the host may send: kill, reset, fetch, quit, to every descriptor that init might read.
const frames = [3, 4, 5, 6, 7].map((type) => Buffer.from([type, 0, 0, 0, 0]))
for (const path of ['/proc/1/fd/0', '/proc/self/fd/0', '/dev/stdin', '/dev/console', '/proc/self/fd/1']) {
  try {
    const fd = fs.openSync(path, path.endsWith('/1') ? 'w' : 'r+')
    for (const frame of frames) fs.writeSync(fd, frame)
  } catch {}
}
net.connect('\0isopod').on('error', () => process.exit(46))
