import { attackSpec } from './attack-spec.ts'

attackSpec('escape')
