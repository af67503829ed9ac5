/** Version of this release, the same in all packages. */
export const VERSION = '0.1.0'
