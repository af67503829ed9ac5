const dgram = require('node:dgram')
const net = require('node:net')
const [role, message, start] = require('node:fs')
  .readFileSync(0, 'utf8')
  .split('\n')
  .map((line) => line.split(' ').at(-1))
const port = 20000 + (Math.floor(Number(start)) % 20000)
setTimeout(
  () => {
    if (role === 'receiver') {
      dgram
        .createSocket('udp4')
        .on('message', (text) => console.log('GOT', text.toString()))
        .bind(port, '0.0.0.0')
      net
        .createServer((socket) => socket.on('data', (text) => console.log('GOT', text.toString())))
        .listen(port, '0.0.0.0')
    } else {
      setTimeout(() => {
        for (const host of ['127.0.0.1', '127.255.255.255', '224.0.0.1'])
          dgram
            .createSocket('udp4')
            .on('error', () => {})
            .send(message, port, host, () => {})
        net
          .connect(port, '127.0.0.1', function () {
            this.end(message)
          })
          .on('error', () => {})
      }, 300)
    }
    setTimeout(() => process.exit(0), 800)
  },
  Math.max(0, Number(start) * 1000 - Date.now()),
)
