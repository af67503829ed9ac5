const os = require('node:os')
if (os.hostname() !== 'sandbox') console.log('ESCAPED: host name', os.hostname())
const { domainname } = {
  domainname: require('node:fs').readFileSync('/proc/sys/kernel/domainname', 'utf8').trim(),
}
if (!['(none)', ''].includes(domainname)) console.log('ESCAPED: domain name', domainname)
