const os = require('node:os')
if (os.hostname() !== 'sandbox') console.log('ESCAPED: host name', os.hostname())
let domainname = ''
try {
  domainname = require('node:fs').readFileSync('/proc/sys/kernel/domainname', 'utf8').trim()
} catch {}
if (!['(none)', ''].includes(domainname)) console.log('ESCAPED: domain name', domainname)
