type Raw = Record<string, unknown>

/** What a route makes of its address, and of nothing else: the router lays that over what stands in the address, where a
 * value that was dropped would stay. A view keeps what is the page's around it (`around`); a page with views of their own
 * names its keys (`keys`), since the others are theirs. */
export const strictSearch =
  <S extends object>(
    validate: (raw: Raw) => S,
    { around, keys }: { around?: (raw: Raw) => object; keys?: readonly (keyof S & string)[] } = {},
  ) =>
  (raw: Raw): S => {
    const kept = validate(raw)
    const theirs = around?.(raw) ?? {}
    const mine = keys ?? Object.keys(raw)
    const dropped = mine.filter((key) => key in raw && !(key in kept) && !(key in theirs))
    return { ...Object.fromEntries(dropped.map((key) => [key, undefined])), ...kept }
  }
