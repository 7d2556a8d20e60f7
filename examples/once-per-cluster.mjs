// A cron job that runs once per cluster. Three processes wake up at the same moment, and one of them runs the job. It is
// not enough to be alone while the job runs: whoever comes a little later must see that it has been done. So every run
// is noted, and the lock makes "is it noted? if not, run it and note it" one step.
import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

const EVERY = 300
const TIMES = 4

if (membership === null) await watch()
else await wakeUpEveryTime()

async function wakeUpEveryTime() {
  const mesh = await join(membership)
  const { begin, notes } = await ask({ says: 'ready' })
  for (let time = 1; time <= TIMES; time += 1) {
    await pause(begin + time * EVERY - Date.now())
    await mesh.locks.request('cron:report', async () => {
      const note = path.join(notes, `report-${time}`)
      if (existsSync(note)) return ask({ says: 'finds it done', time })
      await ask({ says: 'runs the report', time })
      writeFileSync(note, membership.id)
    })
  }
  await ask({ says: 'has finished' })
}

/** The parent says when it begins, and tells what they do. The third time it kills the first that runs the job. */
async function watch() {
  const ids = ['a', 'b', 'c']
  const runs = []
  const counts = {}
  let begin = () => {}
  const begun = new Promise((resolve) => {
    begin = resolve
  })
  await runMembers(import.meta.url, ids, async (id, { says, time }, { processes, directory, end }) => {
    counts[says] = (counts[says] ?? 0) + 1
    if (says === 'ready') {
      if (counts.ready === ids.length) begin(Date.now())
      return { begin: await begun, notes: directory }
    }
    if (says === 'has finished') {
      if (counts[says] === ids.length - 1) end()
      return null
    }
    console.log(`time ${time}: ${id} ${says}`)
    if (says !== 'runs the report') return null
    runs.push(time)
    if (time !== 3 || runs.indexOf(3) !== runs.length - 1) return null
    console.log(`time ${time}: ${id} is killed in the middle of it`)
    processes[id].kill('SIGKILL')
    return new Promise(() => {})
  })
  console.log(
    `the report ran at the times ${runs.join(', ')}: the third time again, because it had not ended`,
  )
  if (runs.join() !== '1,2,3,3,4')
    throw new Error('it is to run once each time, and again if it was not finished')
}
