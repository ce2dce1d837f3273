package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/fermata-go/fermata/bench/internal/contest"
	"github.com/fermata-go/fermata/bench/internal/workload"
)

// jsProcess is the program of LangGraph.js, which runs one request after the other.
type jsProcess struct {
	in  io.Writer
	out *bufio.Reader
}

// startJS starts the program; an error says why it cannot run here.
var startJS = sync.OnceValues(func() (*jsProcess, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, errors.New("node is not installed")
	}
	if _, err := os.Stat("langgraphjs/node_modules/@langchain/langgraph"); err != nil {
		return nil, errors.New("its packages are absent: npm ci in bench/peers/langgraphjs")
	}
	cmd := exec.Command("node", "bench.mjs")
	cmd.Dir, cmd.Stderr = "langgraphjs", os.Stderr
	cmd.Env = append(os.Environ(), "NODE_NO_WARNINGS=1")
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &jsProcess{in, bufio.NewReader(out)}, cmd.Start() // it ends with this process, when its input does
})

// jsRequest asks for some runs of a workload.
type jsRequest struct {
	Workload string `json:"workload"`
	N        int    `json:"n"`
	Place    string `json:"place"` // "" for no store, "memory", or the path of a file
	Input    string `json:"input"` // as JSON
	Times    int    `json:"times"`
	Judged   bool   `json:"judged"` // the answer has the state
}

// jsAnswer is how long the runs took, in nanoseconds, and the state that the last ended with.
type jsAnswer struct {
	NS    int64           `json:"ns"`
	CPU   int64           `json:"cpu"` // of all threads
	State json.RawMessage `json:"state"`
	Error string          `json:"error"`
}

func (p *jsProcess) ask(r jsRequest) (a jsAnswer, err error) {
	line, err := json.Marshal(r)
	if err != nil {
		return a, err
	}
	if _, err := p.in.Write(append(line, '\n')); err != nil {
		return a, err
	}
	text, err := p.out.ReadBytes('\n')
	if err != nil {
		return a, fmt.Errorf("langgraphjs/bench.mjs ended: %w", err)
	}
	if err = json.Unmarshal(text, &a); err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

// jsRun is a run whose result is read, to be judged. What is measured is what the program says.
func jsRun[S any](kind string, n int, p *place) (run[S], error) {
	js, err := startJS()
	if err != nil {
		return nil, err
	}
	r := jsRequest{Workload: kind, N: n, Times: 1, Judged: true}
	if p != nil {
		if r.Place = p.name(); p.disk {
			r.Place = p.file()
		}
	}
	return func(ctx context.Context, input S) (S, error) {
		var out S
		text, err := json.Marshal(input)
		if err != nil {
			return out, err
		}
		asked := r
		// A list or map that is nil in Go is absent here.
		asked.Input = strings.NewReplacer(`:null`, `:[]`).Replace(string(text))
		if w, ok := ctx.Value(windowKey{}).(*contest.Window); ok {
			asked.Judged = false
			a, err := js.ask(asked)
			w.Add(time.Duration(a.NS), time.Duration(a.CPU))
			return out, err
		}
		a, err := js.ask(asked)
		if err == nil {
			err = json.Unmarshal(a.State, &out)
		}
		return out, err
	}, nil
}

// windowKey is where a run in another process finds the window that its time is added to.
type windowKey struct{}

func langgraphjsEngine() engine {
	return engine{
		name: "langgraph.js", foreign: true,
		sequential: func(n int) (run[workload.Messages], error) { return jsRun[workload.Messages]("sequential", n, nil) },
		loop:       func(n int) (run[workload.Messages], error) { return jsRun[workload.Messages]("loop", n, nil) },
		react: func(s *workload.Script) (run[workload.Agent], error) {
			return jsRun[workload.Agent]("react", s.Nodes()/2, nil)
		},
		fanOut: func(n int) (run[workload.Topics], error) { return jsRun[workload.Topics]("fanOut", n, nil) },
		wide:   func(w workload.WideSize) (run[workload.Wide], error) { return jsRun[workload.Wide]("wide", w.N, nil) },
		pause:  func(p *place) (run[workload.Messages], error) { return jsRun[workload.Messages]("pause", 1, p) },
		storedSequential: func(p *place, n int) (run[workload.Messages], error) {
			return jsRun[workload.Messages]("sequential", n, p)
		},
		storedReact: func(p *place, s *workload.Script) (run[workload.Agent], error) {
			return jsRun[workload.Agent]("react", s.Nodes()/2, p)
		},
	}
}
