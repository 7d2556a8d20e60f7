import { useEffect, useState } from 'react'
import { type Opened, traceText } from '../../run/opened.ts'
import { writeAddress } from '../../shell/address.ts'
import { holdOpened, packTexts } from '../theatre/packed.ts'

/** A counterexample is short; a text could send anything. */
const MOST_EVENTS = 10_000
const MOST_NODES = 16

/**
 * The address of a run in the theatre. Its states are known to this page alone, since only the text can find them: a reader of the address sees
 * the events.
 */
export function useRunAddress(opened: Opened | null): string | null {
  const [address, setAddress] = useState<string | null>(null)
  useEffect(() => {
    setAddress(null)
    if (opened === null) return undefined
    const { played } = opened
    if (played.events.length > MOST_EVENTS || played.header.nodes > MOST_NODES) return undefined
    let isWanted = true
    void packTexts([traceText(played)]).then((word) => {
      if (!isWanted) return
      holdOpened(word, { ...opened, notes: [NOTE] })
      setAddress(writeAddress({ room: 'theatre', query: { trace: word } }))
    })
    return () => {
      isWanted = false
    }
  }, [opened])
  return address
}

const NOTE = 'This run is of a text that was written here, not of the algorithm in the list'
