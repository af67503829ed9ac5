import { generateKeyPairSync, sign } from 'node:crypto'

const DAY_MS = 86_400_000
/** 1.2.840.10045.4.3.2, ECDSA with SHA-256. */
const ALGORITHM = der(0x30, der(0x06, Buffer.from('2a8648ce3d040302', 'hex')))
/** 2.5.4.3, the common name. */
const COMMON_NAME = der(0x06, Buffer.from('550403', 'hex'))

/** A new key and a self-signed certificate, valid today, both as PEM. */
export function selfSigned(name: string): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const who = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))))
  const validity = der(0x30, time(Date.now() - DAY_MS), time(Date.now() + DAY_MS))
  const number = der(0x02, Buffer.from([1]))
  const subject = publicKey.export({ type: 'spki', format: 'der' })
  const content = der(0x30, number, ALGORITHM, who, validity, who, subject)
  const signature = der(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const cert = der(0x30, content, ALGORITHM, signature).toString('base64')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${cert}\n-----END CERTIFICATE-----\n`,
  }
}

/** One element of ASN.1: tag, length, content. */
function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

/** A time in the form of certificates: YYMMDDHHMMSSZ. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
