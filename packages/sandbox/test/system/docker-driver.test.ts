import { inject } from 'vitest'
import { openDockerDriver } from '../../src/docker/open-docker-driver.ts'
import { describeDriver } from '../support/driver-contract.ts'

describeDriver('docker', (owner, observe) =>
  openDockerDriver({
    address: inject('stack').dockerHost,
    deployment: `contract-${process.pid}`,
    owner,
    users: { first: 60_000, last: 60_255, gid: 65_534 },
    allowOldRunc: true,
    reaperGraceMs: 0,
    observe,
  }),
)
