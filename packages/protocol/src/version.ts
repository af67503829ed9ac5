/** The release that this is, as all packages of it have it. */
export const VERSION = '0.1.0'
