import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, it, vi } from 'vitest'
import { serve } from '../../test/router'
import type { Note, Ticket } from '../queries'
import { Notes } from './Notes'

/** A server that takes what is uploaded: XMLHttpRequest is its boundary. */
class Uploaded {
  upload = {}
  onload: (() => void) | null = null
  status = 201
  responseText = '{}'
  open() {}
  setRequestHeader() {}
  send(file: File) {
    void file.text().then((text) => {
      sent.push(text)
      this.onload?.()
    })
  }
}
const sent: string[] = []

afterEach(() => vi.unstubAllGlobals())

const PRINTED = [
  'Hello,',
  'it is slow:',
  '| MPIIO write access patterns for out.dat',
  '|   system writes = 4',
  '|',
]

const note = (id: number, text: string): Note => ({
  ...{ id, text, author: 'ada', written_at: '2026-11-20T09:14:00Z', changed_at: null, version: 1 },
})

it('makes a run of what a mail has in its text', async () => {
  vi.stubGlobal('XMLHttpRequest', Uploaded)
  const ticket = { id: 1, cases: [], notes: [note(1, PRINTED.join('\n')), note(2, 'Thanks.')] }
  const asked: unknown[] = []
  serve({
    'POST /api/v1/cases': async (request) => {
      asked.push(await request.json())
      return Response.json({ id: 'made', status: 'reading' })
    },
    'POST /api/v1/tickets/1/cases': async (request) => {
      asked.push(await request.json())
      return Response.json(ticket)
    },
  })
  const onChanged = vi.fn()
  render(
    <QueryClientProvider client={new QueryClient()}>
      <Notes ticket={ticket as unknown as Ticket} onChanged={onChanged} />
    </QueryClientProvider>,
  )
  // What people write is none.
  await userEvent.click(screen.getByRole('button', { name: 'Read the note of ada as a log' }))
  await waitFor(() => expect(onChanged).toHaveBeenCalledOnce())
  expect(sent).toEqual([`${PRINTED.join('\n')}\n`])
  expect(asked[0]).toMatchObject({ sources: [{ name: 'pasted-text.txt' }] })
  expect(asked[1]).toEqual({ case: 'made', role: 'before' })
})
