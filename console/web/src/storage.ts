// What this browser remembers. Where it may remember nothing, everything works without.

export function stored(name: string): string | undefined {
  try {
    return localStorage.getItem("fermata." + name) ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(name: string, value: string | undefined): void {
  try {
    if (value === undefined || value === "") localStorage.removeItem("fermata." + name);
    else localStorage.setItem("fermata." + name, value);
  } catch {
    // private windows
  }
}

/** The names that begin with a prefix. */
export function storedNames(prefix: string): string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith("fermata." + prefix)).map((name) => name.slice("fermata.".length));
  } catch {
    return [];
  }
}
