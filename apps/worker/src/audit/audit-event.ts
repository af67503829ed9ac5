import type { LimitName, Limits, Policy, Result } from '@isopod/protocol'
import type { EgressEvent } from '../network/egress-proxy.ts'

/** What an audit event is about: one attempt of a job. */
export interface AuditSubject {
  /** Id of the job, or `selftest-…` for a container of the self-test. */
  readonly job: string
  /** Attempt of the job, from 1; 0 if it never started. */
  readonly attempt: number
}

/** What refused a job: its settings (language, limits and others), its test cases, or the policy. */
export type RefusedBy = 'settings' | 'tests' | 'policy'

/** Program, streams and sentences that may quote them; only if the operator enables it. */
export interface AuditContent {
  readonly code?: string | undefined
  readonly stdin?: string | undefined
  readonly stdout?: string | undefined
  readonly stderr?: string | undefined
  readonly problems?: readonly string[] | undefined
  readonly error?: string | undefined
}

/** One event in the life of a job: who ran what, where, and how it ended. */
export type AuditEvent = AuditSubject &
  (
    | {
        /** A worker took the job. */
        readonly event: 'requested'
        readonly tenant: string
        /** As the job names it. */
        readonly language: string
        /** Hexadecimal digest, instead of the code. */
        readonly codeSha256: string
        readonly network: string
        readonly content?: AuditContent
      }
    | {
        /** The job was refused. */
        readonly event: 'refused'
        readonly by: RefusedBy
        /** Number of reasons. */
        readonly problems: number
        readonly content?: AuditContent
      }
    | {
        /** The policy decided, with or without a check of the source. */
        readonly event: 'policy_decided'
        /** The stricter of the job's policy and the deployment's minimum. */
        readonly policy: Policy
        /** False if it could not be checked, or no check applied. */
        readonly checked: boolean
        /** Ids of the rules that matched. */
        readonly rules: readonly string[]
        readonly refused: boolean
      }
    | ({
        /** A connection of the job ended, or was refused. */
        readonly event: 'egress'
      } & EgressEvent)
    | {
        /** `container_assigned`: it came from the pool, where its job is '' and its attempt 0. */
        readonly event: 'container_created' | 'container_assigned' | 'container_removed'
        readonly containerId: string
      }
    | {
        /** A limit ended the program. */
        readonly event: 'limit_enforced'
        readonly limit: LimitName
        readonly containerId: string
      }
    | {
        /** The platform failed an attempt; `given_up`: it failed the last one. */
        readonly event: 'setup_failed' | 'given_up'
        /** Public message of the error, or its class; nothing of the job. */
        readonly error: string
        readonly content?: AuditContent
      }
    | {
        /** Cancelled or requeued. */
        readonly event: 'interrupted'
        readonly cause: string
      }
    | {
        /** The attempt has a result; the first one that is published is the job's. */
        readonly event: 'finished'
        readonly tenant: string
        /** Name and version, such as `python@3.13`. */
        readonly language: string
        readonly codeSha256: string
        readonly limits: Limits | null
        readonly containerId: string | null
        readonly imageDigest: string | null
        readonly runtime: string | null
        readonly status: Result['status']
        readonly content?: AuditContent
      }
  )

/** Takes an audit event; neither throws nor waits. */
export type Audit = (event: AuditEvent) => void
