/** Collects the two streams of an attach connection; resolves at its end. */
export function demultiplexed(
  wire: NodeJS.ReadableStream,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    wire.on('data', (chunk: Buffer) => chunks.push(chunk))
    wire.on('error', reject)
    wire.on('end', () => resolve(split(Buffer.concat(chunks))))
  })
}

/** Splits the engine's frames: one byte for the stream (2 is stderr), three unused, four for the length. */
function split(bytes: Buffer): { stdout: string; stderr: string } {
  const streams: [Buffer[], Buffer[]] = [[], []]
  for (let at = 0; at + 8 <= bytes.length; ) {
    const end = at + 8 + bytes.readUInt32BE(at + 4)
    streams[bytes[at] === 2 ? 1 : 0].push(bytes.subarray(at + 8, end))
    at = end
  }
  return { stdout: Buffer.concat(streams[0]).toString(), stderr: Buffer.concat(streams[1]).toString() }
}
