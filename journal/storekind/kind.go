package storekind

import (
	"context"

	"github.com/fermata-go/fermata/journal"
)

// Kind is a kind of store that addresses name. A kind may also be an [Inspector], a [Claimer] or both.
type Kind interface {
	// About describes the kind. It returns the same each time.
	About() About
	// Open opens the store at an address of this kind, and makes what does not exist yet. A file's address is its path;
	// a server's is the whole of it, with its secrets. Errors are those of the store: *journal.StoreError, without
	// secrets.
	Open(address string, o Options) (journal.Store, error)
}

// Place says where the stores of a kind keep runs.
type Place uint8

// Places.
const (
	Memory Place = iota // in the process that opens them: they end with it
	File                // in a file, whose address is a path
	Server              // on a server
)

// About describes a kind of store.
type About struct {
	Name    string   // what recipes write in state.persistence, and the scheme of its addresses: "postgres"
	Schemes []string // further schemes: "postgresql"
	Place   Place
	Address string // how an address looks: "postgres://USER@HOST/DATABASE"

	// The rest is of servers only.

	Variable string   // the environment variable that may hold an address: "FERMATA_POSTGRES"
	Password string   // where a password may be instead of in the address: "PGPASSWORD or ~/.pgpass"
	Secrets  []string // the environment variables of those that the kind reads: "PGPASSWORD"
	Public   []string // the options of an address that are no secret: others are never shown
}

// Options say how a store is opened. The zero value works.
type Options struct {
	// Getenv finds the variables of About.Secrets. Defaults to none.
	Getenv func(name string) string
	// Quiet lets the kind turn off its driver's log for the whole process. Errors say all that matters.
	Quiet bool
	// Looks opens a file that cannot be written for reading: nothing is made beside it, and a write fails with
	// journal.ErrReadOnly. Without it, such a file is an error.
	Looks bool
}

// Env is a variable of the environment, "" without Getenv.
func (o *Options) Env(name string) string {
	if o.Getenv == nil {
		return ""
	}
	return o.Getenv(name)
}

// Claimer is a kind with addresses that have no scheme, such as host=… dbname=….
type Claimer interface {
	Kind
	// Claims reports whether a text without a scheme is an address of this kind.
	Claims(text string) bool
}

// Inspector is a kind whose stores can be looked at without making anything.
type Inspector interface {
	Kind
	// Inspect looks at the store at an address. Ready says that a store is there which can be opened. An error says that
	// nothing more could be found out.
	Inspect(ctx context.Context, address string, o Options) (found []Finding, ready bool, err error)
}

// Level says how good a finding is.
type Level uint8

// Levels of findings.
const (
	Good    Level = iota // as it should be
	Warning              // it works, and promises less than it could
	Bad                  // it does not work as it is
)

// Finding is one thing that Inspect has found.
type Finding struct {
	Check  string // what was looked at, in a word: "server", "schema"
	Level  Level
	Found  string
	Advice string // what to do about it, "" for nothing
	Absent bool   // there is no store yet, and nothing wrong with that: the first run makes it
}

// Promiser is a store that is as safe as its server is configured. People should know how safe before they depend on it.
type Promiser interface {
	journal.Store
	// Promise says how safe acknowledged entries are, in a sentence or two.
	Promise() string
}
