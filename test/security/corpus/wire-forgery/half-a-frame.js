const fs = require('node:fs')
// The header announces more bytes than follow, so that the reader might take init's next frame for the payload.
for (const length of [5, 100, 65535, 1 << 20, 0x7fffffff, 0xffffffff]) {
  const header = Buffer.alloc(5)
  header.writeUInt8(0x82, 0)
  header.writeUInt32LE(length, 1)
  fs.writeSync(1, header)
  fs.writeSync(2, header.subarray(0, 3))
}
process.exitCode = 33
