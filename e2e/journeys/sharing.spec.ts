import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext } from '@playwright/test'
import { type OwnServer, ownServer } from './ownServer'
import { diagnose, drawn, expect, fitsWindows, keepsNobodyOut, sample, test } from './stage'

const PORT = Number(process.env.E2E_PORT ?? 8211) + 7
const SERVER = `http://127.0.0.1:${PORT}`
const LOG = sample('darshan_log/06-shared-indep-1000b-unaligned')

/** What the proxy in front says of somebody, which here the browser says itself. */
const person = (browser: Browser, name: string, groups = ''): Promise<BrowserContext> =>
  browser.newContext({ extraHTTPHeaders: { 'X-Remote-User': name, 'X-Remote-Groups': groups } })

/** A server behind a proxy at 127.0.0.1; its data go with it. */
const proxied = (data: string): Promise<OwnServer> =>
  ownServer(PORT, {
    ...process.env,
    IOTRIAGE_DATA_DIR: data,
    IOTRIAGE_ACCESS: 'proxy',
    IOTRIAGE_IDENTITY_PROXIES: '127.0.0.1',
    IOTRIAGE_HELPDESK_GROUPS: 'support',
    IOTRIAGE_ALLOW_UNCONFINED: '1',
    IOTRIAGE_SAMPLES_DIR: data,
  })

test.describe('several people', () => {
  let data = ''
  let server: OwnServer | undefined

  test.beforeAll(async () => {
    data = mkdtempSync(join(tmpdir(), 'iotriage-sharing-'))
    server = await proxied(data)
  })
  test.afterAll(async () => {
    await server?.end()
    rmSync(data, { recursive: true, force: true })
  })

  test('see their own cases; a link shows one case signed out, and stops when it is revoked', async ({
    browser,
  }) => {
    const alice = await (await person(browser, 'alice')).newPage()
    await diagnose(alice, LOG, SERVER)
    const address = alice.url()
    await expect(alice.getByRole('link', { name: 'alice', exact: true })).toBeVisible()

    await test.step('another user has no such case, nor sees it in the list', async () => {
      const bob = await (await person(browser, 'bob')).newPage()
      const asked = bob.waitForResponse(/api\/v1\/cases\/[a-z0-9]+/)
      await bob.goto(address)
      expect((await asked).status()).toBe(404)
      await expect(bob.getByRole('heading', { name: 'There is no case at this address.' })).toBeVisible()
      const cases = await bob.request.get(`${SERVER}/api/v1/cases`)
      expect((await cases.json()).total).toBe(0)
    })

    await test.step('the helpdesk sees it', async () => {
      const helper = await (await person(browser, 'hilda', 'staff,support')).newPage()
      await helper.goto(address)
      await expect(helper.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
      await fitsWindows(helper, [390, 1280])
    })

    const guest = await (await browser.newContext()).newPage()
    await test.step('signed out, the address asks who one is', async () => {
      await guest.goto(address)
      await expect(
        guest.getByRole('heading', { name: 'This server does not know who you are.' }),
      ).toBeVisible()
      await keepsNobodyOut(guest)
    })

    await test.step('a link shows the case, and lets nothing be changed', async () => {
      await alice.getByRole('button', { name: 'Share', exact: true }).click()
      await alice.getByRole('button', { name: 'Make a link' }).click()
      const dialog = alice.getByRole('dialog', { name: 'Share this case' })
      const shown = dialog.getByText(`${SERVER}/shared/`)
      const link = (await shown.textContent()) ?? ''
      expect(link).toMatch(/\/shared\/[\w-]{22}$/)
      await keepsNobodyOut(alice, 'dialog[open]')
      await guest.goto(link)
      await expect(guest.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
      expect(guest.url()).toBe(address)
      await drawn(guest)
      await expect(guest.getByRole('button', { name: 'Share', exact: true })).toHaveCount(0)
      await expect(guest.getByRole('button', { name: 'Add a source' })).toHaveCount(0)
      await expect(guest.getByRole('link', { name: 'Triage', exact: true })).toHaveCount(0)
      await guest.getByRole('link', { name: 'Files' }).click()
      await expect(guest.getByRole('heading', { name: 'Files', exact: true })).toBeVisible()
    })

    await test.step('a link without names shows one page and opens nothing', async () => {
      await alice.getByRole('checkbox', { name: 'Without names' }).check()
      const made = alice.waitForResponse((answer) => answer.request().method() === 'POST')
      await alice.getByRole('button', { name: 'Make a link' }).click()
      const { url } = await (await made).json()
      await keepsNobodyOut(alice, 'dialog[open]')
      const stranger = await (await browser.newContext()).newPage()
      const asked: string[] = []
      stranger.on('request', (request) => asked.push(request.url()))
      await stranger.goto(url)
      await expect(stranger.getByRole('heading', { name: 'What is wrong, and how sure' })).toBeVisible()
      await keepsNobodyOut(stranger)
      await expect(stranger.getByText(/06-shared/)).toHaveCount(0)
      expect(asked.filter((one) => !one.startsWith('data:'))).toEqual([url])
      expect((await stranger.request.get(address.replace('/cases/', '/api/v1/cases/'))).status()).toBe(401)
      await alice
        .getByRole('button', { name: /^Revoke the link/ })
        .first()
        .click()
      await expect(alice.getByRole('button', { name: /^Revoke the link/ })).toHaveCount(1)
    })

    await test.step('revoked, it shows nothing any more', async () => {
      await alice.getByRole('button', { name: /^Revoke the link/ }).click()
      await expect(alice.getByText('No link shows this case.')).toBeVisible()
      await guest.goto(address)
      await expect(
        guest.getByRole('heading', { name: 'This server does not know who you are.' }),
      ).toBeVisible()
    })
  })
})
