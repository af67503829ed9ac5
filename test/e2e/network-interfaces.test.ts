import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

async function printed(language: string, code: string): Promise<string> {
  const limits = { compileSeconds: 120, timeoutSeconds: 60 }
  const { status, stdout, stderr } = await world.client.run({ language, code, limits })
  expect(status, stderr).toBe('success')
  return stdout.trim()
}

// Sockets of netlink are blocked; docs/security.md describes the error that programs get.
it('listing network interfaces fails in Node and Python, which use netlink, and works in Java', async () => {
  const node = `try { require('os').networkInterfaces() } catch (error) { console.log(error.code) }`
  const python = `import socket\ntry: socket.if_nameindex()\nexcept OSError as error: print(error.strerror)`
  const java = `import java.net.*;
    public class Main { public static void main(String[] a) throws Exception {
      NetworkInterface.networkInterfaces().forEach(one -> System.out.println(one.getName())); } }`
  const answers = await Promise.all([
    printed('javascript', node),
    printed('python', python),
    printed('java', java),
  ])
  expect(answers).toEqual(['ERR_SYSTEM_ERROR', 'Address family not supported by protocol', 'lo'])
})

it('servers and clients on loopback, with the options that they set, work', async () => {
  const node = `const net = require('net')
    const server = net.createServer((c) => { c.setNoDelay(); c.setKeepAlive(true, 1000); c.end('tcp') })
    server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1')
      .on('data', (word) => { console.log(String(word)); server.close() }))`
  const python = `import asyncio
async def main():
    server = await asyncio.start_server(lambda r, w: (w.write(b'tcp'), w.close()), '127.0.0.1', 0, reuse_port=True)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    print((await reader.read()).decode())
asyncio.run(main())`
  const java = `import java.net.*;
    public class Main { public static void main(String[] a) throws Exception {
      try (var server = new ServerSocket(0); var client = new Socket("127.0.0.1", server.getLocalPort())) {
        client.setTcpNoDelay(true); client.setKeepAlive(true); client.setSoLinger(true, 1); client.setSoTimeout(100);
        client.setReceiveBufferSize(65536); client.setTrafficClass(8);
        server.accept().getOutputStream().write("tcp".getBytes());
        System.out.println(new String(client.getInputStream().readNBytes(3))); } } }`
  const answers = await Promise.all([
    printed('javascript', node),
    printed('python', python),
    printed('java', java),
  ])
  expect(answers).toEqual(['tcp', 'tcp', 'tcp'])
})
