const fs = require('node:fs')
const { spawnSync } = require('node:child_process')
const files = fs
  .readFileSync(0, 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('file '))
  .map((line) => line.slice(5))
process.chdir('/workspace')
for (const name of ['main.js', 'input.json', 'result.json', 'output', 'stdout', '.isopod']) {
  fs.rmSync(name, { recursive: true, force: true })
  fs.symlinkSync(files[0], name)
}
fs.mkdirSync('deep')
fs.symlinkSync('/proc/1/root', 'deep/root')
fs.symlinkSync('../'.repeat(30) + files[1].slice(1), 'deep/up')
fs.symlinkSync('loop', 'loop')
spawnSync('mkfifo', ['fifo'])
for (const file of files) {
  try {
    fs.linkSync(file, `hard-${Math.random()}`)
    console.log('ESCAPED: a second name for', file)
  } catch {}
  try {
    console.log('ESCAPED:', fs.readFileSync('main.js', 'utf8'))
  } catch {}
}
