import type { FocusEvent, KeyboardEvent } from 'react'

export type Choices = readonly (readonly [value: string, name: string])[]

export function Choice({
  id,
  value,
  known: choices,
  onChange,
}: {
  id: string
  value: string
  known: Choices
  onChange: (value: string) => void
}) {
  return (
    <select id={id} value={value} onChange={(event) => onChange(event.target.value)}>
      {!choices.some(([known]) => known === value) && <option value={value}>{value}</option>}
      {choices.map(([known, name]) => (
        <option key={known} value={known}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** Hears what was typed into a box when its reader leaves it or presses Enter. */
function whenDone(take: (text: string) => void) {
  return {
    onBlur: (event: FocusEvent<HTMLInputElement>) => take(event.target.value),
    onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => {
      if (event.key === 'Enter') take(event.currentTarget.value)
    },
  }
}

/** Takes what is typed when it is done: a half-written number is no wish. */
export function NumberBox({
  id,
  value,
  min,
  max,
  onChange,
}: {
  id: string
  value: number
  min: number
  max: number
  onChange: (value: number) => void
}) {
  const take = (text: string) => {
    const number = Math.round(Number(text))
    if (text !== '' && number >= min && number <= max && number !== value) onChange(number)
  }
  return (
    <input
      id={id}
      key={value}
      type="number"
      min={min}
      max={max}
      defaultValue={value}
      {...whenDone(take)}
      onChange={(event) => {
        // The arrows of the box change the value without leaving it.
        if (!(event.nativeEvent instanceof InputEvent)) take(event.target.value)
      }}
    />
  )
}

/** Takes a text when it is done. */
export function TextBox({
  id,
  value,
  size,
  onChange,
}: {
  id: string
  value: string
  size: number
  onChange: (value: string) => void
}) {
  const take = (text: string) => {
    if (text.trim() !== value) onChange(text.trim())
  }
  return <input id={id} key={value} defaultValue={value} size={size} {...whenDone(take)} />
}
