/** True in `npm run test:soak`, where specs use numbers that take minutes; elsewhere smaller ones prove the same. */
export const SOAK = process.env['TEST_SOAK'] === 'true'
