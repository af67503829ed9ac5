import { attackSpec } from './attack-spec.ts'

attackSpec('grader-capture')
