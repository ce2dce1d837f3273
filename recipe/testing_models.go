package recipe

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/fermata-go/fermata/internal/document"
	"github.com/fermata-go/fermata/model"
	"github.com/fermata-go/fermata/model/scripted"
	"github.com/fermata-go/fermata/node"
)

// everyModel stands for all agents of kind model that the test says nothing else about.
const everyModel = "*"

// lines are what the model of an agent says in a test, each once.
type lines struct {
	agent document.Word // or everyModel
	turns []turn
}

// readLines reads what the model of an agent says.
func readLines(p document.Pair, r *document.Report) *lines {
	l := &lines{agent: p.Key}
	if p.Value.Node.Kind != yaml.SequenceNode {
		r.Add(p.Value, "expected a list of what the model says, such as [{calls: [{tool: …}]}, {output: {…}}], found %s", document.Describe(p.Value.Node))
		return l
	}
	for _, at := range elements(p.Value) {
		l.turns = append(l.turns, readTurn(at, testTurnKeys, r))
	}
	if len(l.turns) == 0 {
		r.Add(p.Value, "the list is empty; expected what the model says, such as [{output: {…}}]")
	}
	return l
}

// checkModels reports models that the recipe has not, and tools that theirs have not.
func (k *testChecker) checkModels(t *test) {
	for _, l := range t.models {
		asked := k.asked(t, l)
		if asked == nil {
			continue
		}
		var offered []string
		for _, a := range asked {
			offered = append(offered, a.offered()...)
		}
		for _, turn := range l.turns {
			for _, tool := range turn.tools {
				if tool.Text != "" && !slices.ContainsFunc(offered, func(o string) bool { return offers(o, tool.Text) }) {
					k.report.Add(tool.Spot, "the model of %s has no tool %s; it has %s%s", document.Quote(l.agent.Text), document.Quote(tool.Text),
						cmp.Or(strings.Join(offered, ", "), "none"), k.report.Hint(tool.Text, offered))
				}
			}
		}
	}
}

// asked are the agents whose models say the lines; nil, and reported, for none.
func (k *testChecker) asked(t *test, l *lines) []*agent {
	var asked []*agent
	var models []string
	for _, name := range k.agents {
		for _, a := range k.everyAgent[name] {
			if a.model() == nil {
				continue
			}
			models = append(models, name)
			if l.agent.Text == name || l.agent.Text == everyModel {
				asked = append(asked, a)
			}
		}
	}
	switch name := l.agent.Text; {
	case len(models) == 0:
		k.report.Add(l.agent.Spot, "no agent of the recipe is of kind model; what other agents do stands under agents")
	case len(asked) > 0 && t.standIn(name) != nil:
		k.report.Add(l.agent.Spot, "the agent %s stands under agents, too; expected one of both: what its model says, or what the agent itself does", document.Quote(name))
	case len(asked) > 0:
		return asked
	case slices.Contains(k.agents, name):
		k.report.Add(l.agent.Spot, "the agent %s asks no model; what it does stands under agents", document.Quote(name))
	default:
		k.known(l.agent, "agent of kind model", models)
	}
	return nil
}

// offered are the names that a model knows its tools by; one of any name ends in *.
func (a *agent) offered() []string {
	var all []string
	for _, t := range a.tools() {
		if t.tool == "*" {
			all = append(all, toolName(t.server+"_")+"*")
		} else {
			all = append(all, t.known())
		}
	}
	if a.model().asking != nil {
		all = append(all, askPerson)
	}
	return all
}

func offers(offered, tool string) bool {
	if some, any := strings.CutSuffix(offered, "*"); any {
		return strings.HasPrefix(tool, some) && len(tool) > len(some)
	}
	return offered == tool
}

// linesOf is what the model of an agent says in the test; nil where the test does not say.
func (s *Stage) linesOf(agent string) *lines {
	if s == nil || s.test.standIn(agent) != nil {
		return nil
	}
	var every *lines
	for _, l := range s.test.models {
		switch l.agent.Text {
		case agent:
			return l
		case everyModel:
			every = l
		}
	}
	return every
}

// stageModel is the name of the model that says what tests say, in front of the name of the agent.
const stageModel = "test"

// Models returns the models of the test's run, a service of its runtime. They are the program's own, those of scripts,
// and the one that replies as the test says.
func (s *Stage) Models(own model.Set) model.Set {
	all := maps.Clone(own)
	if all == nil {
		all = make(model.Set)
	}
	if m, err := own.Find(""); err == nil {
		all[model.Default] = m // also where it was the only one
	}
	if name := strings.TrimSuffix(scriptPrefix, ":"); all[name] == nil {
		all[name] = Scripts()
	}
	all[stageModel] = model.Func(s.generate)
	return all
}

// generate is a reply of the model of the agent that the request is for.
func (s *Stage) generate(ctx context.Context, req *model.Request) iter.Seq2[model.Chunk, error] {
	return func(yield func(model.Chunk, error) bool) {
		t, err := s.says(ctx, req)
		if err != nil {
			yield(model.Chunk{}, err)
			return
		}
		own := *req
		own.Model = ""
		for chunk, err := range scripted.New(scripted.Script{Replies: []scripted.Reply{t.reply}}).Generate(ctx, &own) {
			if chunk.Usage != nil { // what it costs is known, for limits on that
				u := *chunk.Usage
				u.Cost, u.Priced = t.cost, true
				chunk.Usage = &u
			}
			if !yield(chunk, err) {
				return
			}
		}
	}
}

// says is what the model of an agent says: the first of the test's replies that fits and was not said; the same when
// the same call is made again, after a crash.
func (s *Stage) says(ctx context.Context, req *model.Request) (*turn, error) {
	key := req.Key
	if c, ok := node.FromContext(ctx); ok {
		key = fmt.Sprintf("%s@%d", key, c.Info().Attempt)
	}
	l := s.linesOf(req.Model)
	if l == nil {
		return nil, s.noReply("the test says nothing for the model of agent %q", req.Model)
	}
	s.mu.Lock()
	said := within(s.said, l)
	i, again := said[key]
	if !again {
		i = l.next(promptOf(req), said)
	}
	if i >= 0 {
		said[key] = i
		s.effects["the model of "+req.Model]++
	}
	s.mu.Unlock()
	if i >= 0 {
		return &l.turns[i], nil
	}
	return nil, s.noReply("the model of agent %q is asked %s, and %s", req.Model, document.Quote(lastText(req)), l.left(said))
}

// left says which replies there still are.
func (l *lines) left(said map[string]int) string {
	used := slices.Collect(maps.Values(said))
	var left []string
	for i := range l.turns {
		if !slices.Contains(used, i) {
			left = append(left, document.Quote(l.turns[i].prompt))
		}
	}
	if len(left) == 0 {
		return fmt.Sprintf("all replies of the test have been said: %d", len(l.turns))
	}
	return "the replies that are left are for other prompts: " + strings.Join(left, ", ")
}

// noReply notes that a model was asked for what the test has not.
func (s *Stage) noReply(format string, args ...any) error {
	err := s.breaks(format, args...)
	return &model.Error{Kind: model.ErrNoModel, Message: err.Error()}
}

// next returns the index of the first unused turn whose prompt is part of the given one, or -1.
func (l *lines) next(prompt string, said map[string]int) int {
	used := slices.Collect(maps.Values(said))
	for i := range l.turns {
		if strings.Contains(prompt, l.turns[i].prompt) && !slices.Contains(used, i) {
			return i
		}
	}
	return -1
}

// promptOf returns all text of a request: the system prompt, what users wrote, and the results of calls.
func promptOf(req *model.Request) string {
	parts := []string{req.System}
	for i := range req.Messages {
		if req.Messages[i].Role == model.User {
			parts = append(parts, textOf(&req.Messages[i]))
		}
	}
	return strings.Join(parts, "\n")
}

// lastText returns the text of the last message of a request.
func lastText(req *model.Request) string {
	if len(req.Messages) == 0 {
		return ""
	}
	return textOf(&req.Messages[len(req.Messages)-1])
}

func textOf(m *model.Message) string {
	parts := []string{m.Text()}
	for i := range m.Parts {
		if r := m.Parts[i].Result; r != nil {
			parts = append(parts, r.Text)
		}
	}
	return strings.Trim(strings.Join(parts, "\n"), "\n")
}

// serves is how a server's tool is called: as itself, or as the test says for the tool (SERVER/TOOL) or its server.
func (s *Stage) serves(a *agent, tool string, itself func(node.Context, json.RawMessage) (string, error)) func(node.Context, json.RawMessage) (string, error) {
	if s == nil {
		return itself
	}
	of := a.name + "/" + tool
	return func(ctx node.Context, arguments json.RawMessage) (string, error) {
		in := s.test.standIn(of)
		if in == nil {
			in = s.test.standIn(a.name)
		}
		args, err := objectOf(arguments)
		if err != nil {
			return "", err
		}
		s.note(of, callKey(ctx), args)
		if in == nil || in.live {
			if err := s.outside(a, in); err != nil {
				return "", node.Terminal(err)
			}
			s.note(a.name, callKey(ctx), args)
			return itself(ctx, arguments)
		}
		s.note(a.name, callKey(ctx), args)
		out, err := s.instead(ctx, a, in, 0, args)
		if err != nil {
			return "", err
		}
		return resultText(out), nil
	}
}

// offers are the tools of a server that something stands in for: the one, or those that the test's models call. nil, and
// not ok, where the server itself is asked.
func (s *Stage) offers(a *agent, tool string) (all []offered, ok bool) {
	if s == nil {
		return nil, false
	}
	if in := s.test.standIn(a.name); in != nil && in.live {
		return nil, false
	}
	names := []string{tool}
	if tool == "*" {
		names = s.toolsOf(a)
	}
	for _, name := range names {
		all = append(all, offered{Agent: a.name, Tool: name, Description: "stands in for the tool, in a test", Input: anyObject})
	}
	return all, true
}

// toolsOf are the tools of a server that the test names: those that something stands in for, and others that models call.
func (s *Stage) toolsOf(a *agent) []string {
	var names []string
	for _, in := range s.test.standIns {
		if name, of := strings.CutPrefix(in.agent.Text, a.name+"/"); of {
			names = append(names, name)
		}
	}
	for _, l := range s.test.models {
		for _, t := range l.turns {
			for _, called := range t.tools {
				name, of := strings.CutPrefix(called.Text, toolName(a.name+"_"))
				if of && !slices.ContainsFunc(names, func(n string) bool { return toolName(a.name+"_"+n) == called.Text }) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// unsaid are the replies of models that nobody asked for.
func (s *Stage) unsaid() []TestFailure {
	var all []TestFailure
	for _, l := range s.test.models {
		name, n := l.agent.Text, len(s.said[l])
		if s.never(name) {
			continue
		}
		if n == 0 {
			all = append(all, failureAt(l.agent.Spot, "models."+name, "the model was not asked; where that is what is meant, leave its replies out"))
			continue
		}
		used := slices.Collect(maps.Values(s.said[l]))
		for i := range l.turns {
			if !slices.Contains(used, i) {
				all = append(all, failureAt(l.turns[i].Spot, "models."+name, fmt.Sprintf(
					"the reply was not asked for: the model was asked %s, and the test has %d replies for it", times(n), len(l.turns))))
				break
			}
		}
	}
	return all
}

// never reports whether the test says that an agent is not called.
func (s *Stage) never(agent string) bool {
	return slices.ContainsFunc(s.test.expect.calls, func(c calling) bool { return c.name.Text == agent && c.n == 0 })
}
