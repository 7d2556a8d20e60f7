/** A field for a small number. */
export function NumberField(field: {
  label: string
  value: string
  min?: number
  max: number
  onChange: (value: string) => void
}) {
  return (
    <label>
      {field.label}
      <input
        type="number"
        min={field.min ?? 1}
        max={field.max}
        value={field.value === '' ? '0' : field.value}
        onChange={(event) => field.onChange(event.target.value)}
      />
    </label>
  )
}
