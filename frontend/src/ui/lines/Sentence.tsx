import { unbroken } from '../../format'

const OPTION = /(?<=\s)(--?[A-Za-z][\w-]*)/

/** A sentence with numbers beside their units, and with options of commands whole, where a line ends: "lfs setstripe -d". A sign
 * that held an option together would be copied with it. */
export const Sentence = ({ children }: { children: string }) =>
  unbroken(children)
    .split(OPTION)
    .map((part, at) =>
      at % 2 === 1 ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the sentence
        <span key={at} className="nowrap">
          {part}
        </span>
      ) : (
        part
      ),
    )
