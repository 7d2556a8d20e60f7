import { get } from '@turnwise/core/bounds'
import { type ComponentType, lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { type Room, type RoomProps, rooms } from './rooms/rooms.ts'
import { type Address, type Query, readAddress } from './shell/address.ts'
import { documentsAt } from './shell/documents.ts'
import { isEmbedded } from './shell/embedding.ts'
import { type KeyGroup, listenToKeys, useKeys } from './shell/key-bindings.ts'
import { KeysDialog } from './shell/keys-dialog.tsx'
import { RoomBoundary } from './shell/room-boundary.tsx'
import { useScheme } from './shell/scheme.ts'
import { useAddress } from './shell/use-address.ts'

const pages: ReadonlyMap<string, ComponentType<RoomProps>> = new Map(
  rooms.map(({ path, load }) => [path, lazy(load)]),
)

/** The bar, and below it the room that the address names. */
export function Shell() {
  const { address, go } = useAddress()
  const room = roomOf(address)
  const Page = pages.get(room.path)
  const inRoom = useMemo(
    () => (query: Query, how?: 'push' | 'replace') => {
      // Until the next room is loaded, this one is still there and may change the address. That must not lead back to it.
      if (roomOf(readAddress(window.location.hash)) === room) go({ room: room.path, query }, how)
    },
    [go, room],
  )
  useEffect(() => listenToKeys(window), [])
  useEffect(() => {
    document.title = `${room.title} · turnwise lab`
  }, [room])
  return (
    <>
      {isEmbedded ? <NoBar /> : <Bar room={room} />}
      <RoomBoundary key={room.path} room={room.title}>
        <Suspense fallback={<main aria-busy="true" />}>
          {Page !== undefined && <Page query={address.query} go={inRoom} />}
        </Suspense>
      </RoomBoundary>
    </>
  )
}

function roomOf({ room }: Address): Room {
  return rooms.find(({ path }) => path === room) ?? get(rooms, 0)
}

/** The colours are chosen there too. */
function NoBar() {
  useScheme()
  return null
}

/** On a phone the rooms are below a button, which has the name of the room. */
function RoomsButton({ room, isOpen, onToggle }: { room: Room; isOpen: boolean; onToggle: () => void }) {
  return (
    <button
      type="button"
      className="bar-rooms"
      aria-expanded={isOpen}
      aria-controls="rooms"
      onClick={onToggle}
    >
      {room.title} <span aria-hidden="true">▾</span>
    </button>
  )
}

function Bar({ room }: { room: Room }) {
  const { scheme, toggle } = useScheme()
  const [showsKeys, setShowsKeys] = useState(false)
  const keys = useMemo<KeyGroup>(
    () => ({
      title: 'Everywhere',
      keys: [{ keys: ['?'], does: 'show the keys', run: () => setShowsKeys(true) }],
    }),
    [],
  )
  useKeys(keys)
  const [showsRooms, setShowsRooms] = useState(false)
  useEffect(() => setShowsRooms(false), [room])
  return (
    <header
      className="bar"
      onKeyDown={({ key }) => {
        if (key === 'Escape') setShowsRooms(false)
      }}
    >
      <a className="bar-name" href="#/">
        <span aria-hidden="true">◆</span> turnwise
      </a>
      <RoomsButton room={room} isOpen={showsRooms} onToggle={() => setShowsRooms(!showsRooms)} />
      <nav id="rooms" aria-label="Rooms" data-open={showsRooms}>
        {rooms.map(({ path, title }) => (
          <a key={path} href={`#/${path}`} aria-current={path === room.path ? 'page' : undefined}>
            {title}
          </a>
        ))}
        {documentsAt('') !== null && <a href={documentsAt('') ?? ''}>Documents</a>}
      </nav>
      <div className="bar-end">
        <button
          type="button"
          onClick={toggle}
          aria-label={scheme === 'dark' ? 'Light colours' : 'Dark colours'}
        >
          <span aria-hidden="true">{scheme === 'dark' ? '☀' : '☾'}</span>
        </button>
        <button type="button" onClick={() => setShowsKeys(true)} aria-label="Keys">
          <span aria-hidden="true">?</span>
        </button>
      </div>
      <KeysDialog isOpen={showsKeys} onClose={() => setShowsKeys(false)} />
    </header>
  )
}
