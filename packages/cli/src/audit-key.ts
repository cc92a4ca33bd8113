import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RollcallError } from '@rollcall/plugin'

/**
 * The key by which this installation vouches for its audit: made at first use, in a file that only its owner may read.
 * The public part lies beside it as `audit.pub`.
 *
 * @throws {RollcallError} `AUDIT_KEY_INVALID` for a file that holds no such key.
 */
export async function readAuditKey(stateFolder: string): Promise<KeyObject> {
  const file = join(stateFolder, 'audit.key')
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  try {
    // Of two processes that make one, the first wins.
    await writeFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }), { flag: 'wx', mode: 0o600 })
    await writeFile(join(stateFolder, 'audit.pub'), publicKey.export({ type: 'spki', format: 'pem' }), { mode: 0o644 })
    return privateKey
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unreadable(file, error)
  }
  try {
    await chmod(file, 0o600)
    const key = createPrivateKey(await readWhole(file))
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (error) {
    throw unreadable(file, error)
  }
  throw unreadable(file, undefined)
}

/** Another process may be writing it at this moment. */
async function readWhole(file: string): Promise<string> {
  for (let look = 0; look < 20; look++) {
    const text = await readFile(file, 'utf8')
    if (text.includes('-----END')) return text
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return await readFile(file, 'utf8')
}

function unreadable(file: string, cause: unknown): RollcallError {
  return new RollcallError('AUDIT_KEY_INVALID', `${file} holds no key for the audit, or can't be read.`, {
    hint: 'Restore it from a backup; without it new checkpoints have another key than those before. Or move it away.',
    ...(cause === undefined ? {} : { cause }),
  })
}
