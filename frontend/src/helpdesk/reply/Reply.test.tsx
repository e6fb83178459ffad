import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { serve } from '../../test/router'
import { Reply } from './Reply'
import { fromHtml, fromMarkdown } from './safeMarkup'

const FINDINGS = [
  { key: 'small-io@g1', rule: 'small-io', title: 'Many small accesses', severity: 'high', note: 'cells.dat' },
  {
    key: 'sync-heavy',
    rule: 'sync-heavy',
    title: 'Flushed after each write',
    severity: 'medium',
    note: null,
  },
] as const

function compose() {
  const asked = serve({
    'GET /api/v1/reply-templates': [{ id: 'english', title: 'English', site: null }],
    'GET /api/v1/cases/abc/reply': (request) => {
      const query = new URL(request.url).searchParams
      const [form, findings] = [query.get('form'), query.get('findings') ?? '']
      const text = `${form} about ${findings}`
      return Response.json({ form, template: 'english', findings: findings.split(','), text })
    },
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <Reply
        caseId="abc"
        findings={FINDINGS}
        first={['small-io@g1']}
        by={{ set: { 'small-io.fraction': 0.2 } }}
      />
    </QueryClientProvider>,
  )
  return asked
}

const text = () => screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'Text of the reply' })

test('the server writes the reply of the findings ticked, for the numbers of the address', async () => {
  const asked = compose()
  expect((await text()).value).toBe('plain about small-io@g1')
  await userEvent.click(screen.getByRole('checkbox', { name: /Flushed after each write/ }))
  await waitFor(async () => expect((await text()).value).toBe('plain about small-io@g1,sync-heavy'))
  expect(asked.every((r) => !r.url.includes('/reply?') || r.url.includes('small-io.fraction'))).toBe(true)
})

test('on paper the text is words of the page, which go on on the next sheet', async () => {
  compose()
  await text()
  act(() => dispatchEvent(new Event('beforeprint')))
  expect(screen.getByText('plain about small-io@g1')).toBeVisible()
  expect(screen.queryByRole('textbox')).toBeNull()
  act(() => dispatchEvent(new Event('afterprint')))
  expect((await text()).value).toBe('plain about small-io@g1')
})

test('what a person changed is kept while they look at another form, and can be undone', async () => {
  compose()
  await userEvent.type(await text(), ' (hello)')
  await userEvent.click(screen.getByRole('radio', { name: 'Jira' }))
  await waitFor(async () => expect((await text()).value).toBe('jira about small-io@g1'))
  await userEvent.click(screen.getByRole('radio', { name: 'Text' }))
  expect((await text()).value).toBe('plain about small-io@g1 (hello)')
  await userEvent.click(screen.getByRole('button', { name: 'Undo my changes' }))
  expect((await text()).value).toBe('plain about small-io@g1')
})

test('what was copied is said until the text is another', async () => {
  const user = userEvent.setup()
  compose()
  await text()
  await user.click(screen.getByRole('button', { name: 'Copy reply' }))
  expect(await screen.findByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await navigator.clipboard.readText()).toBe('plain about small-io@g1')
  await user.type(await text(), '!')
  expect(screen.getByRole('button', { name: 'Copy reply' })).toBeVisible()
})

test('on a phone the text is told as it reads, and copied in its 72 columns', async () => {
  const user = userEvent.setup()
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }))
  compose()
  expect(await screen.findByText('markdown about small-io@g1')).toBeVisible()
  expect(screen.queryByRole('textbox')).toBeNull()
  await user.click(screen.getByRole('button', { name: 'Copy reply' }))
  expect(await navigator.clipboard.readText()).toBe('plain about small-io@g1')
  await user.click(screen.getByRole('button', { name: 'Change the text' }))
  expect((await text()).value).toBe('plain about small-io@g1')
  vi.unstubAllGlobals()
})

const shown = (fragment: DocumentFragment) => {
  const place = document.createElement('div')
  place.append(fragment)
  return place
}

test('what a stranger wrote loads nothing, runs nothing and looks like nothing of ours', () => {
  const hostile = [
    '<script>alert(1)</script><img src=x onerror=alert(1)><svg><script>alert(1)</script></svg>',
    '<a href="javascript:alert(1)">x</a> [y](javascript:alert(1)) ![z](https://elsewhere.example/z.png)',
    '<form action="https://elsewhere.example"><input name=q><button>Sign in</button></form>',
    '<p style="position:fixed;inset:0" class="notice" id="main">over all</p><iframe src="//elsewhere.example">',
  ].join('\n\n')
  for (const place of [shown(fromMarkdown(hostile)), shown(fromHtml(hostile))]) {
    expect(place.querySelector('script, img, iframe, form, input, button, [style], [class], [id]')).toBeNull()
    for (const element of place.querySelectorAll('*')) {
      expect([...element.attributes].filter(({ name }) => name.startsWith('on'))).toEqual([])
      expect(element.getAttribute('href') ?? '').not.toMatch(/^javascript/i)
    }
  }
})

test('a figure stays beside its unit where a line ends, but in what is pasted', () => {
  const place = shown(fromMarkdown('That takes **5.64 s** of 9 min 51 s.\n\n```\nsleep 5 s\n```'))
  expect(place.querySelector('p')?.textContent).toBe('That takes 5.64\u00a0s of 9\u00a0min\u00a051\u00a0s.')
  expect(place.querySelector('pre')?.textContent).toBe('sleep 5 s\n')
})

test('Markdown reads as it does in an issue tracker', () => {
  const place = shown(
    fromMarkdown('**stripe** it:\n\n```\nlfs setstripe -c -1 .\n```\n\n| a | b |\n|--|--|\n| 1 | 2 |'),
  )
  expect(place.querySelector('strong')?.textContent).toBe('stripe')
  expect(place.querySelector('pre')?.textContent).toBe('lfs setstripe -c -1 .\n')
  expect(place.querySelectorAll('td')).toHaveLength(2)
})
