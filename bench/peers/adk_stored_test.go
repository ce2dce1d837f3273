package peers

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"

	gormsqlite "github.com/libtnb/sqlite"
	"google.golang.org/adk/v2/agent"
	"google.golang.org/adk/v2/agent/workflowagent"
	"google.golang.org/adk/v2/runner"
	"google.golang.org/adk/v2/session"
	"google.golang.org/adk/v2/session/database"
	"google.golang.org/adk/v2/workflow"
	"google.golang.org/genai"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"

	"github.com/fermata-go/fermata/bench/internal/workload"
)

// adkSessions are sessions in memory, one service a run, or in SQLite, on the driver that the others have.
func adkSessions(p *place) (func() session.Service, error) {
	if !p.disk {
		return session.InMemoryService, nil
	}
	db, err := p.db()
	if err != nil {
		return nil, err
	}
	all, err := database.NewSessionService(gormsqlite.New(gormsqlite.Config{Conn: db}), &gorm.Config{
		Logger: logger.Default.LogMode(logger.Silent), PrepareStmt: true,
	})
	if err == nil {
		err = database.AutoMigrate(all)
	}
	return func() session.Service { return all }, err
}

// adkTurn sends a message of a session, and reports the last state that an event has, and the question if one is asked.
func adkTurn[S any](ctx context.Context, r *runner.Runner, id string, said *genai.Content) (out S, known bool, asked string, err error) {
	for e, err := range r.Run(ctx, "user", id, said, agent.RunConfig{}) {
		if err != nil {
			return out, known, asked, err
		}
		if s, ok := e.Output.(S); ok {
			out, known = s, true
		}
		if e.RequestedInput != nil {
			asked = e.RequestedInput.InterruptID
		}
	}
	return out, known, asked, nil
}

func adkStored[S any](p *place, b *workflow.EdgeBuilder) (run[S], error) {
	a, err := workflowagent.New(workflowagent.Config{Name: "workload", Edges: b.Build()})
	if err != nil {
		return nil, err
	}
	sessions, err := adkSessions(p)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input S) (S, error) {
		r, err := runner.New(runner.Config{AppName: "peers", Agent: a, SessionService: sessions(), AutoCreateSession: true})
		if err != nil {
			return input, err
		}
		ctx = context.WithValue(ctx, inputKey{}, &input)
		out, known, _, err := adkTurn[S](ctx, r, p.id(), genai.NewContentFromText("go", genai.RoleUser))
		if err == nil && !known {
			err = errors.New("the workflow gave no output")
		}
		return out, err
	}, nil
}

// adkAsk is a node that asks, and runs again with the answer.
type adkAsk struct{ workflow.BaseNode }

func (n *adkAsk) Run(ctx agent.Context, _ any) iter.Seq2[*session.Event, error] {
	return func(yield func(*session.Event, error) bool) {
		id := "go-on-" + ctx.InvocationID()
		answer, ok := ctx.ResumedInput(id)
		if !ok {
			yield(workflow.NewRequestInputEvent(ctx, session.RequestInput{InterruptID: id, Message: "Go on?"}), nil)
			return
		}
		s, ok := ctx.Value(inputKey{}).(*workload.Messages)
		if !ok {
			yield(nil, errors.New("no state"))
			return
		}
		out := *s
		if answer == true {
			out.Count++
		}
		e := session.NewEvent(ctx, ctx.InvocationID())
		e.Output = out
		yield(e, nil)
	}
}

func adkPause(p *place) (run[workload.Messages], error) {
	again := true
	ask := &adkAsk{workflow.NewBaseNode("ask", "", workflow.NodeConfig{RerunOnResume: &again})}
	a, err := workflowagent.New(workflowagent.Config{Name: "workload", Edges: workflow.NewEdgeBuilder().Add(workflow.Start, ask).Build()})
	if err != nil {
		return nil, err
	}
	sessions, err := adkSessions(p)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input workload.Messages) (workload.Messages, error) {
		r, err := runner.New(runner.Config{AppName: "peers", Agent: a, SessionService: sessions(), AutoCreateSession: true})
		if err != nil {
			return input, err
		}
		ctx, id := context.WithValue(ctx, inputKey{}, &input), p.id()
		_, _, asked, err := adkTurn[workload.Messages](ctx, r, id, genai.NewContentFromText("go", genai.RoleUser))
		if err != nil || asked == "" {
			return input, fmt.Errorf("the run does not ask: %w", err)
		}
		answer := &genai.Content{Role: genai.RoleUser, Parts: []*genai.Part{{FunctionResponse: &genai.FunctionResponse{
			ID: asked, Name: workflow.WorkflowInputFunctionCallName, Response: map[string]any{"payload": true},
		}}}}
		out, known, _, err := adkTurn[workload.Messages](ctx, r, id, answer)
		if err == nil && !known {
			err = errors.New("the workflow gave no output")
		}
		return out, err
	}, nil
}

func adkSequential(n int) *workflow.EdgeBuilder {
	b := workflow.NewEdgeBuilder()
	before := workflow.Start
	for i := range n {
		next := newADK("n"+strconv.Itoa(i), workload.Noop)
		b.Add(before, next)
		before = next
	}
	return b
}

func adkReact(s *workload.Script) *workflow.EdgeBuilder {
	model := newADK("model", s.Model).until(func(a workload.Agent) bool { return !workload.WantsTool(a) })
	tool := newADK("tool", s.Tool).until(func(workload.Agent) bool { return false }) // where edges meet, one may have no condition
	return workflow.NewEdgeBuilder().Add(workflow.Start, model).
		AddRoutes(model, map[string]workflow.Node{"back": tool, "end": newADK("end", identity[workload.Agent])}).
		AddRoute(tool, model, workflow.StringRoute("back"))
}
