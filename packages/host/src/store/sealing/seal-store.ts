import { createHmac, randomBytes } from 'node:crypto'
import type { Digest, Json } from '@rollcall/plugin'
import type { Blobs, Settings, Store, StreamId } from '../store.ts'
import { fromStoredJson, toStoredJson } from '../stored-json.ts'
import { enrolledRow, enrollKeys } from './enroll-keys.ts'
import { isSealed, type SealedPlace, seal, tampered, unseal } from './envelope.ts'
import type { KeyRing } from './key-ring.ts'
import { blobPlace, fromColumn, settingPlace, toColumn, workingPlace } from './sealed-columns.ts'
import { prefixSealing, sealingOf } from './sealing-table.ts'

const blobKeyRow = 'key/blob'
const blobKeyBytes = 32
const maxTries = 50
/** Looks at a head and its working copy until both are of one moment. */
const maxLooks = 5

/**
 * A store whose working copies, whole results and keys are sealed before they reach it. What lay there in clear is read,
 * and sealed when it is written again.
 *
 * @param ring without one the store is used as it is, unless it was sealed before
 * @throws {RollcallError} `KEY_UNKNOWN` where it was sealed by a key that is not in the ring: nothing is read or written.
 */
export async function sealStore(store: Store, ring?: KeyRing): Promise<Store> {
  await enrollKeys(store, ring)
  if (ring === undefined) return store
  const settings = sealSettings(store, ring)
  return {
    ...store,
    settings,
    blobs: sealBlobs(store, ring, settings),

    async append(stream, expectedLength, events, head, working) {
      if (working === undefined) return await store.append(stream, expectedLength, events, head)
      // Its version is the length that the stream has with it.
      const version = expectedLength + events.length
      const text = Number.isSafeInteger(version) && version >= 0 ? toStoredJson(working) : 'null'
      const sealed = seal(ring, workingPlace(stream), Math.max(0, Math.trunc(version) || 0), Buffer.from(text))
      return await store.append(stream, expectedLength, events, head, toColumn(sealed))
    },

    async working(stream) {
      for (let look = 1; ; look += 1) {
        const working = await store.working(stream)
        const sealed = fromColumn(working)
        if (sealed === undefined) return working
        const { plain, version } = unseal(ring, workingPlace(stream), sealed)
        const length = (await store.head(stream))?.length
        if (version === length) return fromStoredJson(plain.toString())
        // The stream went on in between, or somebody put an older copy back.
        if (look === maxLooks) throw tampered(workingPlace(stream))
      }
    },
  }
}

function sealSettings({ settings, rows }: Store, ring: KeyRing): Settings {
  const open = (key: string, text: string, version: number): Json => {
    const value = fromStoredJson(text)
    const sealed = fromColumn(value)
    if (sealed === undefined) return value
    const opened = unseal(ring, settingPlace(key), sealed)
    if (opened.version !== version) throw tampered(settingPlace(key))
    return fromStoredJson(opened.plain.toString())
  }
  const mayHoldSealed = (prefix: string) =>
    !prefix.includes('/') ||
    sealingOf(prefix) === 'sealed' ||
    prefixSealing[prefix.split('/', 1)[0] ?? ''] === undefined

  return {
    async get(key) {
      if (sealingOf(key) !== 'sealed') return await settings.get(key)
      const row = await rows.setting(key)
      return row === undefined || row.value === null
        ? undefined
        : { value: open(key, row.value, row.version), version: row.version }
    },

    async set(key, value, expected) {
      if (sealingOf(key) !== 'sealed' || value === null) return await settings.set(key, value, expected)
      const text = Buffer.from(toStoredJson(value))
      for (let attempt = 0; attempt < maxTries; attempt += 1) {
        const row = await rows.setting(key)
        const version = row?.version ?? 0
        if (expected !== undefined && expected !== (row === undefined || row.value === null ? 0 : version)) return false
        const sealed = toColumn(seal(ring, settingPlace(key), version + 1, text))
        if (await rows.swapSetting(key, toStoredJson(sealed), version)) return true
      }
      // Others write this very row all the time: then this is one of the writes that lost.
      return false
    },

    async list(prefix) {
      if (!mayHoldSealed(prefix)) return await settings.list(prefix)
      const found = await rows.settings(prefix)
      // Which keys there are is this room's own business.
      return found
        .filter(({ key }) => key !== enrolledRow)
        .map(({ key, value, version }) => [key, open(key, value, version)] as const)
    },
  }
}

function sealBlobs({ blobs }: Store, ring: KeyRing, settings: Settings): Blobs {
  let blobKey: Promise<Buffer> | undefined
  const keyed = async (bytes: Uint8Array): Promise<Digest> => {
    blobKey ??= readBlobKey(settings).catch((error: unknown) => {
      blobKey = undefined
      throw error
    })
    // Of short contents the plain digest could be guessed.
    return `sha256:${createHmac('sha256', await blobKey)
      .update(bytes)
      .digest('hex')}`
  }

  return {
    async put(bytes, type, owner, given) {
      const digest = given ?? (await keyed(bytes))
      return await blobs.put(seal(ring, blobPlace(digest, owner.principal), 1, bytes), type, owner, digest)
    },

    async get(digest, { principal }) {
      const bytes = await blobs.get(digest, { principal })
      if (bytes === undefined || !isSealed(bytes)) return bytes
      return new Uint8Array(unseal(ring, blobPlace(digest, principal), bytes).plain)
    },

    drop: (stream: StreamId) => blobs.drop(stream),
  }
}

async function readBlobKey(settings: Settings): Promise<Buffer> {
  await settings.set(blobKeyRow, randomBytes(blobKeyBytes).toString('base64'), 0)
  const value = (await settings.get(blobKeyRow))?.value
  const place: SealedPlace = settingPlace(blobKeyRow)
  if (typeof value !== 'string') throw tampered(place)
  const key = Buffer.from(value, 'base64')
  if (key.length !== blobKeyBytes) throw tampered(place)
  return key
}
