package modeltest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/model"
)

// Wire is a provider that asks a service over HTTP, and what the service says. [TestWire] tests it.
type Wire struct {
	// Open makes a model of the service at a place.
	Open func(p Place) (model.Model, error)
	// Name is the provider's in errors: "OpenAI".
	Name string
	// Env is how the provider's variables begin: "OPENAI", for OPENAI_API_KEY and OPENAI_BASE_URL.
	Env string
	// Path is what is asked of a service, behind its base URL: "/chat/completions".
	Path string
	// Model is the name of a model that it has.
	Model string
	// Auth is the header of a key, and what is there for one.
	Auth func(key string) (name, value string)
	// Streams is a folder of recorded streams, *.sse: "text" says Says, "calls" calls Wanted, "truncated", "refused" and
	// "bad_json" end so, "cut" and "no_finish" are not whole, and "endless_more" can be said again and again behind
	// "endless_head".
	Streams string
	// Ping is an event or a comment that keeps a connection and says nothing.
	Ping string
	// Chunks are the chunks of recorded streams, by their names.
	Chunks map[string][]model.Chunk
	// CutAtTheEnd are the streams in Chunks that are whole, though the connection breaks behind them.
	CutAtTheEnd []string
	// Broken are recorded streams that fail behind the beginning of a reply.
	Broken []BrokenStream
	// Refusals are answers in place of a stream, by what they mean.
	Refusals map[string]Refusal
	// Fails are answers for each kind of failure that no stream is for.
	Fails map[model.Kind]Answer
	// Invalid are requests that are not made, by how the error of each ends.
	Invalid map[string]*model.Request
}

// Place is where a service is. The zero value is the provider's own, with the key of the environment.
type Place struct {
	Model   string // of requests that name none
	BaseURL string
	KeyEnv  string
	KeyFile string
	NoKey   bool
	Client  *http.Client
	Idle    time.Duration
}

// BrokenStream is a recorded stream that fails, and its error. The connection may break behind it.
type BrokenStream struct {
	Name string
	Cut  bool
	Kind model.Kind
	Says string // is in the error
}

// Refusal is an answer in place of a stream, and its error. HOST in the error's message is where the service is.
type Refusal struct {
	Answer Answer
	Want   model.Error
}

// WireKey is the key that tests of wires have.
const WireKey = "sk-test-0123456789abcdef"

// TestWire runs the tests of a provider that asks over HTTP, and those of any provider.
func TestWire(t *testing.T, w Wire) {
	t.Run("Suite", func(t *testing.T) { Test(t, w.provider()) })
	t.Run("Streams", w.streams)
	t.Run("EndsBeforeItsConnection", w.endsBeforeItsConnection)
	t.Run("Broken", w.broken)
	t.Run("Refusals", w.refusals)
	t.Run("Invalid", w.invalid)
	t.Run("NoConnection", w.noConnection)
	t.Run("Keys", w.keys)
	t.Run("KeysStayHidden", w.keysStayHidden)
	t.Run("KeysAreScrubbed", w.keysAreScrubbed)
	t.Run("KeysDoNotFollowRedirects", w.keysDoNotFollowRedirects)
	t.Run("SilentServices", w.silentServices)
	t.Run("SignsOfLife", w.signsOfLife)
	t.Run("ConnectionsThatNeverOpen", w.connectionsThatNeverOpen)
	t.Run("HostileServices", w.hostileServices)
}

// model is a model at a place, with a key in the environment.
func (w Wire) model(t testing.TB, p Place) model.Model {
	t.Helper()
	t.Setenv(w.Env+"_API_KEY", WireKey)
	return w.open(t, p)
}

func (w Wire) open(t testing.TB, p Place) model.Model {
	t.Helper()
	p.Model = w.Model
	m, err := w.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// File is a recorded stream.
func (w Wire) File(t testing.TB, name string) Answer {
	t.Helper()
	return File(t, filepath.Join(w.Streams, name+".sse"))
}

// Answering is a model whose service answers so.
func (w Wire) Answering(t testing.TB, a Answer) model.Model {
	t.Helper()
	return w.model(t, Place{BaseURL: Serve(t, a).URL})
}

// Sent returns the request that the service gets from a model. Open makes the model for the URL of the service.
func (w Wire) Sent(t testing.TB, open func(url string) (model.Model, error), req *model.Request) Request {
	t.Helper()
	t.Setenv(w.Env+"_API_KEY", WireKey)
	server := Serve(t, w.File(t, "text"))
	m, err := open(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.Collect(m.Generate(t.Context(), req)); err != nil {
		t.Fatal(err)
	}
	return server.Requests()[0]
}

// Chunks collects the chunks of a reply, and the error at its end.
func Chunks(ctx context.Context, m model.Model, req *model.Request) ([]model.Chunk, error) {
	var list []model.Chunk
	for chunk, err := range m.Generate(ctx, req) {
		if err != nil {
			return list, err
		}
		list = append(list, chunk)
	}
	return list, nil
}

// Replay collects the chunks of an answer, and the error at its end.
func (w Wire) Replay(t testing.TB, a Answer) ([]model.Chunk, error) {
	t.Helper()
	return Chunks(t.Context(), w.Answering(t, a), model.Ask("What is it?"))
}

// provider is the wire for Test.
func (w Wire) provider() Provider {
	stream := func(name string) func(t *testing.T) model.Model {
		return func(t *testing.T) model.Model { return w.Answering(t, w.File(t, name)) }
	}
	p := Provider{
		Text:  stream("text"),
		Calls: stream("calls"),
		Endless: func(t *testing.T) (model.Model, <-chan struct{}) {
			gone := make(chan struct{})
			a := w.File(t, "endless_head")
			a.Again, a.Gone = w.File(t, "endless_more").Body, gone
			return w.Answering(t, a), gone
		},
		Fails: map[model.Kind]func(t *testing.T) model.Model{
			model.ErrTruncated: stream("truncated"), model.ErrRefused: stream("refused"), model.ErrMalformed: stream("bad_json"),
		},
	}
	for kind, answer := range w.Fails {
		p.Fails[kind] = func(t *testing.T) model.Model { return w.Answering(t, answer) }
	}
	return p
}

// streams: each recorded stream makes its chunks, whole and byte by byte, and none is left out.
func (w Wire) streams(t *testing.T) {
	for name, want := range w.Chunks {
		t.Run(name, func(t *testing.T) {
			for _, drip := range []bool{false, true} {
				a := w.File(t, name)
				a.Drip = drip
				a.Cut = slices.Contains(w.CutAtTheEnd, name)
				got, err := w.Replay(t, a)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("chunks (dripping: %v; -want +got):\n%s", drip, diff)
				}
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(w.Streams, "*.sse"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".sse")
		broken := slices.ContainsFunc(w.Broken, func(b BrokenStream) bool { return b.Name == name })
		if _, whole := w.Chunks[name]; !whole && !broken && !strings.HasPrefix(name, "endless_") {
			t.Errorf("nothing tests the recorded stream %s", file)
		}
	}
}

// endsBeforeItsConnection: a reply is whole when the service says so, though the connection stays open.
func (w Wire) endsBeforeItsConnection(t *testing.T) {
	gone := make(chan struct{})
	a := w.File(t, "text")
	a.Again, a.Gone = []byte(w.Ping), gone
	reply, err := model.Collect(w.Answering(t, a).Generate(t.Context(), model.Ask("What is it?")))
	if err != nil || reply.Text() != Says {
		t.Errorf("it said %q, %v", reply.Text(), err)
	}
	waitGone(t, gone)
}

// broken: streams that break say so, behind what had come.
func (w Wire) broken(t *testing.T) {
	for _, b := range w.Broken {
		t.Run(fmt.Sprintf("%s,cut=%v", b.Name, b.Cut), func(t *testing.T) {
			a := w.File(t, b.Name)
			a.Cut = b.Cut
			got, err := w.Replay(t, a)
			checkFailure(t, err, b.Kind, b.Says)
			if len(got) < 2 || got[0].Model == "" || got[1].Text == "" {
				t.Errorf("the beginning of the reply is absent: %+v", got)
			}
		})
	}
}

// refusals: the service's answers without a reply are errors of a kind, with what it says, and with when to ask again.
func (w Wire) refusals(t *testing.T) {
	for name, test := range w.Refusals {
		t.Run(name, func(t *testing.T) {
			server := Serve(t, test.Answer)
			got, err := Chunks(t.Context(), w.model(t, Place{BaseURL: server.URL}), model.Ask("?"))
			if len(got) > 0 {
				t.Errorf("it said %+v", got)
			}
			want := test.Want
			want.Message = strings.ReplaceAll(want.Message, "HOST", strings.TrimPrefix(server.URL, "http://"))
			if diff := cmp.Diff(error(&want), err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
			if n := len(server.Requests()); n != 1 {
				t.Errorf("it asked %d times, want once", n)
			}
		})
	}
}

// invalid: what cannot be asked is not asked, and the error says where it is.
func (w Wire) invalid(t *testing.T) {
	server := Serve(t, w.File(t, "text"))
	for want, req := range w.Invalid {
		m, err := w.Open(Place{NoKey: true, BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		got, err := Chunks(t.Context(), m, req)
		checkFailure(t, err, model.ErrInvalid, ": "+want)
		if err != nil && !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("got %v\nwant %s at the end", err, want)
		}
		if len(got) > 0 {
			t.Errorf("it said %+v", got)
		}
	}
	if n := len(server.Requests()); n > 0 {
		t.Errorf("%d requests were made", n)
	}
}

// keys: where the key is from.
func (w Wire) keys(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good, empty, bad := write("good", "\n  in-a-file\r\n"), write("empty", " \n"), write("bad", "two\nlines")
	variable, file := w.Env+"_API_KEY", w.Env+"_API_KEY_FILE"
	const away = "https://models.example/v1"
	base := "the base URL of " + w.Name
	for name, test := range map[string]struct {
		env  map[string]string
		at   Place
		want string // the key that is sent
		err  string
	}{
		"variable":        {env: map[string]string{variable: " in-a-variable\n"}, want: "in-a-variable"},
		"variable, file":  {env: map[string]string{file: good}, want: "in-a-file"},
		"other variable":  {env: map[string]string{variable: "a", "OTHER_KEY": "b"}, at: Place{KeyEnv: "OTHER_KEY"}, want: "b"},
		"file":            {env: map[string]string{variable: "a"}, at: Place{KeyFile: good}, want: "in-a-file"},
		"on this machine": {},
		"none wanted":     {env: map[string]string{variable: "a"}, at: Place{NoKey: true}},
		"none": {at: Place{BaseURL: away}, err: "there is no key for " + w.Name + " at models.example: looked for the variable " + variable +
			", and no file by the variable " + file + "; a service that wants no key needs NoKey"},
		"no file":     {at: Place{KeyFile: filepath.Join(dir, "no")}, err: "the key cannot be read: open " + dir + "/no: no such file or directory"},
		"empty file":  {at: Place{KeyFile: empty}, err: "no key is in the file " + empty + ": it is empty"},
		"lines":       {at: Place{KeyFile: bad}, err: "the text of the file " + bad + " is not a key: expected a single word, and it has a blank, a line break or a letter beyond ASCII in the middle"},
		"key in code": {at: Place{KeyEnv: WireKey}, err: "KeyEnv is not the name of a variable of the environment; a key itself is not written in code"},
		"no URL":      {at: Place{BaseURL: "ht!tp://" + WireKey}, err: base + " is not a URL: expected one like https://"},
		"password":    {at: Place{BaseURL: "https://me:" + WireKey + "@models.example"}, err: base + " at models.example has a user or a password in it; keys are read from a variable or a file"},
		"query":       {at: Place{BaseURL: away + "?key=" + WireKey}, err: base + " at models.example has a query or a fragment, which would get lost"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, name := range []string{variable, file} {
				t.Setenv(name, test.env[name])
			}
			for name, value := range test.env {
				t.Setenv(name, value)
			}
			server := Serve(t, w.File(t, "text"))
			t.Setenv(w.Env+"_BASE_URL", server.URL+"/api")
			m, err := w.Open(test.at)
			if test.err != "" {
				checkFailure(t, err, model.ErrInvalid, ": "+test.err)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := model.Collect(m.Generate(t.Context(), &model.Request{Model: w.Model})); err != nil {
				t.Fatal(err)
			}
			r := server.Requests()[0]
			header, want := w.Auth(test.want)
			if test.want == "" {
				want = ""
			}
			if got := r.Header.Get(header); got != want || r.Path != "/api"+w.Path {
				t.Errorf("sent %q to %s, want %q", got, r.Path, want)
			}
		})
	}
}
