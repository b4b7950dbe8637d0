/** As in package.json, which a test holds it to: read from there it would be one more file to load. */
export const VERSION = '0.1.0';
