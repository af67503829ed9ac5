/** True in `npm run test:soak`, where specs use larger numbers that take minutes. */
export const SOAK = process.env['TEST_SOAK'] === 'true'
