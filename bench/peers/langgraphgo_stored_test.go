package peers

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	lg "github.com/smallnest/langgraphgo/graph"
	"github.com/smallnest/langgraphgo/store"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// lgTable is langgraphgo's store of checkpoints on the driver that the others have: a row for each checkpoint. Its own
// store in SQLite needs cgo.
type lgTable[S any] struct {
	save, byExecution, byThread *sql.Stmt
}

func newLGTable[S any](p *place) (*lgTable[S], error) {
	db, err := p.db()
	if err != nil {
		return nil, err
	}
	for _, text := range []string{
		"CREATE TABLE checkpoints (id TEXT PRIMARY KEY, execution TEXT, thread TEXT, version INTEGER, data BLOB NOT NULL)",
		"CREATE INDEX by_execution ON checkpoints (execution, version)",
		"CREATE INDEX by_thread ON checkpoints (thread, version)",
	} {
		if _, err := db.Exec(text); err != nil {
			return nil, err
		}
	}
	t := &lgTable[S]{}
	for text, s := range map[string]**sql.Stmt{
		"INSERT INTO checkpoints VALUES (?, ?, ?, ?, ?)":                              &t.save,
		"SELECT data FROM checkpoints WHERE execution = ? ORDER BY version":           &t.byExecution,
		"SELECT data FROM checkpoints WHERE thread = ? ORDER BY version DESC LIMIT 1": &t.byThread,
	} {
		if *s, err = db.Prepare(text); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *lgTable[S]) Save(ctx context.Context, c *store.Checkpoint) error {
	data, err := json.Marshal(c)
	if err != nil {
		return err
	}
	_, err = t.save.ExecContext(ctx, c.ID, c.Metadata["execution_id"], c.Metadata["thread_id"], c.Version, data)
	return err
}

func (t *lgTable[S]) List(ctx context.Context, execution string) ([]*store.Checkpoint, error) {
	rows, err := t.byExecution.QueryContext(ctx, execution)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []*store.Checkpoint
	for rows.Next() {
		c, err := lgScanned[S](rows)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

func lgScanned[S any](row interface{ Scan(into ...any) error }) (*store.Checkpoint, error) {
	var data []byte
	if err := row.Scan(&data); err != nil {
		return nil, err
	}
	var state S
	c := &store.Checkpoint{State: &state}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, err
	}
	c.State = state
	return c, nil
}

func (t *lgTable[S]) GetLatestByThread(ctx context.Context, thread string) (*store.Checkpoint, error) {
	return lgScanned[S](t.byThread.QueryRowContext(ctx, thread))
}

var errNotCalled = errors.New("the workloads do not need this")

func (*lgTable[S]) Load(context.Context, string) (*store.Checkpoint, error) { return nil, errNotCalled }
func (*lgTable[S]) Delete(context.Context, string) error                    { return errNotCalled }
func (*lgTable[S]) Clear(context.Context, string) error                     { return errNotCalled }

func (*lgTable[S]) ListByThread(context.Context, string) ([]*store.Checkpoint, error) {
	return nil, errNotCalled
}

// lgStored compiles a graph whose state is stored after each node. A run has an execution and a thread of its own, and in
// memory a store of its own, since the store looks through all that it holds.
func lgStored[S any](p *place, build lgBuild[S]) (func() (*lg.CheckpointableRunnable[S], *lg.Config), error) {
	g := lg.NewListenableStateGraph[S]()
	build(g.StateGraph, func(name string, f lgFunc[S]) { g.AddNode(name, name, f) })
	compiled, err := g.CompileListenable()
	if err != nil {
		return nil, err
	}
	var table *lgTable[S]
	if p.disk {
		if table, err = newLGTable[S](p); err != nil {
			return nil, err
		}
	}
	return func() (*lg.CheckpointableRunnable[S], *lg.Config) {
		c := lg.CheckpointConfig{AutoSave: true, Store: table}
		if !p.disk {
			c.Store = lg.NewMemoryCheckpointStore()
		}
		r, id := lg.NewCheckpointableRunnable(compiled, c), p.id()
		r.SetExecutionID(id)
		return r, lg.WithThreadID(id)
	}, nil
}

func lgStoredRun[S any](p *place, build lgBuild[S]) (run[S], error) {
	begin, err := lgStored(p, build)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) {
		r, config := begin()
		return r.InvokeWithConfig(ctx, input, config)
	}, nil
}

type lgFunc[S any] = func(context.Context, S) (S, error)

// lgBuild builds a graph, whose nodes it adds by a function: graphs with checkpoints keep nodes of their own.
type lgBuild[S any] = func(g *lg.StateGraph[S], add func(name string, f lgFunc[S]))

// lgPlain compiles a graph that is not stored.
func lgPlain[S any](build lgBuild[S]) (run[S], error) {
	g := lg.NewStateGraph[S]()
	build(g, func(name string, f lgFunc[S]) { g.AddNode(name, name, f) })
	return lgCompile(g)
}

func lgPure[S any](f func(S) S) lgFunc[S] {
	return func(_ context.Context, s S) (S, error) { return f(s), nil }
}

func lgSequential(n int) lgBuild[workload.Messages] {
	return func(g *lg.StateGraph[workload.Messages], add func(string, lgFunc[workload.Messages])) {
		for i := range n {
			add("n"+strconv.Itoa(i), lgPure(workload.Noop))
			if i > 0 {
				g.AddEdge("n"+strconv.Itoa(i-1), "n"+strconv.Itoa(i))
			}
		}
		g.SetEntryPoint("n0")
		g.AddEdge("n"+strconv.Itoa(n-1), lg.END)
	}
}

func lgReact(s *workload.Script) lgBuild[workload.Agent] {
	return func(g *lg.StateGraph[workload.Agent], add func(string, lgFunc[workload.Agent])) {
		add("model", lgPure(s.Model))
		add("tool", lgPure(s.Tool))
		g.SetEntryPoint("model")
		lgUntil(g, "model", func(a workload.Agent) bool { return !workload.WantsTool(a) }, "tool")
		g.AddEdge("tool", "model")
	}
}

// lgPause stores the state when the node asks: the engine does not, so the program has to. The latest checkpoint of the
// thread is where the second call goes on.
func lgPause(p *place) (run[workload.Messages], error) {
	begin, err := lgStored(p, func(g *lg.StateGraph[workload.Messages], add func(string, lgFunc[workload.Messages])) {
		add("ask", func(ctx context.Context, s workload.Messages) (workload.Messages, error) {
			answer, err := lg.Interrupt(ctx, "Go on?")
			if err != nil {
				return s, err
			}
			if answer == true {
				s.Count++
			}
			return s, nil
		})
		g.SetEntryPoint("ask")
		g.AddEdge("ask", lg.END)
	})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input workload.Messages) (workload.Messages, error) {
		r, config := begin()
		_, err := r.InvokeWithConfig(ctx, input, config)
		var asked *lg.GraphInterrupt
		if !errors.As(err, &asked) {
			return input, fmt.Errorf("the run does not ask: %w", err)
		}
		thread, _ := config.Configurable["thread_id"].(string)
		if _, err := r.UpdateState(ctx, lg.WithThreadID(thread), asked.Node, input); err != nil {
			return input, err
		}
		again := lg.WithThreadID(thread)
		again.ResumeValue = true
		return r.InvokeWithConfig(ctx, workload.Messages{}, again)
	}, nil
}
