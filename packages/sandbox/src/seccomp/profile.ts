import type { Architecture } from '@isopod/init'

/** A group of calls that share a decision and its reason. */
export interface CallGroup {
  readonly name: string
  readonly reason: string
  readonly calls: readonly string[]
  /** Architectures that have these calls. @default all */
  readonly only?: readonly Architecture[]
}

/** One argument, from 0, that must equal a value, after `mask` where there is one. */
export interface ArgumentCondition {
  readonly argument: number
  readonly mask?: number
  readonly equals: number
}

/** A call that is allowed where all conditions of any one line hold. */
export interface ConditionalCall {
  readonly call: string
  readonly reason: string
  readonly lines: readonly (readonly ArgumentCondition[])[]
}

/** Calls that are refused, and what the program then sees. */
export interface BlockedGroup extends CallGroup {
  /** @default EPERM */
  readonly errno?: 'EPERM' | 'ENOSYS'
}

/** Our decision on every system call: the content of deploy/seccomp/profile.yaml. */
export interface SeccompDecisions {
  readonly allowed: readonly CallGroup[]
  readonly conditional: readonly ConditionalCall[]
  readonly blocked: readonly BlockedGroup[]
}

/** One rule of a profile as the engine takes it; several rules of one call are alternatives. */
interface SeccompRule {
  readonly names: readonly string[]
  readonly action: 'SCMP_ACT_ALLOW' | 'SCMP_ACT_ERRNO'
  readonly errnoRet?: number
  readonly args?: readonly {
    readonly index: number
    readonly op: 'SCMP_CMP_EQ' | 'SCMP_CMP_MASKED_EQ'
    readonly value: number
    readonly valueTwo?: number
  }[]
}

/** A seccomp profile as Docker takes it in `seccomp=<json>`. */
export interface SeccompProfile {
  readonly defaultAction: 'SCMP_ACT_ERRNO'
  readonly architectures: readonly string[]
  readonly syscalls: readonly SeccompRule[]
}

const ARCHITECTURES: Readonly<Record<Architecture, string>> = {
  x64: 'SCMP_ARCH_X86_64',
  arm64: 'SCMP_ARCH_AARCH64',
}
/** The same number on both architectures. */
export const ENOSYS = 38

/**
 * Turns the decisions into the profile of one architecture. What is refused with EPERM needs no rule: that is the default
 * action's answer. Each rule costs time in every start of a container, and so would each further architecture.
 */
export function seccompProfile(decisions: SeccompDecisions, architecture: Architecture): SeccompProfile {
  const calls = (groups: readonly CallGroup[]) => callsOf(groups, architecture)
  return {
    defaultAction: 'SCMP_ACT_ERRNO',
    architectures: [ARCHITECTURES[architecture]],
    syscalls: [
      { names: calls(decisions.allowed), action: 'SCMP_ACT_ALLOW' },
      ...decisions.conditional.flatMap(({ call, lines }) =>
        lines.map(
          (line): SeccompRule => ({
            names: [call],
            action: 'SCMP_ACT_ALLOW',
            args: line.map(comparison),
          }),
        ),
      ),
      {
        names: calls(decisions.blocked.filter(({ errno }) => errno === 'ENOSYS')),
        action: 'SCMP_ACT_ERRNO',
        errnoRet: ENOSYS,
      },
    ],
  }
}

/** The calls of groups that an architecture has. */
export function callsOf(groups: readonly CallGroup[], architecture: Architecture): string[] {
  return groups.filter(({ only }) => only?.includes(architecture) ?? true).flatMap((group) => group.calls)
}

function comparison({ argument, mask, equals }: ArgumentCondition) {
  return mask === undefined
    ? { index: argument, op: 'SCMP_CMP_EQ' as const, value: equals }
    : { index: argument, op: 'SCMP_CMP_MASKED_EQ' as const, value: mask, valueTwo: equals }
}
