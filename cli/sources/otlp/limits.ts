/** How much of what comes in is held: a program that runs wild, or bytes made to harm, must not take the viewer down. */

/** Of one body, unpacked. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of all bodies that are arriving; more is put off, and exporters try again. */
export const MAX_ARRIVING_BYTES = 128 * 1024 * 1024;
/** Of bodies whose calls nobody has taken yet; what comes beyond it is dropped, and counted. */
export const MAX_WAITING_BYTES = 128 * 1024 * 1024;
/** Messages, lists and elements in one body: each becomes an object, of many times its bytes. */
export const MAX_PARTS = 2_000_000;

export class TooManyParts extends Error {
  override readonly name = 'TooManyParts';
}
