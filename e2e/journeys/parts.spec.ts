import { expect, sample, test } from './stage'

const LOG = sample('darshan_log/05-shared-indep-1m-aligned')
const STDERR = `+--------------------------------------------------------+
| MPIIO write access patterns for /scratch/proj01/run/shared-indep-1m-aligned/state.dat
|   independent writes      = 128
|   collective writes       = 0
|   independent writers     = 8
|   aggregators             = 1
|   stripe count            = 1
|   stripe size             = 1048576
|   system writes           = 128
|   stripe sized writes     = 128
|   total bytes for writes  = 134217728 = 128 MiB
|   ave system write size   = 1048576
|   read-modify-write count = 0
|   read-modify-write bytes = 0
|   number of write gaps    = 0
|   ave write gap size      = NA
+--------------------------------------------------------+
`
const SACCT = `JobID|Cluster|NNodes|Start|End|Elapsed
4127071|horizon|2|2026-11-20T19:08:50|2026-11-20T19:09:15|00:00:25
`
const text = (name: string, content: string) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

test('the parts of a job given one by one become one case, which can be taken apart', async ({ page }) => {
  const give = async (files: string[] | ReturnType<typeof text>) => {
    await page.goto('/')
    await page.getByLabel('Drop logs here').setInputFiles(files)
    await page.waitForURL(/\/cases\/[a-z0-9]+/)
    await expect(page.getByRole('heading', { level: 1 })).not.toContainText('Reading')
  }
  await give(text('slurm-4127071.err', STDERR))
  const whole = page.url()

  // The log leads on to the case of the stderr, once it is read.
  await give(LOG)
  await expect(page).toHaveURL(whole)
  await expect(page.getByText('Joined with 05-shared-indep-1m-aligned.darshan')).toBeVisible()

  await give(text('sacct.txt', SACCT))
  await expect(page).toHaveURL(whole)
  const joined = page.getByRole('status').filter({ hasText: 'Joined with sacct.txt' })
  await expect(joined).toContainText('because both are of job 4127071 on cluster horizon, which began at')
  await expect(page.getByText('New sources are being read')).toHaveCount(0)

  await joined.getByRole('button', { name: 'Take apart' }).click()
  await expect(page).not.toHaveURL(whole)
  await expect(page.getByText('one of them is to stay alone, as somebody said')).toBeVisible()
  await page.goto(whole)
  await expect(page.getByText('Joined with 05-shared-indep-1m-aligned.darshan')).toBeVisible()
  await expect(page.getByText('Joined with sacct.txt')).toHaveCount(0)
})

test('whose page it is can be seen while the script is on its way, and once in its bar', async ({ page }) => {
  let letGo = () => {}
  const held = new Promise<void>((go) => {
    letGo = go
  })
  await page.route('**/assets/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto('/rules', { waitUntil: 'commit' })
  await expect(page.getByText('IOtriage', { exact: true })).toBeVisible()
  expect(await page.locator('#root > *').count()).toBe(0)
  letGo()
  await expect(page.getByRole('heading', { name: 'Rules and their sources' })).toBeVisible()
  await expect(page.getByText('IOtriage', { exact: true }).filter({ visible: true })).toHaveCount(1)
})
