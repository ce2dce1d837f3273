import assert from "node:assert/strict";
import { test } from "node:test";
import { applyPatch } from "../dist/index.js";

// A patch that fits: what it is applied to, the patch, what comes of it.
const fits = {
  "add a member": [{ a: 1 }, [{ op: "add", path: "/b", value: 2 }], { a: 1, b: 2 }],
  "add replaces a member": [{ a: 1 }, [{ op: "add", path: "/a", value: [2] }], { a: [2] }],
  "add the whole": [undefined, [{ op: "add", path: "", value: "x" }], "x"],
  "add null": [{}, [{ op: "add", path: "/a", value: null }], { a: null }],
  "insert": [[1, 3], [{ op: "add", path: "/1", value: 2 }], [1, 2, 3]],
  "insert at the end": [[1], [{ op: "add", path: "/1", value: 2 }, { op: "add", path: "/-", value: 3 }], [1, 2, 3]],
  "insert a list": [[], [{ op: "add", path: "/-", value: [] }, { op: "add", path: "/0/-", value: 1 }], [[1]]],
  "remove a member": [{ a: 1, b: 2 }, [{ op: "remove", path: "/a" }], { b: 2 }],
  "remove an item": [[1, 2, 3], [{ op: "remove", path: "/1" }], [1, 3]],
  "remove the whole": [1, [{ op: "remove", path: "" }], undefined],
  "replace": [{ a: [1, 2] }, [{ op: "replace", path: "/a/1", value: 3 }], { a: [1, 3] }],
  "replace the whole": [{ a: 1 }, [{ op: "replace", path: "", value: [] }], []],
  "append": [{ a: ["x"] }, [{ op: "append", path: "/a/0", value: "yz" }], { a: ["xyz"] }],
  "append to the whole": ["x", [{ op: "append", path: "", value: "y" }], "xy"],
  "move": [{ a: 1, b: [] }, [{ op: "move", from: "/a", path: "/b/0" }], { b: [1] }],
  "move within a list": [[1, 2, 3], [{ op: "move", from: "/0", path: "/2" }], [2, 3, 1]],
  "move to itself": [{ a: 1 }, [{ op: "move", from: "/a", path: "/a" }], { a: 1 }],
  "copy": [{ a: { x: 1 } }, [{ op: "copy", from: "/a", path: "/b" }], { a: { x: 1 }, b: { x: 1 } }],
  "test": [{ a: [1, { b: null }] }, [{ op: "test", path: "/a", value: [1, { b: null }] }], { a: [1, { b: null }] }],
  "escapes": [{ "a/b": 1, "~": 2, "~1": 3, "": 4 }, [
    { op: "replace", path: "/a~1b", value: 5 }, { op: "remove", path: "/~0" }, { op: "remove", path: "/~01" }, { op: "replace", path: "/", value: 6 },
  ], { "a/b": 5, "": 6 }],
};

for (const [name, [value, patch, want]] of Object.entries(fits)) {
  test(name, () => {
    const before = structuredClone(value);
    assert.deepEqual(applyPatch(value, patch), want);
    assert.deepEqual(value, before, "what was given has changed");
  });
}

const misfits = {
  "nothing there": [{}, [{ op: "replace", path: "/a", value: 1 }], /"\/a": there is nothing/],
  "nothing to remove": [{ a: 1 }, [{ op: "remove", path: "/b" }], /nothing/],
  "no whole": [undefined, [{ op: "replace", path: "", value: 1 }], /nothing/],
  "no parent": [{}, [{ op: "add", path: "/a/b", value: 1 }], /no member "a"/],
  "a number has no members": [1, [{ op: "add", path: "/a", value: 1 }], /neither/],
  "behind the end": [[1], [{ op: "add", path: "/2", value: 1 }], /beyond/],
  "no index": [[1], [{ op: "add", path: "/01", value: 1 }], /"01" is no index/],
  "the end of a list is no item": [[1], [{ op: "remove", path: "/-" }], /no index/],
  "append to a number": [{ a: 1 }, [{ op: "append", path: "/a", value: "x" }], /expected a text/],
  "append a number": [{ a: "" }, [{ op: "append", path: "/a", value: 1 }], /expected a text/],
  "test fails": [{ a: 1 }, [{ op: "test", path: "/a", value: 2 }], /another value/],
  "move into itself": [{ a: {} }, [{ op: "move", from: "/a", path: "/a/b" }], /within/],
  "no path": [{ a: 1 }, [{ op: "remove", path: "a" }], /slash/],
  "unknown": [{ a: 1 }, [{ op: "increment", path: "/a" }], /unknown operation "increment"/],
  "a member of the prototype": [{}, [{ op: "append", path: "/constructor/name", value: "x" }], /no member "constructor"/],
};

for (const [name, [value, patch, want]] of Object.entries(misfits)) {
  test(`it does not fit: ${name}`, () => assert.throws(() => applyPatch(value, patch), want));
}

test("the prototype of objects is out of reach", () => {
  const value = applyPatch({}, [{ op: "add", path: "/__proto__", value: { polluted: true } }]);
  assert.equal({}.polluted, undefined);
  assert.equal(value.polluted, undefined);
  assert.deepEqual(Object.keys(value), ["__proto__"]);
  assert.throws(() => applyPatch({}, [{ op: "add", path: "/__proto__/polluted", value: true }]), /no member/);
});

test("what a patch does not touch is shared", () => {
  const value = { a: { x: [1] }, b: { y: [2] } };
  const changed = applyPatch(value, [{ op: "add", path: "/a/x/-", value: 3 }]);
  assert.equal(changed.b, value.b);
  assert.notEqual(changed.a, value.a);
});
