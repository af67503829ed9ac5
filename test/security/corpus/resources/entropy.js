const { randomFillSync } = require('node:crypto')
const fs = require('node:fs')
const buffer = Buffer.alloc(1 << 20)
const file = fs.openSync('/dev/random')
for (let i = 0; i < 50; i++) {
  randomFillSync(buffer)
  fs.readSync(file, buffer)
}
