package house

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// row says what a package may import of this module.
type row struct {
	pkg     string   // its folder, "." for the root; "x/..." is x and any folder below it
	may     []string // folders, or one of the words below
	because string
}

// Words for more than one folder.
const (
	anything = "anything"
	public   = "whatever users can import"
)

// table is who may import whom, from the ground floor up. What is not allowed here is not imported; a package without
// a row is a failure. Tests are where packages meet and may import what they need.
//
// docs/architecture.md shows the same table; go test ./internal/house -update writes it there.
var table = []row{
	{"internal/nearest", nil, "the nearest name to a misspelt one"},
	{"internal/goroutine", nil, "which goroutine this is"},
	{"internal/persistent", nil, "lists and maps whose versions share memory, whatever their elements are"},
	{"internal/loss", []string{"internal/nearest", "internal/persistent"}, "what a JSON value loses when a type reads and writes it, whatever it means"},
	{"internal/jsonfield", nil, "the members that encoding/json gives a struct"},
	{"internal/jsontext", nil, "strings and values as JSON writes them, whatever they mean: the one place that escapes text"},
	{"internal/canonical", []string{"internal/jsonfield", "internal/jsontext", "internal/persistent"}, "what JSON makes of a value, the same on every machine and in every store"},
	{"internal/identity", nil, "when two names are of one person, in all packages"},
	{"internal/label", nil, "which labels a run can have"},
	{"internal/printable", []string{"internal/fault"}, "what others wrote, so that it does not act where it is shown"},
	{"internal/fault", nil, "errors of users, kept where their methods do no harm; it knows no error of any package"},
	{"internal/originguard", nil, "whose pages may use a handler, whatever it serves"},
	{"internal/reply", nil, "answers of handlers in JSON, whatever they say"},
	{"internal/mailbox", []string{"internal/nodehost", "journal"}, "which call has taken which message, for readers of journals that have no machine"},
	{"definition", nil, "the problems of a file, whatever it defines"},
	{"patch", []string{"internal/canonical", "internal/jsontext"}, "changes of JSON values, whatever they mean"},
	{"schema", []string{"internal/canonical", "internal/jsonfield", "internal/jsontext", "internal/nearest", "internal/persistent", "internal/printable", "patch"}, "Go types, JSON Schemas and checked values: of use without any workflow"},
	{"journal", []string{"internal/identity", "internal/jsontext", "internal/label", "internal/nearest"}, "facts and what a store must do; it knows no plan and does no scheduling"},
	{"model", []string{"internal/nearest"}, "what a language model is asked and says: of use without any workflow"},
	{"model/scripted", []string{"model"}, "a model knows what models are, not who asks"},
	{"model/internal/remote", []string{"model"}, "the client of the services of all providers; it speaks no provider's protocol"},
	{"model/openai", []string{"model", "model/internal/remote"}, "a model knows what models are, not who asks; a provider knows no other"},
	{"model/anthropic", []string{"model", "model/internal/remote"}, "likewise"},
	{"model/modeltest", []string{"model"}, "the suite is for any provider, also those of others"},
	{
		"model/providers",
		[]string{"model", "model/anthropic", "model/openai"},
		"a choice among them by the environment; who chooses in Go imports the one",
	},
	{"internal/nodehost", []string{"internal/fault", "internal/printable", "model", "schema"}, "what the engine and node say to each other: the calls of a node, their identities, the host that answers them"},
	{"node", []string{"internal/canonical", "internal/fault", "internal/goroutine", "internal/label", "internal/loss", "internal/nearest", "internal/nodehost", "model", "patch", "schema"}, "what node code calls; engine and stores are behind the host of nodehost, providers behind model.Model"},
	{"node/postgres", []string{"internal/canonical", "internal/loss", "node"}, "steps in transactions of the user's database: who has none gets no driver, and the run may be in any store"},
	{"plan", []string{"node", "internal/nearest", "internal/printable"}, "the compiled form holds functions of nodes and never calls them"},
	{"internal/value", []string{"internal/canonical", "internal/jsonfield", "internal/jsontext", "internal/nearest", "internal/persistent", "journal", "plan"}, "codecs turn values into the deltas that journals hold"},
	{"state", []string{"internal/canonical", "internal/persistent", "internal/value"}, "types for fields that grow: their elements are finalized by the codecs; it knows no run"},
	{"internal/feed", []string{"journal"}, "one reader of a store's changes for all who follow them; whose runs they are is no concern of it"},
	{"internal/watch", []string{"journal"}, "one watch of a store for all who read it; whose readers they are is no concern of it"},
	{"internal/machine", []string{"internal/fault", "internal/label", "internal/nodehost", "journal", "node", "plan"}, "the fold: plan and entries in, work out, and nothing with I/O (J1)"},
	{"internal/replay", []string{"internal/machine", "journal", "plan"}, "a run read from its journal or a checkpoint: the machine and its values; who drives it, and where it is kept, is no concern of it"},
	{"internal/runtype", []string{"internal/canonical", "internal/fault", "internal/label", "internal/machine", "internal/nodehost", "internal/printable", "journal", "node", "plan"}, "the words that users and all rooms of the engine share; of the machine it takes names alone"},
	{"internal/guard", []string{"internal/fault", "internal/runtype", "node", "plan"}, "calls of users' code that may panic or end its goroutine (law N7)"},
	{
		"internal/storage",
		[]string{"internal/canonical", "internal/guard", "internal/machine", "internal/nodehost", "internal/printable", "internal/runtype", "journal", "journal/memory", "node", "plan"},
		"a store with its clock, its log and its observer; it knows no run. Of stores it knows one, the default: memory",
	},
	{"internal/stream", []string{"internal/nodehost", "internal/runtype", "journal"}, "live events to readers; it knows who shows them as a Source alone"},
	{"internal/place", []string{"journal"}, "who has the places of a pool that processes share: a function over a value, with no store and no clock"},
	{"internal/policy", []string{"internal/nearest", "internal/place", "internal/runtype", "journal", "plan"}, "pools and caches; it calls no node"},
	{
		"internal/question",
		[]string{"internal/canonical", "internal/guard", "internal/identity", "internal/nodehost", "internal/runtype", "journal", "schema"},
		"who may do what about a question, and in which form answers are stored; it knows no store and no run",
	},
	{
		"internal/runstate",
		[]string{"internal/canonical", "internal/fault", "internal/guard", "internal/label", "internal/loss", "internal/machine", "internal/mailbox", "internal/nearest", "internal/nodehost", "internal/question", "internal/replay", "internal/runtype", "internal/storage", "internal/value", "journal", "plan"},
		"a run as its journal says it is: the fold, its values, its rows, and whether a plan fits it; it executes nothing",
	},
	{
		"internal/executor",
		[]string{"internal/canonical", "internal/fault", "internal/goroutine", "internal/guard", "internal/label", "internal/loss", "internal/machine", "internal/nearest", "internal/nodehost", "internal/policy", "internal/printable", "internal/question", "internal/runstate", "internal/runtype", "internal/storage", "internal/stream", "internal/value", "internal/watch", "journal", "model", "node", "plan", "schema"},
		"does the machine's work for one run; it knows no other run, and leases as an interface",
	},
	{
		"internal/inbox",
		[]string{"internal/canonical", "internal/machine", "internal/printable", "internal/question", "internal/runtype", "internal/storage", "journal", "node"},
		"answers of people, and messages; it knows no execution, and wakes runs by an interface",
	},
	{
		"internal/history",
		[]string{"internal/canonical", "internal/guard", "internal/label", "internal/machine", "internal/nearest", "internal/nodehost", "internal/printable", "internal/question", "internal/runstate", "internal/runtype", "internal/storage", "journal", "node", "plan"},
		"reads, copies and deletes journals; it knows no execution",
	},
	{
		"internal/fleet",
		[]string{"internal/executor", "internal/feed", "internal/guard", "internal/machine", "internal/place", "internal/policy", "internal/printable", "internal/question", "internal/replay", "internal/runstate", "internal/runtype", "internal/storage", "internal/stream", "internal/watch", "journal", "journal/memory", "plan"},
		"the executions of a process, their leases, timers and workers",
	},
	{
		".",
		[]string{"internal/executor", "internal/fleet", "internal/history", "internal/inbox", "internal/policy", "internal/question", "internal/runtype", "journal", "plan"},
		"the door: it puts the rooms of the engine together. Authors and faces are above it",
	},
	{"internal/taken", []string{"journal", "node", "plan"}, "the path of a run for drawings: it is given entries and a plan, and knows neither stores nor who draws"},
	{"journal/storekind", []string{"journal", "internal/nearest"}, "what a kind of store is, for stores and for those who open them by address; it knows none"},
	{"journal/memory", []string{"journal", "journal/storekind"}, "a store knows what it stores, not who runs"},
	{"journal/block", []string{"journal"}, "a packed form of entries for any store; who needs none does not get the compressor"},
	{"journal/internal/search", []string{"journal"}, "the statements by which stores that speak SQL find runs and interrupts, whatever the dialect"},
	{"journal/sqlite/...", []string{"journal", "journal/block", "journal/internal/search", "journal/sqlite", "journal/storekind"}, "likewise; sqlitetest makes its files fail"},
	{"journal/internal/interrupt", []string{"journal"}, "the form in which stores on servers keep interrupts, whatever the server"},
	{"journal/crypt", []string{"journal", "journal/internal/interrupt"}, "seals what any store keeps; it knows none, and finds no key"},
	{"journal/postgres", []string{"journal", "journal/block", "journal/internal/interrupt", "journal/internal/search", "journal/storekind"}, "likewise"},
	{"journal/redis/internal/resp", nil, "a client of a server, with no word of what is kept there"},
	{"journal/redis", []string{"journal", "journal/internal/interrupt", "journal/redis/internal/resp", "journal/storekind"}, "likewise; a server that several machines share"},
	{
		"journal/stores",
		[]string{"journal/memory", "journal/postgres", "journal/redis", "journal/sqlite", "journal/storekind"},
		"the list of them; who opens one kind imports that one, and gets no other driver",
	},
	{"journal/journaltest", []string{"journal"}, "the suite is for any store, also those of others"},
	{
		"graph",
		[]string{".", "internal/canonical", "internal/loss", "internal/nearest", "internal/value", "node", "plan", "schema"},
		"an author makes plans and hands them to the runtime; it knows no store and no other author",
	},
	{
		"dataflow",
		[]string{".", "internal/canonical", "internal/loss", "internal/fault", "internal/jsonfield", "internal/nearest", "internal/value", "node", "plan", "schema"},
		"likewise; what its nodes read and write are fields of structs, named as encoding/json names them",
	},
	{
		"internal/document",
		[]string{"definition", "internal/jsontext", "internal/nearest", "schema"},
		"files of definitions with the places of what is in them; it knows no key of any",
	},
	{
		"internal/expression",
		[]string{"definition", "internal/document", "internal/nearest", "internal/nodehost"},
		"the language of definitions; of documents it takes the words of messages, and of nodes what a failure is",
	},
	{
		"dialogue",
		[]string{
			".", "definition", "dialogue/internal/phrase", "dialogue/internal/rank", "internal/canonical", "internal/document", "internal/expression", "internal/fault", "internal/label", "internal/nearest", "internal/nodehost", "internal/value", "journal", "model", "node", "plan", "schema",
		},
		"likewise; its conversations are runs, and what is said in them are entries",
	},
	{
		"recipe",
		[]string{
			".", "definition", "internal/document", "internal/expression", "internal/fault", "internal/identity", "internal/label", "internal/mailbox", "internal/nearest", "internal/nodehost", "internal/value", "journal", "mcp", "model", "model/scripted", "node", "plan", "schedule", "schema",
		},
		"likewise; its traces are made from entries, its agents call tools of MCP servers, and its scripts are models. It knows no provider",
	},
	{"dialogue/internal/corpora", []string{"dialogue", "dialogue/internal/phrase"}, "measures dialogues on public test data; nothing but its tests uses it"},
	{"dialogue/internal/rank", nil, "which class a text is nearest to, in any language: it knows no flow and no dialogue"},
	{"dialogue/internal/phrase", nil, "what people say and are told, by language: it knows no flow, no run and no model"},
	{
		"fermatatest",
		[]string{".", "internal/canonical", "internal/fault", "internal/jsontext", "internal/nodehost", "internal/runtype", "journal", "journal/memory", "model", "model/scripted", "node", "plan", "schema"},
		"tests of users' plans, by any author package; no face",
	},
	{"dialogue/web", []string{".", "dialogue", "internal/fault", "internal/originguard", "internal/printable", "internal/reply"}, "a face of conversations: who speaks through something else gets no HTTP"},
	{
		"dialogue/dialoguetest",
		[]string{".", "dialogue", "fermatatest", "internal/definitiontest", "journal", "model", "model/scripted", "node"},
		"runs the transcripts of dialogues with the tools of fermatatest; who only holds conversations does not get them",
	},
	{
		"recipe/recipetest",
		[]string{".", "fermatatest", "internal/definitiontest", "journal", "mcp", "model", "node", "plan", "recipe"},
		"runs the tests of recipes with the tools of fermatatest, and what they call live with models and servers; who only runs recipes gets neither",
	},
	{"mcp", []string{"internal/fault", "internal/nearest", "model", "node", "schema"}, "tools of servers, as nodes know tools; who does not ask for them does not get the protocol"},
	{
		"telemetry",
		[]string{".", "internal/mailbox", "internal/nodehost", "internal/printable", "journal", "node"},
		"a face: spans and measurements are made from entries; the runtime knows it as an Observer and nothing of OpenTelemetry",
	},
	{"telemetry/scrape", nil, "keeps measurements and serves them; it knows OpenTelemetry's instruments and nothing of runs"},
	{"settings", []string{"internal/printable", "journal"}, "documents beside the runs of any store; it knows no run, and nothing of the documents"},
	{"internal/audit", []string{"journal", "settings"}, "who has done what, read from entries and settings: it drives nothing and stores nothing"},
	{"identity", []string{"internal/nearest", "internal/printable", "settings"}, "who may do what, for faces that ask; it knows no route, and of stores no more than settings do"},
	{"identity/oidc", []string{"identity", "internal/printable", "internal/reply"}, "logins at an issuer: who logs in with tokens alone does not get the protocol"},
	{"internal/fakeissuer", nil, "an issuer for tests: it knows nobody whom it logs in"},
	{
		"server",
		[]string{".", "identity", "internal/fault", "internal/identity", "internal/nearest", "internal/nodehost", "internal/originguard", "internal/printable", "internal/reply", "journal", "node", "schema"},
		"a face: it is given a runtime, and knows neither authors nor stores",
	},
	{
		"api",
		[]string{".", "identity", "internal/audit", "internal/fault", "internal/nearest", "internal/originguard", "internal/printable", "internal/reply", "internal/runtype", "internal/taken", "journal", "node", "plan", "schema", "server"},
		"a face: server with plans of which it starts runs; whose they are, and what executes them, is the program's affair",
	},
	{"console", nil, "a face that is only files: the page reads and changes runs over the routes of api, and nothing of a run is in this process's hands"},
	{"channels", []string{".", "dialogue", "journal"}, "a module of its own, whose mailboxes are journals beside those of conversations; it uses what users can, and knows no provider"},
	{
		"channels/channeltest",
		[]string{".", "channels", "dialogue", "journal", "journal/memory", "journal/sqlite", "node"},
		"the suite is for any channel, also those of others",
	},
	{"channels/webwidget", []string{"dialogue", "dialogue/web"}, "a chat in the pages of others: no provider is between, so no mailbox is either"},
	{"channels/...", []string{"channels"}, "a provider knows what channels are, and no other provider"},
	{"schedule", []string{".", "internal/runtype", "journal", "settings"}, "starts runs at given times, as a program of a user's could, and keeps who paused what; who has no schedules gets no parser of rules"},
	{"vet", nil, "it reads the code of nodes and knows the packages that they call by name alone: who runs nodes gets none of it"},
	{"cmd/...", []string{anything}, "flags and wiring: where everything meets"},
	{"docs/guide", nil, "the code of the guides, in tests"},
	{"examples/...", []string{public}, "an example can do what a user can"},
	{"bench/internal/workload", nil, "what is measured, in plain Go: other engines are given the same"},
	{"bench/internal/contest", nil, "it measures any functions"},
	{"bench/table", []string{"bench/internal/contest"}, "a table of what was measured"},
	{"bench/against", []string{"bench/internal/contest"}, "it builds the benchmarks of two revisions and runs them: it looks at the tree from outside"},
	{"bench", []string{anything}, "it measures all rooms"},
	{
		"bench/steps",
		[]string{"fermata", "graph", "journal", "journal/memory", "journal/postgres", "journal/sqlite", "node", "internal/testserver"},
		"it is compiled with older revisions too: it uses what users have had from the beginning",
	},
	{
		"internal/definitiontest",
		[]string{"definition", "internal/document", "schema"},
		"what tests of loaders ask of published schemas, and how tests that definitions hold are run, whatever is defined",
	},
	{"internal/lawtest", nil, "what tests of several rooms need to keep the laws; it imports none of them"},
	{"internal/programs", nil, "programs that tests start: it asks the go command, and imports none of them"},
	{"internal/golden", nil, "what tests of all rooms compare their results with; it imports none of them"},
	{"internal/testserver", nil, "servers for tests, and places there: what is kept in them is the tests' affair"},
	{
		"internal/teststore",
		[]string{"internal/testserver", "journal", "journal/memory", "journal/postgres", "journal/redis"},
		"stores on servers for tests: who needs only their addresses gets no driver",
	},
	{"internal/house", nil, "it looks at the tree from outside"},
	{"internal/flaky", nil, "it runs tests and counts: it looks at the tree from outside"},
	{"internal/lines", nil, "it counts lines: it looks at the tree from outside"},
	{"internal/weight", nil, "it builds the command and looks at it from outside"},
	{"internal/mutants", nil, "it breaks files and runs tests: it looks at the tree from outside"},
	{
		"internal/chaos",
		[]string{".", "graph", "journal", "journal/storekind", "journal/stores", "node", "plan"},
		"a program like a user's, with every store that outlives its process",
	},
}

func (r row) matches(dir string) bool {
	if prefix, ok := strings.CutSuffix(r.pkg, "..."); ok {
		return strings.HasPrefix(dir+"/", prefix)
	}
	return r.pkg == dir
}

func (r row) allows(dir string) bool {
	for _, may := range r.may {
		switch {
		case may == anything, may == dir:
			return true
		case may == public && !strings.HasPrefix(dir, "internal/") && !strings.HasPrefix(dir, "cmd/"):
			return true
		}
	}
	return false
}

func rowOf(dir string) (row, bool) {
	i := slices.IndexFunc(table, func(r row) bool { return r.matches(dir) })
	if i < 0 {
		return row{}, false
	}
	return table[i], true
}

// Every package has its row, imports what the row allows, and every row has its package.
func TestImports(t *testing.T) {
	w := readTree(t)
	packages := w.packages()
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		r, ok := rowOf(dir)
		if !ok {
			t.Errorf("package %s has no row in the table of internal/house/imports_test.go: "+
				"say there what it may import of this module, and why", dir)
			continue
		}
		for _, f := range packages[dir] {
			for _, imported := range f.imports() {
				to, ok := sibling(imported.what)
				if ok && !r.allows(to) {
					t.Errorf("%s: package %s may not import %s; it may import %s, because: %s",
						w.at(imported.pos), dir, to, r.list(), r.because)
				}
			}
		}
	}
	for _, r := range table {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(packages)), r.matches) {
			t.Errorf("the table of imports has a row for %s, and there is no such package", r.pkg)
		}
	}
}

func (r row) list() string {
	if len(r.may) == 0 {
		return "nothing of this module"
	}
	return strings.Join(r.may, ", ")
}

// outside is who may import which module of others, and unsafe. Whoever imports graph gets no database driver with it.
var outside = []struct {
	module  string
	in      []string // folders, or a folder and all below it: "cmd/..."
	because string
}{
	{
		"unsafe",
		[]string{"internal/value", "internal/persistent", "state", "journal/sqlite/sqlitetest"},
		"reading the fields of typed values without reflection; elements of any type in one kind of tree; making a database's files fail",
	},
	{"golang.org/x", []string{"..."}, "the Go project's own"},
	{"github.com/google/uuid", []string{"internal/storage"}, "ids of runs and interrupts"},
	{"github.com/google/jsonschema-go", []string{"schema"}, "schemas of Go types"},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"schema"}, "checking values"},
	{"github.com/modelcontextprotocol/go-sdk", []string{"mcp", "examples/recipes/mcp-lookup/server"}, "the protocol of MCP servers; a server to call"},
	{"modernc.org", []string{"journal/sqlite/...", "bench"}, "the driver, and the floor that bench measures against"},
	{"github.com/jackc/pgx/v5", []string{"journal/postgres", "node/postgres", "internal/testserver"}, "the driver: who stores elsewhere gets none of it. Tests find their server with it"},
	{"github.com/klauspost/compress", []string{"journal/block"}, "packing what is stored"},
	{"github.com/fsnotify/fsnotify", []string{"journal/sqlite", "cmd/fermata/internal/watch"}, "noticing what other processes and editors write"},
	{"github.com/redis/go-redis/v9", []string{"internal/testserver"}, "tests find their server with it, and look at what journal/redis writes"},
	{"github.com/alicebob/miniredis/v2", nil, "servers for tests of journal/redis alone"},
	{"go.yaml.in/yaml/v4", []string{"internal/document", "recipe", "dialogue", "dialogue/dialoguetest", "cmd/..."}, "definitions, and values on the command line"},
	{"github.com/expr-lang/expr", []string{"internal/expression"}, "conditions, values and texts: one room knows the language"},
	{"github.com/spf13/cobra", []string{"cmd/..."}, "the command line"},
	{"github.com/spf13/pflag", []string{"cmd/..."}, "the command line"},
	{"charm.land", []string{"cmd/..."}, "questions and colours on a terminal"},
	{"github.com/charmbracelet/x", []string{"cmd/..."}, "widths of text on a terminal"},
	{"github.com/netresearch/go-cron", []string{"schedule"}, "the rules of schedules, and what daylight saving makes of them"},
	{"go.opentelemetry.io/otel", []string{"telemetry/...", "cmd/..."}, "traces and metrics: who does not ask for them does not get it"},
	{"go.opentelemetry.io/proto/otlp", nil, "what tests compare encoded spans with"},
	{"github.com/prometheus/common", nil, "its parser judges what is served to it"},
	{"github.com/prometheus/client_model", nil, "what that parser makes"},
	{"google.golang.org/protobuf", []string{"cmd/fermata/internal/otlp"}, "the encoding of fields of spans (protowire), without the runtime of messages"},
	{"github.com/coreos/go-oidc/v3", []string{"identity/oidc"}, "what issuers say of themselves, and the checks of ID tokens"},
	{"github.com/go-jose/go-jose/v4", []string{"identity/oidc"}, "signatures of tokens, and the keys of issuers"},
	{"github.com/coder/websocket", []string{"dialogue/web"}, "connections that conversations are held over: who serves none of them does not get it"},
	{"pgregory.net/rapid", []string{"internal/lawtest", "journal/journaltest"}, "the seed of properties, and the suite that stores are tested with; of others only tests import it"},
	{"github.com/google/go-cmp", []string{"journal/journaltest", "fermatatest", "model/modeltest", "internal/definitiontest", "internal/golden", "channels/channeltest"}, "packages that are imported by tests"},
}

func TestImportsOfOthers(t *testing.T) {
	w := readTree(t)
	for _, f := range w.goFiles(false) {
		for _, imported := range f.imports() {
			standard := !strings.Contains(strings.Split(imported.what, "/")[0], ".") && imported.what != "unsafe"
			if _, own := sibling(imported.what); own || standard {
				continue
			}
			if err := outsideFault(f.dir(), imported.what); err != nil {
				t.Errorf("%s: %v", w.at(imported.pos), err)
			}
		}
	}
}

func outsideFault(dir, imported string) error {
	for _, o := range outside {
		if imported != o.module && !strings.HasPrefix(imported, o.module+"/") {
			continue
		}
		for _, in := range o.in {
			prefix, below := strings.CutSuffix(in, "...")
			if in == dir || below && strings.HasPrefix(dir+"/", prefix) {
				return nil
			}
		}
		return fmt.Errorf("package %s may not import %s; it is for %s (%s)", dir, imported, strings.Join(o.in, ", "), o.because)
	}
	return fmt.Errorf("%s has no row in the table of other modules in internal/house/imports_test.go: "+
		"say there who may import it, and why", imported)
}

// Folders are named for what they hold, not for how often it is used.
func TestFolderNames(t *testing.T) {
	for dir := range readTree(t).packages() {
		for part := range strings.SplitSeq(dir, "/") {
			switch part {
			case "util", "utils", "common", "core", "pkg", "helper", "helpers", "misc", "shared", "base", "lib":
				t.Errorf("package %s: a folder named %q says nothing; name it for what it holds", dir, part)
			}
		}
	}
}
