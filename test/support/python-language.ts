import type { Language } from '@isopod/protocol'

/** Python as a catalogue has it, with nothing that an entry may leave out. */
export const PYTHON: Language = {
  name: 'python',
  image: 'x',
  version: '3.13',
  aliases: [],
  filename: 'main.py',
  command: ['python3', '{filename}'],
  compile_timeout_seconds: 30,
  timeout_factor: 1,
  env: {},
  default_limits: {},
  seccomp_profile: 'default',
  allow_network: false,
}
