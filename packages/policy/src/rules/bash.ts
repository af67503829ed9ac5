import type { Rule } from '../rule.ts'
import { facts, rulesOf } from './define.ts'

const { rule, commands } = rulesOf('bash')

const NETWORK = 'reaches for the network, which a job has only by its profile'
const HOST = 'changes the machine'

/** What Bash programs should not do. */
export const BASH_RULES: readonly Rule[] = [
  rule('remove-folder', 'command: rm -rf', { standard: 'block', reason: 'removes whole folders' }, [
    ...facts('shape', 'rm-rf'),
  ]),
  rule('fork-bomb', 'function: fork bomb', { standard: 'block', reason: 'starts processes without end' }, [
    ...facts('shape', 'fork-bomb'),
  ]),
  ...commands({ standard: 'block', reason: 'runs text as code' }, 'eval'),
  rule(
    'unchecked-file',
    'command: source of a file that is not source by its name',
    { standard: 'block', reason: 'runs text as code' },
    [...facts('shape', 'unchecked-file')],
  ),
  rule('dev-tcp', 'redirection: /dev/tcp', { standard: 'block', reason: NETWORK }, [
    ...facts('shape', 'dev-tcp'),
  ]),
  rule('write-device', 'redirection: device', { standard: 'block', reason: HOST }, [
    ...facts('shape', 'write-device'),
  ]),
  rule('pipe-to-shell', 'command: pipe into a shell', { standard: 'warn', reason: 'runs text as code' }, [
    ...facts('shape', 'pipe-to-shell'),
  ]),
  rule(
    'computed-command',
    'command: computed name',
    { strict: 'warn', reason: 'reaches names that no check can see' },
    [...facts('shape', 'computed-command')],
  ),
  ...commands(
    { standard: 'warn', reason: NETWORK },
    'curl',
    'wget',
    'nc',
    'socat',
    'telnet',
    'ssh',
    'openssl',
  ),
  rule('network-command', 'command: network tool', { standard: 'warn', reason: NETWORK }, [
    ...facts(
      'command',
      'ncat',
      'netcat',
      'nc.openbsd',
      'nc.traditional',
      'scp',
      'sftp',
      'ftp',
      'tftp',
      'rsync',
    ),
    ...facts('command', 'dig', 'nslookup', 'host', 'ping', 'nmap'),
  ]),
  rule('machine-command', 'command: machine control', { standard: 'warn', reason: HOST }, [
    ...facts('command', 'mkfs', 'mount', 'umount', 'shutdown', 'reboot', 'halt', 'poweroff', 'insmod'),
    ...facts('command', 'modprobe', 'chroot', 'pivot_root', 'iptables', 'sysctl', 'swapoff', 'fdisk'),
  ]),
  rule('other-user', 'command: another user', { standard: 'warn', reason: 'asks for other rights' }, [
    ...facts('command', 'sudo', 'su', 'doas', 'pkexec', 'setcap', 'chattr'),
  ]),
  rule('namespace', 'command: namespaces', { standard: 'warn', reason: 'asks for other rights' }, [
    ...facts('command', 'unshare', 'nsenter', 'setpriv', 'capsh', 'gdb', 'strace'),
  ]),
  rule('process-control', 'command: process control', { reason: 'reaches other processes' }, [
    ...facts('command', 'kill', 'pkill', 'killall', 'nohup', 'setsid', 'disown', 'trap', 'ulimit'),
  ]),
  rule('interpreter', 'command: another interpreter', { reason: 'runs a program that was not checked' }, [
    ...facts('command', 'python', 'python3', 'perl', 'ruby', 'node', 'php', 'awk', 'gcc', 'cc', 'make'),
    ...facts('command', 'gawk', 'mawk', 'lua', 'tclsh', 'deno', 'bun', 'g++', 'clang', 'tcc'),
  ]),
]
