import { z } from 'zod'

const DISK_READ = 'must be the path of a whole disk and MiB per second from 1 to 100000, as in /dev/sda:100'

/** A disk of the engine's host, and how fast each container may read from it. */
export const diskRead = z
  .string()
  .regex(/^\/dev\/[A-Za-z0-9/_.-]{1,100}:[1-9]\d{0,4}$/, { error: DISK_READ })
  .transform((text) => {
    const [device = '', mib] = text.split(':')
    return { device, bytesPerSecond: Number(mib) * 1024 * 1024 }
  })

/** Where an engine listens. */
export const engineAddress = z.string().regex(/^(unix:\/\/)?\/.+|^(tcp|https?):\/\/[^/]+\/?$/, {
  error: 'must be unix:///path, an absolute path, or tcp://host:port',
})

const USERS = 'must be "nobody", uid, uid:gid or first-last:gid, not root'

/** One user for all programs, or a range with one for each container. Root is refused: a program must own nothing in any image. */
export const users = z
  .string()
  .regex(/^(nobody|[1-9]\d{0,8}(-[1-9]\d{0,8})?(:[1-9]\d{0,8})?)$/, { error: USERS })
  .transform((text) => {
    const [ids = '', group] = text === 'nobody' ? ['65534'] : text.split(':')
    const [first = 0, last = first] = ids.split('-').map(Number)
    return { first, last, gid: group === undefined ? first : Number(group) }
  })
  .refine(({ first, last }) => first <= last && last - first < 65_536, { error: USERS })
