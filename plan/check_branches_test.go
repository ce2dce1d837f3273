package plan_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/node"
	"github.com/fermata-go/fermata/plan"
)

// read makes a definition of a few lines: "a -> b, c" (plain), "a ? b, END" (a gate), "a ?? b, c" (a gate that chooses
// several), "a ! b" (failure), "a ~ b" (deadline), "j & all", "entry a, b". The first node is the entry otherwise.
func read(t testing.TB, text string) plan.Definition {
	t.Helper()
	def := plan.Definition{Name: "read", State: codec{}}
	at := func(name string) *plan.Node {
		i := slices.IndexFunc(def.Nodes, func(n plan.Node) bool { return n.Name == name })
		if i < 0 {
			i = len(def.Nodes)
			def.Nodes = append(def.Nodes, task(name))
		}
		return &def.Nodes[i]
	}
	kinds := map[string]plan.EdgeKind{"->": plan.Plain, "?": plan.Choice, "??": plan.Choice, "!": plan.Failure, "~": plan.Deadline}
	for l := range strings.SplitSeq(text, ";") {
		words := strings.Fields(strings.ReplaceAll(l, ",", " "))
		if words[0] == "entry" {
			def.Entry = words[1:]
			continue
		}
		from := at(words[0])
		switch words[1] {
		case "&":
			from.Join = plan.Join(words[2])
			continue
		case "?":
			from.Route = route
		case "??":
			from.RouteMany = several
		case "!":
			from.Catch = catch
		}
		for _, to := range words[2:] {
			if to == "END" {
				to = node.End
			} else {
				at(to)
			}
			def.Edges = append(def.Edges, plan.Edge{From: words[0], To: to, Kind: kinds[words[1]]})
		}
	}
	if def.Entry == nil {
		def.Entry = []string{def.Nodes[0].Name}
	}
	return def
}

// G3: where concurrent branches meet, the node says what happens; nowhere else it has to.
func TestG3_BranchesThatMeetMustSayHow(t *testing.T) {
	for _, tt := range []struct{ name, plan, ambiguous string }{
		{"a chain", "a -> b; b -> c", ""},
		{"a fork that is never joined", "a -> b, c; b -> d; c -> e", ""},
		{"a fork that meets", "a -> b, c; b -> d; c -> d", "d"},
		{"a fork that meets and says so", "a -> b, c; b -> d; c -> d; d & all", ""},
		{"each is said, too", "a -> b, c; b -> d; c -> d; d & each", ""},
		{"a way past a branch", "a -> b, c; b -> c", "c"},
		{"a gate is no fork", "a ? b, c; b -> d; c -> d", ""},
		{"a gate that chooses several is", "a ?? b, c; b -> d; c -> d", "d"},
		{"several entries", "entry a, b; a -> c; b -> c", "c"},
		{"an entry that another one leads to", "entry a, b; a -> b; b -> c", "b"},
		{"a gate within a branch", "a -> b, c; b ? x, y; x -> d; y -> d; d -> j; c -> j; j & all", ""},
		{"a gate whose ways are in different branches", "a -> b, c; b ? d, e; c -> e; d -> e; e -> f", "e"},
		{"forks behind a gate are exclusive", "g ? a, b; a -> x, y; b -> x, y", ""},
		{"and meet, each by itself, further down", "g ? a, b; a -> x, y; b -> x, y; x -> z; y -> z", "z"},
		{"what follows a join is one branch", "a -> b, c; b -> j; c -> j; j & all; j ? x, y; x -> z; y -> z", ""},
		{"forks one behind the other", "a -> b, c; b -> j; c -> j; j & all; j -> d, e; d -> k; e -> k; k & all; k ? x, y; x -> z; y -> z", ""},
		{"what follows Each is several branches still", "a -> b, c; b -> e; c -> e; e & each; e ? x, y; x -> z; y -> z", "z"},
		{"but not by one edge", "a -> b, c; b -> e; c -> e; e & each; e -> f; f -> g", ""},
		{"nested forks", "a -> b, c; b -> d, e; d -> j; e -> j; j & all; j -> k; c -> k", "k"},
		{"nested forks joined at once", "a -> b, c; b -> d, e; d -> k; e -> k; c -> k", "k"},
		{"a branch that goes past the join", "a -> b, c; b ? j, x; c -> j; j & all; j -> x", "x"},
		{"a failure edge into the other branch", "a -> b, c; b ! c; b -> END; c -> END", "c"},
		{"a failure edge and its own node's way", "a -> b; b ! c; b -> c", ""},
		{"a deadline edge into the other branch", "a -> b, c; b ~ c; b -> END; c -> END", "c"},
		{"a loop", "a -> b; b ? a, END", ""},
		{"a loop with a fork and a join", "f -> a, b; a -> j; b -> j; j & all; j ? f, END", ""},
		{"a gate within a branch of it", "f -> a, b; a ? x, y; x -> z; y -> z; z -> j; b -> j; j & all; j ? f, END", ""},
		{"exclusive forks within a branch of it", "f -> a, b; a ? k, g; k -> w; g -> m, n; m -> w; w -> j; n -> j; b -> j; j & all; j ? f, END", ""},
		{"back from the join to one branch", "f -> a, b; a -> j; b -> j; j & all; j ? a, END", ""},
		{"a branch that goes round while the other goes on", "f -> p, q; q ? f, END; p ? x, y; x -> w; y -> w", "p w"},
		{"though the round is joined", "f -> p, q; q -> j; j & all; j ? f, END; p ? x, y; x -> w; y -> w", "p w"},
		{"a task that each round begins, and that says so", "f -> p, q; q ? f, END; p & each; p -> END", ""},
		{"a node that forks to itself", "a -> n; n ?? n, c; c ! c; c -> END", "c"},
		{"a branch that comes back to the fork", "a -> f; f -> b, c; b ? f, END; c ? f, END", "f b c"},
		{"and is gathered there", "a -> f; f & all; f -> b, c; b ? f, END; c ? f, END", ""},
		{"a loop within a branch", "a -> b, c; b ? d, j; d -> b; c -> j; j & all", ""},
		{"the head of a loop gathers", "entry a, b; a -> h; b -> h; h & all; h ? x, END; x -> h", ""},
		{"the same node twice over edges of two kinds", "a -> b, c; b -> d; b ! d; c -> END", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plan.New(read(t, tt.plan))
			var found []string
			if bad, ok := errors.AsType[*plan.Error](err); ok {
				for _, p := range bad.Problems {
					if p.Code != plan.AmbiguousJoin {
						t.Fatalf("another problem: %v", p)
					}
					found = append(found, p.Node)
				}
			}
			if diff := cmp.Diff(tt.ambiguous, strings.Join(found, " ")); diff != "" {
				t.Errorf("where branches meet (-want +got):\n%s\n%v", diff, err)
			}
		})
	}
}
