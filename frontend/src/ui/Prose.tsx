import type { ReactNode } from 'react'
import { unbroken } from '../format'

/** A page of documentation cut at its "## " headings; what stands before the first has no heading. */
export interface ProseSection {
  readonly heading: string | null
  readonly blocks: readonly Block[]
}
type Block =
  | { readonly kind: 'paragraph' | 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }

/** The few forms of Markdown our own documentation uses: headings, paragraphs, lists, indented and fenced code. */
export function sectionsOf(markdown: string): ProseSection[] {
  return markdown
    .split(/^## /m)
    .map((part, i) => {
      if (i === 0) return { heading: null, blocks: blocksOf(part) }
      const end = part.indexOf('\n')
      const heading = end < 0 ? part : part.slice(0, end)
      return { heading: heading.trim(), blocks: blocksOf(end < 0 ? '' : part.slice(end)) }
    })
    .filter((section) => section.heading !== null || section.blocks.length > 0)
}

function blocksOf(text: string): Block[] {
  return text
    .split(/\n\s*\n/)
    .filter((block) => block.trim() !== '')
    .map((block): Block => {
      const lines = block.replace(/^\n+|\s+$/g, '').split('\n')
      if (lines.every((line) => line.startsWith('    ')) || lines[0]?.startsWith('```'))
        return {
          kind: 'code',
          text: lines
            .filter((l) => !l.startsWith('```'))
            .map((l) => l.replace(/^ {4}/, ''))
            .join('\n'),
        }
      if (/^\s*[-*] /.test(lines[0] ?? '')) return { kind: 'list', items: itemsOf(lines) }
      return { kind: 'paragraph', text: lines.join(' ') }
    })
}

function itemsOf(lines: readonly string[]): string[] {
  const items: string[] = []
  for (const line of lines) {
    if (/^\s*[-*] /.test(line)) items.push(line.replace(/^\s*[-*] /, ''))
    else items.push(`${items.pop() ?? ''} ${line.trim()}`)
  }
  return items
}

export function Prose({ blocks, list }: { blocks: readonly Block[]; list?: string | undefined }) {
  return blocks.map((block) => {
    if (block.kind === 'list') {
      return (
        <ul key={block.items.join()} className={list}>
          {block.items.map((item) => (
            <li key={item}>{inline(item)}</li>
          ))}
        </ul>
      )
    }
    if (block.kind === 'code') return <pre key={block.text}>{block.text}</pre>
    return <p key={block.text}>{inline(block.text)}</p>
  })
}

/** `code` in backticks, **words** that weigh between stars; everything else as it stands. */
function inline(text: string): ReactNode[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, i) => {
    // Every other part is one that was split at.
    if (i % 2 === 0) return unbroken(part)
    return part.startsWith('`') ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence never change their order
      <code key={i}>{part.slice(1, -1)}</code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <strong key={i}>{part.slice(2, -2)}</strong>
    )
  })
}
