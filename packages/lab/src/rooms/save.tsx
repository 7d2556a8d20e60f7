/** A button that saves a text as a file. */
export function Save(file: { name: string; type: string; text: () => string; label: string }) {
  const save = () => saveAs(file.name, new Blob([file.text()], { type: file.type }))
  return (
    <button type="button" onClick={save}>
      {file.label}
    </button>
  )
}

export function saveAs(name: string, contents: Blob): void {
  const address = URL.createObjectURL(contents)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
