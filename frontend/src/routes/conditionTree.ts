import { sum } from 'd3-array'
import type { ConditionView } from '../api/types'

type Leaf = Exclude<ConditionView, { of: readonly ConditionView[] }>

/** A condition as a person reads it. Of a leaf, `known`: it does not hold where its metric is absent. */
export type Tree =
  | { readonly kind: 'leaf'; readonly leaf: Leaf; readonly known: boolean }
  | { readonly kind: 'all_of' | 'any_of'; readonly of: readonly Tree[] }

/** The condition with everything left out that changes no answer for a reader: a junction within one of its kind, "it is in
 * the evidence" beside what is asked of the same metric, and an alternative that holds only where another one does. (That
 * one decides between "clear" and "unknown": where nothing was looked at, nothing is clear.) */
export function treeOf(condition: ConditionView): Tree {
  if (!('of' in condition)) return { kind: 'leaf', leaf: condition, known: false }
  const { kind } = condition
  // A junction that is left with one part is that part, which may be one of this kind.
  const parts = condition.of.map(treeOf).flatMap((part) => (part.kind === kind ? part.of : [part]))
  const needed = kind === 'all_of' ? withoutPresence(parts) : withoutImplied(parts)
  return needed.length === 1 && needed[0] ? needed[0] : { kind, of: needed }
}

function withoutPresence(parts: readonly Tree[]): readonly Tree[] {
  const metrics = (present: boolean) =>
    new Set(
      parts.flatMap((p) =>
        p.kind === 'leaf' && (p.leaf.kind === 'present') === present ? [p.leaf.metric] : [],
      ),
    )
  const [present, asked] = [metrics(true), metrics(false)]
  return parts
    .filter((p) => p.kind !== 'leaf' || p.leaf.kind !== 'present' || !asked.has(p.leaf.metric))
    .map((p) =>
      p.kind === 'leaf' && p.leaf.kind === 'compare' && present.has(p.leaf.metric)
        ? { ...p, known: true }
        : p,
    )
}

function withoutImplied(parts: readonly Tree[]): readonly Tree[] {
  const asks = parts.map(asked)
  return parts.filter(
    (_, i) => !asks.some((other, j) => i !== j && isWithin(other, asks[i] ?? new Set()) && other.size > 0),
  )
}

const isWithin = (few: ReadonlySet<string>, many: ReadonlySet<string>) =>
  few.size < many.size && [...few].every((one) => many.has(one))

/** What must all hold, so that of two the one that asks for less can be told. */
const asked = (node: Tree): ReadonlySet<string> =>
  new Set((node.kind === 'all_of' ? node.of : [node]).map(unguarded))

const unguarded = (node: Tree): string =>
  JSON.stringify(node.kind === 'leaf' ? node.leaf : { kind: node.kind, of: node.of.map(unguarded) })

/** How many comparisons a person has to read. */
export const leavesIn = (node: Tree): number => (node.kind === 'leaf' ? 1 : sum(node.of, leavesIn))

/** From so many comparisons an alternative among others is folded, under those that tell which one it is. */
const FOLDED_FROM = 6

/** The comparisons of an alternative that stand beside one another, and what else it asks; null where it is short, or
 * nothing tells which one it is. */
export function folded(
  node: Tree,
): { readonly names: readonly Tree[]; readonly rest: readonly Tree[] } | null {
  if (node.kind !== 'all_of' || leavesIn(node) < FOLDED_FROM) return null
  const names = node.of.filter((part) => part.kind === 'leaf')
  const rest = node.of.filter((part) => part.kind !== 'leaf')
  return names.length > 0 && rest.length > 0 ? { names, rest } : null
}
