import { isIPv4 } from 'node:net'

/** Whether only programs on the same host can connect to a server that listens on that name or address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}
