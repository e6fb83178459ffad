import { caseOf } from '../sweep/cases'
import { expect, keepsNobodyOut, openCase, sample, test } from './stage'

test('a user holds the run with the fix against the run without', async ({ page, request }) => {
  await openCase(page, sample('darshan_log/11-coll-subarray-cb-ds-disable'))
  const before = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  await page.getByRole('button', { name: 'Collective buffering not at work' }).click()
  await expect(page.getByText('export MPICH_MPIIO_STATS=1').last()).toBeVisible()

  await caseOf(request, sample('darshan_log/09-coll-subarray-cb-enable'))
  await page.getByRole('link', { name: 'compare with…' }).click()
  await expect(
    page.getByRole('heading', { level: 1, name: 'What was changed, and did it help?' }),
  ).toBeVisible()
  await page.getByLabel('Filter cases').fill('4127139')
  await page.getByRole('listitem').filter({ hasText: '4127139' }).first().getByRole('checkbox').check()

  await expect(
    page.getByRole('heading', { level: 1, name: /^B does its I\/O 23\.4 times faster/ }),
  ).toBeVisible()
  // Another journey may have given the same log meanwhile.
  await expect(page).toHaveURL(new RegExp(`cases=${before},[a-z0-9]{16}$`))
  await expect(page.getByRole('row', { name: /romio_cb_write disable enable/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Collective buffering not at work.*confirmed/ })).toBeVisible()
  await keepsNobodyOut(page)

  await page.reload()
  await expect(page.getByRole('heading', { level: 1, name: /23\.4 times faster/ })).toBeVisible()
  await page.setViewportSize({ width: 360, height: 740 })
  await expect
    .poll(() => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth))
    .toBeLessThanOrEqual(0)
})

test('the numbers moved on a case decide the comparison too, which says so and leads back', async ({
  page,
  request,
}) => {
  await caseOf(request, sample('darshan_log/09-coll-subarray-cb-enable'))
  const slow = await caseOf(request, sample('darshan_log/11-coll-subarray-cb-ds-disable'))
  await page.goto(`/cases/${slow}?set=collective-disabled.ranks:16`)
  await page.getByRole('link', { name: 'compare with…' }).click()
  await expect(page).toHaveURL(/set=collective-disabled\.ranks:16/)
  await page.getByLabel('Filter cases').fill('4127139')
  await page.getByRole('listitem').filter({ hasText: '4127139' }).first().getByRole('checkbox').check()

  const own = page.getByRole('region', { name: 'By whose numbers' })
  await expect(own).toContainText('1 threshold moved')
  await expect(page.getByRole('row', { name: /Many small accesses.*confirmed/ })).toBeVisible()
  await expect(page.getByRole('row', { name: /Collective buffering not at work/ })).toHaveCount(0)
  await keepsNobodyOut(page)

  await own.getByRole('link', { name: "Back to the documents' values" }).click()
  await expect(page.getByRole('row', { name: /Collective buffering not at work.*confirmed/ })).toBeVisible()
  await expect(own).toHaveCount(0)
  await expect(page).not.toHaveURL(/set=/)
})
