const { randomFillSync } = require('node:crypto')
const fs = require('node:fs')
const room = Buffer.alloc(1 << 20)
const file = fs.openSync('/dev/random')
for (let i = 0; i < 50; i++) {
  randomFillSync(room)
  fs.readSync(file, room)
}
