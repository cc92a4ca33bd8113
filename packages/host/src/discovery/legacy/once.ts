/** A factory that runs at the first call only: what it gave or threw then is given or thrown at every call. */
export function once(factory: () => unknown): () => unknown {
  let made: Made | undefined
  return () => {
    made ??= attempt(factory)
    if (made.ok) return made.value
    throw made.error
  }
}

type Made = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly error: unknown }

function attempt(factory: () => unknown): Made {
  try {
    const value = factory()
    // Whoever asks gets the rejection; this only keeps it from being unhandled when nobody does.
    if (value instanceof Promise) value.catch(() => {})
    return { ok: true, value }
  } catch (error) {
    return { ok: false, error }
  }
}
