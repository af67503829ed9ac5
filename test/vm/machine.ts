import type { SystemNeed } from '@isopod/devstack'

/** Processors of virtual machines, by Node's names. */
export const ARCHITECTURES = ['x64', 'arm64'] as const

/** One of {@link ARCHITECTURES}. */
export type VmArchitecture = (typeof ARCHITECTURES)[number]

/** Settings of virtual machines with one kind of processor. */
export interface Machine {
  /** Debian's name of the processor. */
  readonly debian: string
  readonly emulator: string
  /** The emulated board and processor. */
  readonly board: readonly string[]
  /** The kernel's name of the first serial port. */
  readonly console: string
  readonly needs: readonly SystemNeed[]
}

/** The machine of each processor. Always software emulation, so that no run depends on the host's virtualization. */
export const MACHINES: Readonly<Record<VmArchitecture, Machine>> = {
  x64: {
    debian: 'amd64',
    emulator: 'qemu-system-x86_64',
    // la57: a fifth level of page tables would make each miss of the emulated TLB slower. cx16: with CMPXCHG16B, QEMU 7.2
    // sometimes lost the flags, which ended a guest's kernel; without this instruction the kernel takes a lock instead.
    board: ['-machine', 'q35', '-cpu', 'max,la57=off,cx16=off'],
    console: 'ttyS0',
    needs: ['qemu-x64'],
  },
  arm64: {
    debian: 'arm64',
    emulator: 'qemu-system-aarch64',
    // This processor has no pointer authentication, which is slow to emulate.
    board: ['-machine', 'virt', '-cpu', 'neoverse-n1'],
    console: 'ttyAMA0',
    needs: ['qemu-arm64'],
  },
}
