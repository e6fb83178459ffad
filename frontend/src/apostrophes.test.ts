/** The server's sentences are for terminals and mails too, and so their apostrophes are straight. */
import { expect, it } from 'vitest'

const SOURCES = import.meta.glob<string>(['./**/*.{ts,tsx}', '../index.html', '!./apostrophes.test.ts'], {
  eager: true,
  query: '?raw',
  import: 'default',
})

it("says what the page says with the apostrophe that the server's sentences have", () => {
  const round = Object.entries(SOURCES).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => (/\p{L}\u2019/u.test(line) ? `${file}:${i + 1}` : [])),
  )
  expect(Object.keys(SOURCES).length).toBeGreaterThan(200)
  expect(round).toEqual([])
})
