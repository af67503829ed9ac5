const fs = require('node:fs')
const facts = fs
  .readFileSync(0, 'utf8')
  .split('\n')
  .map((line) => line.split(' '))
const files = facts.filter(([name]) => name === 'file').map(([, path]) => path)
const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
const hosts = facts.filter(([name]) => name === 'worker' || name === 'victim').map(([, pid]) => pid)
for (const pid of [...pids, ...hosts, '1']) {
  for (const part of ['environ', 'mem', 'maps', 'auxv', 'stack', 'syscall', 'pagemap', 'personality']) {
    if (pid === String(process.pid)) continue
    try {
      const text = fs.readFileSync(`/proc/${pid}/${part}`, 'latin1')
      if (text !== '') console.log(`ESCAPED: /proc/${pid}/${part}`, text.slice(0, 80))
    } catch {}
  }
  for (const link of ['root', 'cwd', 'task/1/root', 'task/1/cwd']) {
    for (const file of files) {
      try {
        console.log('ESCAPED:', fs.readFileSync(`/proc/${pid}/${link}${file}`, 'utf8'))
      } catch {}
    }
  }
}
