import { caseOf } from '../sweep/cases'
import {
  expect,
  fitsWindows,
  keepsNobodyOut,
  keepsNobodyOutInEitherTheme,
  open,
  openCase,
  openView,
  sample,
  test,
} from './stage'

test('a timeline says who is slowest and when, adds up what is selected, and finds what is named', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/13-imbalanced-rank0'))

  await test.step('the page says which rank is slowest and when the I/O was, in words', async () => {
    await expect(page.getByRole('figure', { name: 'Which ranks touched storage, and when?' })).toContainText(
      /rank 0 59\s% of them, in 4 bursts/,
    )
    await expect(page.getByRole('figure', { name: 'When in the run were the files in use?' })).toContainText(
      'In use: mesh.dat, written in one stretch.',
    )

    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    const view = page.getByRole('main')
    await expect(view).toContainText(/8 ranks made 544 POSIX calls between 0\.22\ss and 1\.81\ss/)
    await expect(view).toContainText(/Rank 0 is slowest: it spends/)
    await expect(view).toContainText('Every call is drawn, 544 of them')
    for (const layer of ['MPI-IO', 'POSIX'])
      await expect(page.getByRole('application', { name: `Ranks over time at ${layer}` })).toBeVisible()
  })

  await test.step('a selection says what its calls add up to, and calls are kept side by side', async () => {
    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    await page.getByLabel('Layer').selectOption('POSIX')
    await expect(page.getByText('Every call is drawn')).toBeVisible()
    const plane = page.getByRole('application')
    await plane.focus()
    await page.keyboard.press('s')
    const selection = page.getByRole('region', { name: 'Selection' })
    await expect(selection).toContainText(
      /544 POSIX calls of 8 ranks in \d files? move 136\sMiB, .+ while any of them runs/,
    )
    const figure = (name: string) =>
      selection
        .getByRole('row', { name: new RegExp(`^${name}`) })
        .getByRole('cell')
        .first()
    await expect(figure('write calls')).toHaveText('544')
    await expect(figure('90 % of calls within')).toHaveText(/s$/)

    const bounds = await plane.boundingBox()
    if (!bounds) throw new Error('The plane is not to be seen.')
    await page.mouse.move(bounds.x + 1, bounds.y + 1)
    await page.mouse.down()
    await page.mouse.move(bounds.x + bounds.width / 2, bounds.y + 40, { steps: 4 })
    await page.mouse.up()
    await expect(page).toHaveURL(/sel=\d.*rowsel=0\.\.1/)
    await expect(figure('ranks')).toHaveText('2')
    await page.reload()
    await expect(figure('ranks')).toHaveText('2')

    await selection.getByText('longest POSIX calls of it').click()
    const keep = selection.getByRole('button', { name: 'keep to compare' })
    await keep.nth(0).click()
    await keep.nth(1).click()
    const kept = page.getByRole('table', { name: 'Calls side by side' })
    await expect(kept.getByRole('columnheader', { name: /^Rank \d/ })).toHaveCount(2)
    await expect(page).toHaveURL(/pins=POSIX:\d/)
    await keepsNobodyOut(page)
    await selection.getByRole('button', { name: 'Look closer' }).click()
    await expect(page).toHaveURL(/[?&]t=0\.\d+\.\./)
    await selection.getByRole('button', { name: 'Clear selection' }).click()
    await expect(selection).toHaveCount(0)
  })

  await test.step('what somebody names is found: a rank, or that nothing is called so', async () => {
    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    const find = page.getByLabel('Find', { exact: true })
    await find.fill('ranks 2-3')
    await find.press('Enter')
    await expect(page).toHaveURL(/ranks=2\.\.3/)
    await find.fill('OST 77')
    await find.press('Enter')
    await expect(page.getByText('Nothing in this log is called “OST 77”.')).toBeVisible()
  })
})

test('a zoom is in the address: another person sees the same part', async ({ page }) => {
  await openView(page, sample('darshan_log/39-heat2d-legacy'), 'timeline')
  const plane = page.getByRole('application', { name: 'Ranks over time at POSIX' })
  await expect(page.getByText('Every write is drawn').first()).toBeVisible()
  await plane.focus()
  await page.keyboard.press('+')
  await page.keyboard.press('+')
  await page.keyboard.press('Shift+*')
  await page.getByLabel('Direction').selectOption('writes')
  await expect(page).toHaveURL(/t=\d+(\.\d+)?\.\.\d+(\.\d+)?/)
  await expect(page).toHaveURL(/ranks=2\.\.5/)
  await expect(page).toHaveURL(/op=write/)
  const address = page.url()

  await page.reload()
  await expect(page.getByText(/Every (call|write) is drawn/).first()).toBeVisible()
  await expect(page.getByLabel('Direction')).toHaveValue('write')
  await expect(page).toHaveURL(address)
  await page.getByRole('button', { name: 'Whole run' }).click()
  await expect(page).not.toHaveURL(/[?&]t=/)
})

test('call by call and phase by phase by the keyboard', async ({ page }) => {
  await openView(page, sample('darshan_log/08-shared-strided-collective'), 'timeline')

  await test.step('the keyboard goes from call to call and says each exactly', async () => {
    await page.getByLabel('Layer').selectOption('POSIX')
    await expect(page.getByText('Every call is drawn, 20 of them')).toBeVisible()
    await page.getByRole('application').focus()
    await page.keyboard.press('n')
    await expect(
      page.getByText(
        /^Rank \d+: POSIX write of .+ at offset [\d,]+ of .+, from \d\.\d{4} s for .+, .+MiB\/s\.$/,
      ),
    ).toBeVisible()
  })

  await test.step('a phase is a way to its time, and its straggler is named', async () => {
    await page.getByRole('link', { name: 'Timeline', exact: true }).click()
    await page.getByLabel('Layer').selectOption('MPI-IO')
    await expect(page.getByRole('main')).toContainText(
      'In 10 phases at least half of the ranks are inside MPI-IO calls',
    )
    await page.getByText(/^Phases in which the ranks are inside MPI-IO calls/).click()
    const table = page.getByRole('table', { name: 'Phases at MPI-IO' })
    await table.getByRole('button').first().click()
    await expect(page).toHaveURL(/t=0\.\d+\.\.0\.\d+/)
    await expect(page.getByText('Every call is drawn')).toBeVisible()
  })
})

test('which OST a call waits for: by colour, by choice, in words and in the address', async ({ page }) => {
  await openCase(page, sample('darshan_log/lustre-traced-slow-ost'))
  const chart = page.getByRole('figure', {
    name: 'Which storage targets hold the files, and how much each?',
  })
  await expect(chart).toContainText('Counted from the trace: each POSIX call, split where a stripe ends.')
  await expect(chart).toContainText(
    /OST 9 is slow: .+ a call on it alone moves 699\sKiB\/s, on the others 4\.00\sMiB\/s/,
  )

  await page.getByRole('link', { name: 'Timeline', exact: true }).click()
  const view = page.getByRole('main')
  await expect(view).toContainText(
    /Calls on OST 9 alone take most time, 19\smin\s12\ss; on the middle OST 3\smin\s12\ss\./,
  )
  await page.getByLabel('Colour by').selectOption('OST')
  await expect(page).toHaveURL(/colour=ost/)
  await expect(page.getByRole('list', { name: 'Colours' }).getByRole('listitem').first()).toHaveText('OST 9')
  await page.getByText('The OSTs that the POSIX calls lie on, 12').click()
  await page.getByRole('button', { name: 'OST 9', exact: true }).click()
  await expect(page).toHaveURL(/ost=9/)
  await expect(view).toContainText('Only calls with bytes on OST 9 are shown, whole.')
  await expect(view).toContainText('Every call is drawn, 768 of them')
  await keepsNobodyOut(page)

  await page.reload()
  await expect(page.getByLabel('OST', { exact: true })).toHaveValue('9')
  await expect(view).toContainText('Every call is drawn, 768 of them')
  await page.getByRole('application').focus()
  await page.keyboard.press('n')
  await expect(
    page.getByText(/^Rank \d+: POSIX write of 1\.00.MiB at offset .+, beginning on OST 9, from/),
  ).toBeVisible()
  await page.getByLabel('OST', { exact: true }).selectOption('all OSTs')
  await expect(page).not.toHaveURL(/[?&]ost=/)
  await expect(view).toContainText('Every call is drawn, 9,728 of them')
})

test('without a trace the bytes by rank stand in, and with neither the times of the files', async ({
  page,
}) => {
  await openView(page, sample('darshan_log/03-fpp-many-small-files'), 'timeline')
  await expect(page.getByText(/^At POSIX, in the whole run, 8 ranks move/)).toBeVisible()
  await page.getByText('Single calls were not traced').click()
  await expect(page.getByText('export DXT_ENABLE_IO_TRACE=1')).toBeVisible()
  await page.getByText('The busiest ranks and times in figures').click()
  await expect(page.getByRole('table', { name: 'Busiest ranks' }).getByRole('row')).toHaveCount(9)

  await openView(page, sample('darshan_log/31-nonmpi-cp'), 'timeline')
  await expect(page.getByRole('heading', { name: 'Which file was in use, and when?' })).toBeVisible()
  await expect(
    page.getByText('No read or write has a time; it is known when the files were open.'),
  ).toBeVisible()
  await page.getByText('The times in figures').click()
  await expect(page.getByRole('table', { name: 'When each file was in use' }).getByRole('row')).toHaveCount(3)
  await page.getByText('Which rank did I/O when was not recorded').click()
  await expect(page.getByText('export DXT_ENABLE_IO_TRACE=1')).toBeVisible()
  await keepsNobodyOutInEitherTheme(page)
  await fitsWindows(page, [390])
})

test('nothing on a timeline keeps anybody out, light or dark, on a desk or in a hand', async ({
  page,
  request,
}) => {
  const address = `/cases/${await caseOf(request, sample('darshan_log/13-imbalanced-rank0'))}`
  for (const show of ['calls', 'offsets', 'sizes', 'bytes']) {
    await open(page, `${address}/timeline?show=${show}`)
    await expect(page.getByText(/Every call is drawn|summed up to pixels|ranks move/).first()).toBeVisible()
    await keepsNobodyOutInEitherTheme(page)
    await fitsWindows(page, [390])
  }
})

test('on a phone, what keeps a trace from being read is said before its picture, as Tab goes', async ({
  browser,
  baseURL,
}) => {
  // A page of its own: what does not come is written to the console.
  const page = await browser.newPage({ ...(baseURL && { baseURL }) })
  await page.route(/\/sources\/\d+\/trace$/, (route) => route.abort())
  await page.setViewportSize({ width: 390, height: 844 })
  await openView(page, sample('darshan_log/13-imbalanced-rank0'), 'timeline')
  const again = page.getByRole('button', { name: 'Try again' }).first()
  const plane = page.getByRole('application').first()
  await expect(again).toBeVisible()
  await expect(plane).toBeVisible()
  const [said, drawn] = [await again.boundingBox(), await plane.boundingBox()]
  expect(said?.y).toBeLessThan(drawn?.y ?? 0)
  await page.close()
})
