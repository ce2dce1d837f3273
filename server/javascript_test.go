package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata"
	"github.com/fermata-go/fermata/server"
)

const clientJS = "../clients/js"

// runNode runs Node in the folder of the client. Where there is no Node the test is skipped, but not in CI.
func runNode(t *testing.T, args ...string) []byte {
	t.Helper()
	path, err := exec.LookPath("node")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("CI has no node, and the client for JavaScript is not tested")
		}
		t.Skip("the client for JavaScript is not tested: no node is installed")
	}
	for _, dir := range []string{"dist", "src", "test", "testdata"} {
		texts(t, filepath.Join(clientJS, dir)) // so that go test sees when they change, and does not take a cached result
	}
	ctx, cancel := context.WithTimeout(t.Context(), 8*time.Minute) // of a processor that others use, too
	defer cancel()
	command := exec.CommandContext(ctx, path, args...)
	command.Dir = clientJS
	var out, trouble bytes.Buffer
	command.Stdout, command.Stderr = &out, &trouble
	if err := command.Run(); err != nil {
		text := out.String()
		t.Fatalf("node %s: %v\n…%s%s", strings.Join(args, " "), err, text[max(0, len(text)-4000):], trouble.String())
	}
	return out.Bytes()
}

// The client's own tests.
func TestTheClientForJavaScript(t *testing.T) {
	runNode(t, "--test")
}

// What is committed is what the compiler makes of the source.
func TestTheClientForJavaScriptIsCompiled(t *testing.T) {
	compiler := filepath.Join("node_modules", "typescript", "bin", "tsc")
	if _, err := os.Stat(filepath.Join(clientJS, compiler)); err != nil {
		t.Skip("dist is not compared with src: TypeScript is not installed; npm ci in clients/js installs it")
	}
	made := t.TempDir()
	runNode(t, compiler, "-p", ".", "--outDir", made)
	if diff := cmp.Diff(texts(t, made), texts(t, filepath.Join(clientJS, "dist"))); diff != "" {
		t.Errorf("clients/js/dist is not what tsc makes of clients/js/src: npm run build makes it (-made +there):\n%s", diff)
	}
}

// texts are the files of a folder.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// cutter is a proxy that breaks streams off.
type cutter struct {
	backend string
	cuts    map[string]*cut // by path
}

// cut is where streams are broken off: after so many events, and so many bytes of the next one.
type cut struct {
	events, bytes int
	once          sync.Once
	begun         chan struct{} // closed when the first stream is passed on
	saw           func()        // called for each event that is passed on
}

func (c *cutter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out, err := http.NewRequestWithContext(r.Context(), r.Method, c.backend+r.URL.RequestURI(), r.Body)
	if err != nil {
		panic(err)
	}
	out.Header = r.Header.Clone()
	res, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	defer res.Body.Close()
	w.Header().Set("Content-Type", res.Header.Get("Content-Type"))
	w.WriteHeader(res.StatusCode)
	here := c.cuts[r.URL.Path]
	if here == nil || res.StatusCode != http.StatusOK {
		_, _ = io.Copy(w, res.Body)
		return
	}
	here.once.Do(func() { close(here.begun) })
	events, more := here.events+1, here.bytes // retry comes first, and is none
	control := http.NewResponseController(w)
	var last, b [1]byte
	for {
		if _, err := io.ReadFull(res.Body, b[:]); err != nil {
			return // the end of the stream
		}
		if events == 0 {
			if more--; more < 0 {
				_ = control.Flush()
				panic(http.ErrAbortHandler)
			}
		}
		if _, err := w.Write(b[:]); err != nil {
			return
		}
		if b[0] == '\n' && last[0] == '\n' {
			_ = control.Flush()
			here.saw()
			if events > 0 {
				events--
			}
			b[0] = 0
		}
		last = b
	}
}

// followed is what the client writes of a run.
type followed struct {
	State struct {
		Run, Status string
		Seq         uint64
		Tasks       map[string]struct{ Status string }
		Segments    []segment
		Interrupts  []json.RawMessage
		Statuses    []struct{ Data struct{ Value string } }
	}
	Seqs        []uint64
	Connections int
	Wrong       []string // texts that were shown and are not what they became
	Refused     []struct {
		Status int
		Code   string
		Paths  []string
	}
}

type segment struct {
	SegmentID, Channel, Text string
	Ended                    bool
}

// The client reads real runs to their end through a proxy that breaks every connection off after the same number of
// events, some of them in the middle of the next, and answers what the runs ask.
func TestE1_TheClientForJavaScriptComesThroughEveryCut(t *testing.T) {
	w := newWorld(t, fermata.Options{}, server.Options{})
	proxy := &cutter{backend: w.http.URL, cuts: make(map[string]*cut)}
	front := httptest.NewServer(proxy)
	t.Cleanup(front.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	args := []string{"testdata/follow.js", front.URL, `{"approve":true}`}
	for k := range 42 {
		look, saw := pace(100 * time.Millisecond) // for which a reader whose stream was cut may be away
		id, here := fmt.Sprint("run_", k), &cut{events: k, bytes: k % 4 * 35, begun: make(chan struct{}), saw: saw}
		if k == 0 {
			here.events = 1 << 20 // the first one is not cut
		}
		proxy.cuts["/runs/"+id+"/events"] = here
		w.start(t, writes(func() { <-here.begun; look() }), fermata.WithID(id))
		args = append(args, id)
	}
	lines := bytes.Split(bytes.TrimSpace(runNode(t, args...)), []byte("\n"))
	if want := len(args) - 3; len(lines) != want {
		t.Fatalf("%d runs were read, want %d", len(lines), want)
	}
	for _, line := range lines {
		var got followed
		if err := json.Unmarshal(line, &got); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		checkFollowed(t, w, &got)
	}
}

func checkFollowed(t *testing.T, w *world, got *followed) {
	t.Helper()
	run := got.State.Run
	if run != "run_0" && got.Connections < 2 {
		t.Errorf("%s was not cut", run)
	}
	if diff := cmp.Diff(dense(w.head(t, run)), got.Seqs); diff != "" {
		t.Errorf("%s: stored events (-want +seen):\n%s", run, diff)
	}
	var want followed
	want.State.Run, want.State.Status, want.State.Seq = run, string(fermata.Completed), w.head(t, run)
	want.State.Tasks = map[string]struct{ Status string }{
		"write#1": {"finished"}, "ask#1": {"finished"}, "thank#1": {"finished"},
	}
	want.State.Segments = []segment{
		{"seg_write#1/stream:answer#1", "answer", theAnswer, true},
		{"seg_write#1/stream:reasoning#1", "reasoning", theReasoning, true},
		{"seg_thank#1/stream:answer#1", "answer", theThanks, true},
	}
	want.State.Interrupts = []json.RawMessage{}
	want.State.Statuses = []struct{ Data struct{ Value string } }{{struct{ Value string }{"half of it"}}}
	want.Wrong = []string{}
	want.Refused = []struct {
		Status int
		Code   string
		Paths  []string
	}{{422, "invalid", []string{""}}}
	got.Seqs, got.Connections = nil, 0
	if diff := cmp.Diff(&want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", run, diff)
	}
}
