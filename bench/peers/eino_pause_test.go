package peers

import (
	"context"
	"fmt"
	"sync"

	"github.com/cloudwego/eino/compose"
	"github.com/cloudwego/eino/schema"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// einoMemory is a store of checkpoints in memory: Eino leaves the store to the program.
type einoMemory struct {
	mu   sync.Mutex
	kept map[string][]byte
}

func (m *einoMemory) Get(_ context.Context, id string) ([]byte, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	data, ok := m.kept[id]
	return data, ok, nil
}

func (m *einoMemory) Set(_ context.Context, id string, data []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept[id] = data
	return nil
}

var registerMessages = sync.OnceFunc(func() { schema.RegisterName[workload.Messages]("bench_messages") })

// einoPause is interrupted in a node, which runs again with the answer. Eino writes a checkpoint at an interrupt and at no
// other time, so that it has no durable column.
func einoPause(p *place) (run[workload.Messages], error) {
	registerMessages()
	var kept compose.CheckPointStore = &einoMemory{kept: make(map[string][]byte)}
	if p.disk {
		var err error
		if kept, err = p.table(); err != nil {
			return nil, err
		}
	}
	g := compose.NewGraph[workload.Messages, workload.Messages]()
	b := &einoBuilder[workload.Messages]{graph: g}
	b.keep(g.AddLambdaNode("ask", compose.InvokableLambda(func(ctx context.Context, s workload.Messages) (workload.Messages, error) {
		asked, _, state := compose.GetInterruptState[workload.Messages](ctx)
		if !asked {
			return s, compose.StatefulInterrupt(ctx, "Go on?", s)
		}
		if _, known, yes := compose.GetResumeContext[bool](ctx); known && yes {
			state.Count++
		}
		return state, nil
	})))
	b.edges(compose.START, "ask", compose.END)
	if b.err != nil {
		return nil, b.err
	}
	r, err := g.Compile(context.Background(), compose.WithCheckPointStore(kept))
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input workload.Messages) (workload.Messages, error) {
		id := compose.WithCheckPointID(p.id())
		_, err := r.Invoke(ctx, input, id)
		info, ok := compose.ExtractInterruptInfo(err)
		if !ok || len(info.InterruptContexts) != 1 {
			return input, fmt.Errorf("the run does not ask: %w", err)
		}
		return r.Invoke(compose.ResumeWithData(ctx, info.InterruptContexts[0].ID, true), workload.Messages{}, id)
	}, nil
}
