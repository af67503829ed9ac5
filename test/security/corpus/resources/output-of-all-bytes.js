const every = Buffer.from(Array.from({ length: 256 * 256 }, (_, n) => (n * 7) & 255))
const put = (left) => {
  if (left > 0) process.stdout.write(every, () => process.stderr.write(every, () => put(left - 1)))
}
put(1000)
