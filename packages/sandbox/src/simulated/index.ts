export { SIMULATED_DIGEST, SimulatedDriver, type SimulatedDriverOptions } from './simulated-driver.ts'
