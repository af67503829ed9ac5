import { attackSpec } from './attack-spec.ts'

attackSpec('wire-forgery')
