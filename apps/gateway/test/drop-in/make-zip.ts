import { crc32, deflateRawSync } from 'node:zlib'

/** One entry of an archive. */
export interface ZipEntry {
  readonly path: string
  readonly bytes: string
  /** Not compressed. */
  readonly stored?: boolean
  /** A wrong size for the entry's header. @default the true size */
  readonly claimed?: number
}

/** A zip archive: local headers with their data, the central directory, and its end record. */
export function makeZip(entries: readonly ZipEntry[]): Buffer {
  const locals: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { path, bytes, stored = false, claimed } of entries) {
    const name = Buffer.from(path)
    const whole = Buffer.from(bytes)
    const data = stored ? whole : deflateRawSync(whole)
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(stored ? 0 : 8, 4)
    fields.writeUInt32LE(crc32(whole), 10)
    fields.writeUInt32LE(data.length, 14)
    fields.writeUInt32LE(claimed ?? whole.length, 18)
    fields.writeUInt16LE(name.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), fields, name, data])
    const place = Buffer.alloc(14)
    place.writeUInt32LE(offset, 10)
    central.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), fields, place, name]))
    locals.push(local)
    offset += local.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(entries.length, 4)
  end.writeUInt16LE(entries.length, 6)
  end.writeUInt32LE(directory.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end])
}
