// A report that is made once for each fire time, though three processes fire. The one that makes the second is killed, and another makes it.
import { join } from 'turnwise'
import { ask, membership, pause, runMembers } from './support/members.mjs'

if (membership === null) await watch()
else await fireThreeTimes(membership)

async function fireThreeTimes({ directory, begin }) {
  const mesh = await join(`${directory}/locks`)
  for (const time of [1, 2, 3]) {
    const fireTime = begin + 400 * time
    await pause(fireTime - Date.now())
    const job = () => ask({ says: 'makes the report', time })
    const result = await mesh.once('report', fireTime, { at: 'least', skew: 100 }, job)
    if (!result.ran) await ask({ says: 'finds it made', time })
  }
}

async function watch() {
  const counts = [0, 0, 0, 0]
  const answer = (id, { says, time }, { processes, end }) => {
    counts[time] += 1
    console.log(`time ${time}: ${id} ${says}`)
    if (time === 2 && counts[2] === 1) processes[id].kill('SIGKILL')
    if (time === 3 && counts[3] === 2) end()
  }
  const begin = Date.now() + 800
  await runMembers(import.meta.url, ['a', 'b', 'c'], answer, (_, directory) => ({ directory, begin }))
}
