import { expect, it } from 'vitest'
import { hostsEntries } from '../src/resolve-name.ts'

it.each([
  ['127.0.0.1 localhost', 'localhost', ['127.0.0.1']],
  ['10.1.2.3\ta  b\tc\n::1 b\n', 'b', ['10.1.2.3', '::1']],
  ['  10.1.2.3 Inner.Example.org # 10.1.2.4 b', 'inner.example.org', ['10.1.2.3']],
  ['10.1.2.3 a # b', 'b', []],
  ['# 10.1.2.3 a', 'a', []],
  ['10.1.2.3 xa ax a.b', 'a', []],
  ['10.1.2.3 a', '10.1.2.3', []],
  ['\n\n', '', []],
])('the hosts file %j has for %s %j', (text, name, addresses) => {
  expect(hostsEntries(text, name)).toEqual(addresses)
})
