// A protocol of your own, explored: two threads that look whether the other wants to go in, before they say that they do.
import { explore, plain } from '@turnwise/checker'

const initial = { at: ['rest', 'rest'], wants: [false, false] }

function* stepsOf({ at, wants }, saysFirst) {
  const step = (name, i, place, says) => ({
    name: `thread ${i} ${name}`,
    to: { at: at.with(i, place), wants: wants.with(i, says) },
  })
  for (const i of [0, 1]) {
    const [isResting, isFree] = [at[i] === 'rest', !wants[1 - i]]
    if (saysFirst && isResting && !wants[i]) yield step('says that it wants', i, 'rest', true)
    if (saysFirst && isResting && wants[i] && isFree) yield step('looks, and goes in', i, 'inside', true)
    if (!saysFirst && isResting && isFree) yield step('looks', i, 'looked', false)
    if (!saysFirst && at[i] === 'looked') yield step('says that it wants, and goes in', i, 'inside', true)
    if (at[i] === 'inside') yield step('leaves', i, 'rest', false)
  }
}

for (const saysFirst of [false, true]) {
  const model = plain({
    initial,
    steps: (state) => stepsOf(state, saysFirst),
    violation: ({ at }) => (at.every((place) => place === 'inside') ? 'both are inside' : null),
  })
  const { states, violation } = explore(model)
  console.log(`${saysFirst ? 'says, then looks' : 'looks, then says'}: ${states} states`)
  if (violation !== null) console.log([...violation.steps, violation.finding].join('\n'))
}
