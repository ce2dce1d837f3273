package graph

// PoolKey says under which key a node is in its [Pool]. The pool's limits are those of each key, such as 4 tasks at once for
// each customer. The function only reads the state that the node is given. It may be called again, and returns at most 255
// bytes of text without control characters; another key fails the attempt.
func (b *Builder[S]) PoolKey(name string, key func(S) string) *Builder[S] {
	switch {
	case key == nil:
		b.problem("node %q: PoolKey has no function", name)
	case b.poolKeys[name] != nil:
		b.problem("node %q has two keys of its pool", name)
	default:
		b.poolKeys[name] = func(value any) (string, error) {
			return key(*value.(*S)), nil //nolint:forcetypeassert // the codec makes nothing else
		}
	}
	return b
}
