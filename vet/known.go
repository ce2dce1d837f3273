package vet

import (
	"go/constant"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

const (
	module   = "github.com/fermata-go/fermata"
	nodePath = module + "/node"
)

// recorded says what a recorded call of package node is to the rules.
type recorded struct {
	waits  bool // the node may be left here and run again (law N1)
	works  bool // it takes time and can fail, so that a crash behind an effect may well come here
	key    int  // which argument is the key, or begins the options that hold one; -1 for none
	unkeys bool // without an option it has no key of its own
}

// recordedCalls are the calls of package node that a journal holds.
var recordedCalls = map[string]recorded{
	"Step":             {works: true, key: 1},
	"Ask":              {works: true, key: 2, unkeys: true},
	"Interrupt":        {waits: true, works: true, key: 2, unkeys: true},
	"Asked.Wait":       {waits: true, works: true, key: -1},
	"Sleep":            {waits: true, works: true, key: -1, unkeys: true},
	"Reason":           {works: true, key: -1},
	"LLM.Complete":     {works: true, key: 3, unkeys: true},
	"LLM.Generate":     {works: true, key: 3, unkeys: true},
	"Now":              {key: -1, unkeys: true},
	"Emit":             {key: -1, unkeys: true},
	"Structured":       {key: 3},
	"NewDraft":         {key: 2},
	"Stream":           {key: -1},
	"Chunks":           {key: -1},
	"TextStream.Write": {key: -1},
	"TextStream.Close": {key: -1},
}

// keyOptions are the options that name a call within its task (law N2).
var keyOptions = []string{"ID", "CallID", "DataID"}

// callName is the name of a function without type parameters and pointers: "net/http.Client.Do".
func callName(fn *types.Func) string {
	fn = fn.Origin()
	name := fn.Name()
	if recv := fn.Signature().Recv(); recv != nil {
		t := types.Unalias(recv.Type())
		if p, ok := t.(*types.Pointer); ok {
			t = types.Unalias(p.Elem())
		}
		if n, ok := t.(*types.Named); ok {
			name = n.Obj().Name() + "." + name
		}
	}
	if fn.Pkg() == nil {
		return name
	}
	return fn.Pkg().Path() + "." + name
}

// shown is a function as people write it in a package: "http.Client.Do", and "pay" where it is the package's own.
func shown(fn *types.Func, in *types.Package) string {
	name := callName(fn)
	if fn.Pkg() == nil {
		return name
	}
	name = name[len(fn.Pkg().Path())+1:]
	if fn.Pkg() == in {
		return name
	}
	return fn.Pkg().Name() + "." + name
}

// inFermata reports whether a function belongs to a package that users import from this module.
func inFermata(fn *types.Func) bool {
	return fn.Pkg() != nil && (fn.Pkg().Path() == module || strings.HasPrefix(fn.Pkg().Path(), module+"/")) &&
		slices.Contains([]string{"", "/node", "/graph", "/dataflow", "/dialogue", "/recipe", "/mcp", "/fermatatest", "/plan"},
			strings.TrimPrefix(fn.Pkg().Path(), module))
}

// effectCalls are calls that change something outside, or ask an outside service whose answer may differ the next time.
var effectCalls = map[string]bool{
	"net/http.Get": true, "net/http.Head": true, "net/http.Post": true, "net/http.PostForm": true,
	"net/http.Client.Do": true, "net/http.Client.Get": true, "net/http.Client.Head": true,
	"net/http.Client.Post": true, "net/http.Client.PostForm": true,
	"net/http.Transport.RoundTrip": true, "net/http.RoundTripper.RoundTrip": true,
	"net/smtp.SendMail": true,
	"os.WriteFile":      true, "os.Create": true, "os.CreateTemp": true, "os.Rename": true, "os.Remove": true,
	"os.Truncate": true, "os.Link": true, "os.Symlink": true,
	"os.File.Write": true, "os.File.WriteString": true, "os.File.WriteAt": true, "os.File.Truncate": true,
	"os/exec.Cmd.Run": true, "os/exec.Cmd.Start": true, "os/exec.Cmd.Output": true, "os/exec.Cmd.CombinedOutput": true,
	"database/sql.DB.Exec": true, "database/sql.DB.ExecContext": true, "database/sql.Tx.Exec": true,
	"database/sql.Tx.ExecContext": true, "database/sql.Conn.ExecContext": true, "database/sql.Stmt.Exec": true,
	"database/sql.Stmt.ExecContext": true,
}

// client is a well-known client: its package, and how the methods begin that send or change something.
type client struct {
	path  string
	verbs []string
}

var clients = []client{
	{"github.com/jackc/pgx/", []string{"Exec", "CopyFrom", "SendBatch"}},
	{"gorm.io/gorm", []string{"Create", "Save", "Delete", "Update", "Exec"}},
	{"github.com/jmoiron/sqlx", []string{"Exec", "MustExec", "NamedExec"}},
	{"github.com/aws/aws-sdk-go-v2/service/", []string{"Put", "Send", "Publish", "Create", "Delete", "Update", "Start", "Invoke", "Copy"}},
	{"github.com/segmentio/kafka-go", []string{"WriteMessages"}},
	{"github.com/IBM/sarama", []string{"SendMessage"}},
	{"github.com/nats-io/nats.go", []string{"Publish", "Request"}},
	{"github.com/rabbitmq/amqp091-go", []string{"Publish"}},
	{"github.com/slack-go/slack", []string{"Post", "Send", "Upload"}},
	{"github.com/sendgrid/sendgrid-go", []string{"Send"}},
	{"github.com/twilio/twilio-go/", []string{"Create", "Update", "Delete"}},
	{"github.com/stripe/stripe-go/", []string{"New", "Update", "Del", "Cancel", "Capture", "Confirm"}},
	{"github.com/wneessen/go-mail", []string{"Send", "DialAndSend"}},
	{"gopkg.in/gomail.v2", []string{"DialAndSend", "Send"}},
}

// isEffect reports whether a call of a known function is an effect.
func isEffect(fn *types.Func, call *ssa.CallCommon) bool {
	name := callName(fn)
	switch {
	case strings.HasPrefix(name, "os.File."):
		return effectCalls[name] && !isStandardStream(call)
	case effectCalls[name]:
		return true
	case name == "os.OpenFile":
		return opensForWriting(call)
	case fn.Pkg() == nil || fn.Signature().Recv() == nil:
		return false
	}
	for _, c := range clients {
		if strings.HasPrefix(fn.Pkg().Path()+"/", strings.TrimSuffix(c.path, "/")+"/") || strings.HasPrefix(fn.Pkg().Path(), c.path) {
			return slices.ContainsFunc(c.verbs, func(verb string) bool { return strings.HasPrefix(fn.Name(), verb) })
		}
	}
	return false
}

// isStandardStream reports whether a method of os.File is called on os.Stdout or os.Stderr: what is printed there twice
// is no effect that a run has to do once.
func isStandardStream(call *ssa.CallCommon) bool {
	if len(call.Args) == 0 {
		return false
	}
	load, ok := call.Args[0].(*ssa.UnOp)
	if !ok {
		return false
	}
	global, ok := load.X.(*ssa.Global)
	return ok && global.Pkg != nil && global.Pkg.Pkg.Path() == "os"
}

func opensForWriting(call *ssa.CallCommon) bool {
	if len(call.Args) < 2 {
		return false
	}
	flags, ok := call.Args[1].(*ssa.Const)
	if !ok || flags.Value == nil {
		return false
	}
	n, exact := constant.Int64Val(constant.ToInt(flags.Value))
	return exact && n&int64(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_APPEND|os.O_TRUNC) != 0
}

// timeCalls read a clock that is not the run's.
var timeCalls = map[string]bool{"time.Now": true, "time.Since": true, "time.Until": true}

// isRandom reports whether a function gives another value at each call.
func isRandom(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	name := callName(fn)
	switch fn.Pkg().Path() {
	case "math/rand", "math/rand/v2": // methods of a Rand may have a fixed seed
		return fn.Signature().Recv() == nil && !strings.HasPrefix(fn.Name(), "New") && fn.Name() != "Seed"
	case "crypto/rand":
		return slices.Contains([]string{"crypto/rand.Text", "crypto/rand.Int", "crypto/rand.Prime"}, name)
	}
	return isID(fn)
}

// isID reports whether a function makes up an identity that nobody has yet.
func isID(fn *types.Func) bool {
	if fn.Pkg() == nil {
		return false
	}
	switch fn.Pkg().Path() {
	case "github.com/google/uuid", "github.com/gofrs/uuid", "github.com/gofrs/uuid/v5":
		switch fn.Name() {
		case "NewMD5", "NewSHA1", "NewHash", "NewV3", "NewV5":
			return false
		}
		return fn.Signature().Recv() == nil && strings.HasPrefix(fn.Name(), "New")
	case "github.com/rs/xid":
		return fn.Name() == "New"
	case "github.com/oklog/ulid/v2":
		return fn.Name() == "Make"
	case "crypto/rand":
		return fn.Name() == "Text"
	}
	return false
}

// isNodeContext reports whether a type is node.Context.
func isNodeContext(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Name() == "Context" && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == nodePath
}

// takesNodeContext reports whether a function's first parameter is a node.Context.
func takesNodeContext(t types.Type) bool {
	sig, ok := t.Underlying().(*types.Signature)
	return ok && sig.Params().Len() > 0 && isNodeContext(sig.Params().At(0).Type())
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }
