// A caller that waits for long is told who is inside, why, and its place in line.
import { join } from 'turnwise'

const mesh = await join()
const backup = await mesh.locks.acquire('disk', { info: 'backup' })
const scan = mesh.locks.request('disk', { info: 'scan' }, () => console.log('the scan is inside'))

const tell = ({ name, holders, ahead }) => {
  const [holder] = holders
  console.log(`"${name}": the ${holder.info} is inside, ${ahead} wait before me`)
  backup.release()
}

await mesh.locks.request('disk', { onWait: { after: 100, tell } }, () => console.log('inside at last'))
await scan
await mesh.leave()
