/**
 * The value with the patch applied; undefined stands for no value, which only an add at the path "" can change. What the
 * patch does not touch is shared with the value that was given, which stays as it is. A patch that does not fit throws,
 * and nothing of it is applied.
 */
export function applyPatch(value, patch) {
    let result = value;
    for (const operation of patch)
        result = apply(result, operation);
    return result;
}
function apply(value, o) {
    switch (o.op) {
        case "add":
            return change(value, o.path, () => o.value, true);
        case "remove":
            return change(value, o.path, () => undefined, false);
        case "replace":
            return change(value, o.path, () => o.value, false);
        case "append":
            return change(value, o.path, (old) => {
                if (typeof old !== "string" || typeof o.value !== "string")
                    throw misfit(o.path, "expected a text to append a text to");
                return old + o.value;
            }, false);
        case "copy":
            return change(value, o.path, () => find(value, o.from), true);
        case "move": {
            if (o.path === o.from)
                return value;
            if (o.path.startsWith(o.from + "/"))
                throw misfit(o.path, `it lies within ${o.from}, which is moved`);
            const moved = find(value, o.from);
            return change(change(value, o.from, () => undefined, false), o.path, () => moved, true);
        }
        case "test":
            if (!same(find(value, o.path), o.value))
                throw misfit(o.path, "it is another value than the patch expects");
            return value;
        default:
            throw misfit("", `unknown operation ${JSON.stringify(o.op)}`);
    }
}
function misfit(path, why) {
    return new Error(`the patch does not fit at ${JSON.stringify(path)}: ${why}`);
}
function tokens(path) {
    if (path === "")
        return [];
    if (!path.startsWith("/"))
        throw misfit(path, "a path begins with a slash");
    return path.slice(1).split("/").map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}
function find(value, path) {
    let at = value;
    for (const token of tokens(path))
        at = member(at, token, path);
    if (at === undefined)
        throw misfit(path, "there is nothing");
    return at;
}
/** A member of an object or a list; undefined where it has none. */
function member(value, token, path) {
    if (isList(value))
        return value[index(token, value.length - 1, path)];
    if (isObject(value))
        return Object.hasOwn(value, token) ? value[token] : undefined;
    throw misfit(path, `there is no member ${JSON.stringify(token)} in what is neither an object nor a list`);
}
function index(token, most, path) {
    if (!/^(0|[1-9][0-9]*)$/.test(token))
        throw misfit(path, `${JSON.stringify(token)} is no index`);
    if (Number(token) > most)
        throw misfit(path, `index ${token} is beyond the end of the list`);
    return Number(token);
}
/** The value with what is at the path changed; undefined removes it. Add means that it need not be there. */
function change(value, path, to, add) {
    return changeAt(value, tokens(path), 0, path, to, add);
}
function changeAt(value, way, depth, path, to, add) {
    if (depth === way.length) {
        if (value === undefined && !add)
            throw misfit(path, "there is nothing");
        return to(value);
    }
    const token = way[depth];
    const last = depth === way.length - 1;
    if (isList(value))
        return changeList(value, way, depth, path, to, add);
    if (!isObject(value))
        throw misfit(path, `there is no member ${JSON.stringify(token)} in what is neither an object nor a list`);
    const old = Object.hasOwn(value, token) ? value[token] : undefined;
    if (old === undefined && !last)
        throw misfit(path, `there is no member ${JSON.stringify(token)}`);
    const changed = changeAt(old, way, depth + 1, path, to, add);
    if (changed !== undefined)
        return { ...value, [token]: changed };
    const { [token]: _, ...rest } = value;
    return rest;
}
function changeList(value, way, depth, path, to, add) {
    const token = way[depth];
    if (add && depth === way.length - 1) {
        const at = token === "-" ? value.length : index(token, value.length, path);
        const item = to(undefined);
        return [...value.slice(0, at), ...(item === undefined ? [] : [item]), ...value.slice(at)];
    }
    const at = index(token, value.length - 1, path);
    const changed = changeAt(value[at], way, depth + 1, path, to, add);
    return changed === undefined ? value.toSpliced(at, 1) : value.with(at, changed);
}
function isList(value) {
    return Array.isArray(value);
}
function isObject(value) {
    return typeof value === "object" && value !== null && !Array.isArray(value);
}
function same(a, b) {
    if (a === b)
        return true;
    if (isList(a) && isList(b))
        return a.length === b.length && a.every((item, i) => same(item, b[i]));
    if (isObject(a) && isObject(b)) {
        const names = Object.keys(a);
        return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && same(a[name], b[name]));
    }
    return false;
}
