import { readFileSync } from 'node:fs'
import { expect, keepsNobodyOut, openCase, sample, test } from './stage'

const chart = (page: import('@playwright/test').Page, question: string) =>
  page.getByRole('figure', { name: question })

test('which rank is slowest? The chart says it, and the view of all ranks has every one', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/13-imbalanced-rank0'))
  const ranks = chart(page, 'Which ranks move the bytes, and which take the time?')
  await expect(ranks).toContainText(/Rank 0, the slowest of the job, takes .* in MPI-IO reads and writes/)

  await page.getByRole('link', { name: 'Ranks', exact: true }).click()
  await expect(page).toHaveURL(/\/ranks$/)
  await expect(
    page.getByText(/Rank 0, the slowest of the job, takes .* in MPI-IO reads and writes, .* times the mean/),
  ).toBeVisible()
  // It opens on what the leading finding is about, which are seconds.
  await page.getByLabel('Show').selectOption('bytes')
  const slider = page.getByRole('slider', { name: 'Bytes by rank' })
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', /^rank 0 on nid001040: 80\.0.MiB written/)
  await page.keyboard.press('ArrowRight')
  await expect(slider).toHaveAttribute('aria-valuetext', /^rank 1 on nid001040: 8\.00.MiB written/)
  await page.getByLabel('Show').selectOption('seconds in calls')
  await expect(page).toHaveURL(/of=time/)
  await keepsNobodyOut(page)
})

test('a case of one OST: who moves what, a chart to take away, and what more OSTs would do', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/lustre-ssf-one-stripe'))

  await test.step('the overview says who moves what, in words', async () => {
    const overview = page.getByRole('group', { name: 'All ranks share files, collectively' })
    await expect(overview).toContainText('256 ranks write plume.0064.dat in collective calls, through 1 rank')
    await expect(overview).toContainText('on 1 of 12 OSTs')
  })

  await test.step('a chart is saved as SVG that opens alone, and as PNG', async () => {
    const targets = chart(page, 'Which storage targets hold the files, and how much each?')
    const saved = async (kind: string) => {
      const download = page.waitForEvent('download')
      await targets.getByRole('button', { name: `Save the chart as ${kind}` }).click()
      return (await download).path()
    }
    const svg = readFileSync(await saved('SVG'), 'utf8')
    expect(svg).toContain('fill="rgb(')
    expect(svg).not.toMatch(/var\(|light-dark\(|class=/)
    const png = readFileSync(await saved('PNG'))
    expect(png.subarray(1, 4).toString()).toBe('PNG')
    expect(png.length).toBeGreaterThan(4000)
  })

  await test.step('which OST? The chart counts them and names the one that is used', async () => {
    const targets = chart(page, 'Which storage targets hold the files, and how much each?')
    await expect(targets).toContainText(/The files lie on 1 of 12\sOSTs: OST \d+ holds all/)
    await expect(targets).toContainText('Inferred: no source counts bytes by OST')

    // What would more of them do? By the keyboard, within bounds; the address has the choice, and a script tries it.
    const stripes = page.getByRole('slider', { name: /^stripes/ })
    await expect(stripes).toHaveAttribute('aria-valuetext', '12 stripes')
    await stripes.focus()
    await page.keyboard.press('ArrowLeft')
    await expect(page).toHaveURL(/[?&]whatif=stripe_count(,|%2C)g1(,|%2C)write(,|%2C)8/)
    await expect(page.getByRole('heading', { name: 'What if it had 8 stripes?' })).toBeVisible()
    await page.keyboard.press('Home')
    await expect(page.getByRole('heading', { name: 'What if it had 1 stripe, as it has?' })).toBeVisible()
    await page.keyboard.press('End')
    await page.reload()
    const asked = page.getByRole('region', { name: 'What if it had 12 stripes?' })
    await expect(asked).toContainText(
      /With 12 stripes it would take .+ to .+; writing plume\.0064\.dat takes/,
    )
    await asked.getByRole('button', { name: 'Prove it' }).press('Enter')
    await expect(asked).toContainText('lfs setstripe -c -1')
    await keepsNobodyOut(page)
  })
})

test('where does the read-modify-write come from? From the file that the layers name', async ({ page }) => {
  await openCase(page, sample('darshan_log/07-shared-strided-sieving'))
  const layers = chart(
    page,
    'Who moves the bytes, and where does the time go, between the call and the disk?',
  )
  await expect(layers).toContainText(/are read that no call asked for, .* read-modify-write, in cells\.dat\./)
  // The word explains itself to the keyboard too.
  await layers.getByRole('button', { name: 'read-modify-write' }).focus()
  await expect(page.getByRole('tooltip')).toContainText('read only so that they can be written back')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('tooltip')).toBeHidden()
})

test('the glossary has the terms, with who explains them at length', async ({ page }) => {
  await page.goto('/glossary')
  await expect(page.getByRole('term').filter({ hasText: /^aggregator$/ })).toBeVisible()
  await keepsNobodyOut(page)
})

test('which OST is the finding about? It lights up in the chart, and the chart marks the finding', async ({
  page,
}) => {
  await openCase(page, sample('darshan_log/lustre-fpp-slow-ost'))
  const list = page.getByRole('navigation', { name: 'Findings' })
  const finding = list.getByRole('link', { name: /slow-ost/ })
  const bars = chart(page, 'Which storage targets hold the files, and how much each?').locator('svg rect')
  // The OSTs whose bars, of bytes and of seconds, are shown, by their titles.
  const shown = () =>
    bars.evaluateAll((all) => [
      ...new Set(
        all
          .filter((bar) => bar.querySelector('title') && getComputedStyle(bar).opacity === '1')
          .map((bar) => bar.textContent?.match(/^OST \d+/)?.[0]),
      ),
    ])
  // Charts open on what leads; everything is one click away.
  await expect.poll(shown).toEqual(['OST 5'])
  await page.getByRole('button', { name: 'Show everything' }).press('Enter')
  await expect.poll(shown).toHaveLength(12)
  await expect(page).toHaveURL(/[?&]charts=all/)
  await page.reload()
  await expect.poll(shown).toHaveLength(12)

  // What is pressed stays, for whoever opens the address too.
  const name = page.getByRole('button', { name: 'OST 5, the slowest' })
  await name.press('Enter')
  await expect(page).toHaveURL(/[?&]mark=ost\.5/)
  await page.reload()
  await expect.poll(shown).toEqual(['OST 5'])
  await name.press('Enter')
  await expect(page).not.toHaveURL(/mark=/)
  await name.blur()
  await expect.poll(shown).toHaveLength(12)

  // By keyboard and by pointer alike, while the finding is pointed at.
  await finding.focus()
  await expect.poll(shown).toEqual(['OST 5'])
  await finding.blur()
  await expect.poll(shown).toHaveLength(12)
  await finding.hover()
  await expect.poll(shown).toEqual(['OST 5'])
  const background = () => finding.evaluate((link) => getComputedStyle(link).boxShadow)
  await page.getByRole('heading', { name: 'Charts', exact: true }).hover()
  await expect.poll(background).toBe('none')
  await bars
    .filter({ hasText: /^OST 5:/ })
    .first()
    .hover()
  await expect.poll(background).not.toBe('none')

  // Opened, it stays until everything is asked for; the address shows a colleague the same.
  await finding.click()
  await expect(page).toHaveURL(/[?&]open=slow-ost/)
  await expect(page).not.toHaveURL(/charts=all/)
  await page.reload()
  await expect.poll(shown).toEqual(['OST 5'])
  await keepsNobodyOut(page)
  await page.getByRole('button', { name: 'Show everything' }).press('Enter')
  await expect.poll(shown).toHaveLength(12)
})

test('marks, swatches and what is chosen are seen where a person chose the colours of the whole screen', async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await openCase(page, sample('darshan_log/lustre-ssf-one-stripe'))
  const grounds = (within: string) =>
    page.locator(within).evaluateAll((all) => all.map((one) => getComputedStyle(one).backgroundColor))
  const canvas = await page.evaluate(() => {
    const probe = document.createElement('div')
    probe.style.background = 'Canvas'
    document.body.append(probe)
    return getComputedStyle(probe).backgroundColor
  })
  await expect(page.getByRole('heading', { name: 'Charts', exact: true })).toBeVisible()
  const marks = await grounds('[class*="_high_"][class*="_mark_"], #charts ~ * i, [class*="_tick_"]')
  expect(marks.length).toBeGreaterThan(6)
  expect(marks).not.toContain(canvas)
  const seen = await page
    .getByRole('navigation', { name: 'Views of this case' })
    .getByRole('link')
    .evaluateAll(
      (all, canvas) => all.filter((one) => getComputedStyle(one).borderBottomColor !== canvas).length,
      canvas,
    )
  expect(seen).toBe(1)
  // Words have that person's colour, in whatever element they stand.
  await page.goto('/rules/small-io')
  const section = page.locator('li > i').first()
  await expect(section).toBeVisible()
  expect(await section.evaluate((one) => getComputedStyle(one).color)).toBe(
    await section.locator('..').evaluate((one) => getComputedStyle(one).color),
  )
})
