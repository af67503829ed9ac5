import type { Language } from '@isopod/protocol'

/** A catalogue entry for Python with only the required fields. */
export const PYTHON: Language = {
  name: 'python',
  image: 'x',
  version: '3.13',
  aliases: [],
  filename: 'main.py',
  command: ['python3', '{filename}'],
  timeout_factor: 1,
  env: {},
  opens_at_start: [],
  default_limits: {},
  seccomp_profile: 'default',
  allow_network: false,
}
