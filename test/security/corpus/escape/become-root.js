const { spawnSync } = require('node:child_process')
for (const call of ['setuid', 'seteuid', 'setgid', 'setegid']) {
  try {
    process[call](0)
    console.log(`ESCAPED: ${call}`)
  } catch {}
}
try {
  process.setgroups([0, 1, 5, 6])
  console.log('ESCAPED: setgroups')
} catch {}
for (const [uid, gid] of [
  [0, 0],
  [1, 1],
  [1000, 1000],
]) {
  const { stdout } = spawnSync('id', { uid, gid, encoding: 'utf8' })
  if (stdout) console.log('ESCAPED: ran as', stdout)
}
