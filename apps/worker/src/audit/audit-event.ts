import type { LimitName, Limits, Policy, Status } from '@isopod/protocol'
import type { EgressEvent } from '../network/egress-proxy.ts'

/** Which start of which job an event belongs to. */
export interface OfJob {
  /** Id of the job; the containers of the self-test have names of their own there, `selftest-…`. */
  readonly job: string
  /** Which start of the job, from 1; 0 if it never started. */
  readonly attempt: number
}

/** Which check refused a job: language, limits and other settings; the programs of its tests; or the policy. */
export type RefusedBy = 'settings' | 'tests' | 'policy'

/** Text of a program and its streams, and sentences that may quote them; there only if the operator asks for it. */
export interface AuditContent {
  readonly code?: string | undefined
  readonly stdin?: string | undefined
  readonly stdout?: string | undefined
  readonly stderr?: string | undefined
  readonly problems?: readonly string[] | undefined
  readonly error?: string | undefined
}

/** One thing that happened to a job, for those who must be able to say later who ran what, where, and how it ended. */
export type AuditEvent = OfJob &
  (
    | {
        /** A worker took the job. */
        readonly event: 'requested'
        readonly tenant: string
        /** As the job names it. */
        readonly language: string
        /** Hexadecimal; the code itself is nobody's business. */
        readonly codeSha256: string
        readonly network: string
        readonly content?: AuditContent
      }
    | {
        /** It is not run. */
        readonly event: 'refused'
        readonly by: RefusedBy
        /** How many there are. */
        readonly problems: number
        readonly content?: AuditContent
      }
    | {
        /** The source was checked, or was not to be. */
        readonly event: 'policy_decided'
        /** The stricter of what the job and the deployment ask for. */
        readonly policy: Policy
        /** False if it could not be checked, or no check applied. */
        readonly checked: boolean
        /** Ids of the rules that it broke. */
        readonly rules: readonly string[]
        readonly refused: boolean
      }
    | ({
        /** A connection that the job made or tried to make, when it is over. */
        readonly event: 'egress'
      } & EgressEvent)
    | {
        /** Assigned is one that was created before there was a job for it: until then its job is '' and the attempt 0. */
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
        /** The platform failed a start of the job; or it failed every one, and the job is not tried again. */
        readonly event: 'setup_failed' | 'given_up'
        /** What may be said of it without a word of the job: message or class of the error. */
        readonly error: string
        readonly content?: AuditContent
      }
    | {
        /** Ended from outside: cancelled, or handed back. */
        readonly event: 'interrupted'
        readonly cause: string
      }
    | {
        /** This start came to an outcome; the first that is published is the job's result. */
        readonly event: 'finished'
        readonly tenant: string
        /** Name and version that ran, `python@3.13`. */
        readonly language: string
        readonly codeSha256: string
        readonly limits: Limits | null
        readonly containerId: string | null
        readonly imageDigest: string | null
        readonly runtime: string | null
        readonly status: Status
        readonly content?: AuditContent
      }
  )

/** Takes an event; never throws, never waits. */
export type Audit = (event: AuditEvent) => void
