/**
 * A shallow copy of an object of somebody's class, with some properties of its own replaced.
 *
 * `undefined` for a class with `#private` members: these do not move to a copy, and its methods would throw in the middle
 * of the host's call. The language has no way to ask for them, so the source of the class is read.
 */

/** As written, and as compilers write them for older targets. */
const PRIVATE_MEMBER = /\.#[\w$]|#[\w$]+ in |__private(?:Get|Set|Method|Add|In)\b|__classPrivateField/;

export function sameClassCopy<Source extends object>(
  source: Source,
  changes: PropertyDescriptorMap,
): Source | undefined {
  const prototype: object | null = Object.getPrototypeOf(source);
  if (hasPrivateMembers(prototype)) return undefined;
  return Object.create(prototype, { ...Object.getOwnPropertyDescriptors(source), ...changes });
}

function hasPrivateMembers(prototype: object | null): boolean {
  for (let each = prototype; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    const maker: unknown = each.constructor;
    if (typeof maker === 'function' && PRIVATE_MEMBER.test(Function.prototype.toString.call(maker)))
      return true;
  }
  return false;
}
