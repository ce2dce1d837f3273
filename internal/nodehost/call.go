package nodehost

import "strings"

// The identity of a call within its task is its kind, the step that it was made inside of, its key and its occurrence
// (law N2): "step:charge#1"; and inside of that "step:" + "step:charge#1" + Inside + "fee#1".

// Inside separates the identity of a step from that of a call that is made inside of it.
const Inside = "\x1f"

// CallKind is the kind in a call's identity: "step" of "step:charge#1".
func CallKind(id string) Kind {
	kind, _, _ := strings.Cut(id, ":")
	return Kind(kind)
}

// CallScope is the step that a call was made inside of, "" for none. Of reasoning that was tried before it says which
// try it is, see [CallUntried].
func CallScope(id string) string {
	cut := strings.LastIndex(id, Inside)
	if cut < 0 {
		return ""
	}
	_, scope, _ := strings.Cut(id[:cut], ":")
	return scope
}

// CallInside reports whether a call was made inside of another one, however deep.
func CallInside(id, outer string) bool {
	for scope := CallScope(id); scope != ""; scope = CallScope(scope) {
		if scope == outer {
			return true
		}
	}
	return false
}

// CallUntried is a reasoning's identity without its try: "reason:plan#1" of "reason:plan#1~2". All tries have one
// outcome in the end. Other calls are as they are.
func CallUntried(id string) string {
	if cut := strings.LastIndexByte(id, '~'); cut > strings.LastIndexByte(id, '#') && CallKind(id) == KindReason {
		return id[:cut]
	}
	return id
}

// CallText is a call's identity as people read it: "step:step:charge#1/fee#1".
func CallText(id string) string { return strings.ReplaceAll(id, Inside, "/") }
