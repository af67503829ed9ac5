const fs = require('node:fs')
console.log(process.env, process.execArgv, process.argv, process.report?.getReport?.().environmentVariables)
for (const name of [
  '/proc/self/environ',
  '/proc/1/environ',
  '/proc/self/cmdline',
  '/proc/1/cmdline',
  '/.dockerenv',
  '/run/secrets',
  '/etc/environment',
]) {
  try {
    console.log(name, fs.readFileSync(name, 'latin1'))
  } catch {}
}
