package workload

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
)

// Wide is the state of wide_state. Its tags say how branches are merged: what is appended, what is the last value, and
// what is merged as a dictionary. Fields that take a new value only where it is true, or there, are set by [Wide]'s
// functions.
type Wide struct {
	Messages           []any          `json:"messages" merge:"append"`
	TriggerEvents      []any          `json:"trigger_events" merge:"append"`
	Categorizations    []any          `json:"categorizations" merge:"append"`
	Responses          []any          `json:"responses" merge:"append"`
	RelevantRules      string         `json:"relevant_rules" merge:"last"`
	MemoryDocs         string         `json:"memory_docs" merge:"last"`
	BotID              string         `json:"bot_id" merge:"last"`
	Autoresponse       string         `json:"autoresponse" merge:"last"`
	PrimaryIssueMedium string         `json:"primary_issue_medium" merge:"last"`
	Issue              string         `json:"issue" merge:"last"`
	UserInfo           string         `json:"user_info" merge:"last"`
	CRMInfo            string         `json:"crm_info" merge:"last"`
	EmailThreadID      string         `json:"email_thread_id" merge:"last"`
	SlackParticipants  map[string]any `json:"slack_participants" merge:"union"`
	NotifiedAssignees  map[string]any `json:"notified_assignees" merge:"union"`
}

// WideSize is one of the sizes of wide_state.
type WideSize struct {
	Name string
	A, B int // the message is an A by B nested object
	N    int // the run ends with more than N messages; texts are of N characters
}

// WideSizes are the sizes that are measured.
func WideSizes() []WideSize {
	return []WideSize{{"25x300", 5, 5, 300}, {"15x600", 3, 5, 600}, {"9x1200", 3, 3, 1200}}
}

// Input is one message.
func (w WideSize) Input() Wide {
	outer := make(map[string]any, w.A)
	for i := range w.A {
		inner := make(map[string]any, w.B)
		for j := range w.B {
			var list []any
			for range 5 {
				list = append(list, strings.Repeat("hi?", 10), true, 1.0, 6327816386138.0, nil)
			}
			inner[strings.Repeat(strconv.Itoa(j), 10)] = list
		}
		outer[strings.Repeat(strconv.Itoa(i), 10)] = inner
	}
	return Wide{Messages: []any{outer}}
}

// Texts gives a text of n characters, another one at each call of a run and the same in each run.
type Texts struct {
	n    int
	long string
}

// NewTexts makes the texts, whose characters are cut out of one long string.
func NewTexts(n int) Texts {
	var b strings.Builder
	for x := uint32(1); b.Len() < n+4096; {
		x = x*1664525 + 1013904223
		b.WriteByte("abcdefghijklmnopqrstuvwxyz0123456789"[x>>16%36])
	}
	return Texts{n: n, long: b.String()}
}

func (x Texts) at(s *Wide, field int) string {
	from := (len(s.Messages)*37 + field*211) % 4096
	return x.long[from : from+x.n]
}

// WideNodes are the six nodes.
type WideNodes struct{ texts Texts }

// Nodes are the nodes of this size.
func (w WideSize) Nodes() WideNodes { return WideNodes{NewTexts(w.N)} }

// One reads messages.
func (w WideNodes) One(s Wide) Wide {
	s.TriggerEvents = append(s.TriggerEvents, s.Messages...)
	s.PrimaryIssueMedium = truthy(w.texts.at(&s, 0), s.PrimaryIssueMedium)
	return s
}

// Two reads trigger_events.
func (w WideNodes) Two(s Wide) Wide {
	s.Autoresponse = w.texts.at(&s, 1)
	s.Issue = truthy(w.texts.at(&s, 2), s.Issue)
	return s
}

// Three reads autoresponse, beside four.
func (w WideNodes) Three(s Wide) Wide {
	s.RelevantRules = w.texts.at(&s, 3)
	return s
}

// Four reads trigger_events.
func (w WideNodes) Four(s Wide) Wide {
	s.Categorizations = append(s.Categorizations, s.TriggerEvents...)
	s.Responses = append(s.Responses, s.TriggerEvents...)
	s.MemoryDocs = w.texts.at(&s, 4)
	return s
}

// Five reads categorizations, behind three and four.
func (w WideNodes) Five(s Wide) Wide {
	s.UserInfo = truthy(w.texts.at(&s, 5), s.UserInfo)
	s.CRMInfo = truthy(w.texts.at(&s, 6), s.CRMInfo)
	s.EmailThreadID = truthy(w.texts.at(&s, 7), s.EmailThreadID)
	s.BotID = w.texts.at(&s, 8)
	s.SlackParticipants = merged(s.SlackParticipants, s.Categorizations)
	s.NotifiedAssignees = merged(s.NotifiedAssignees, s.Categorizations)
	return s
}

// Six reads responses.
func (w WideNodes) Six(s Wide) Wide {
	s.Messages = append(s.Messages, s.Responses...)
	return s
}

// truthy is a new value where there is one.
func truthy(value, old string) string {
	if value == "" {
		return old
	}
	return value
}

// merged is a dictionary with the last element of a list merged in.
func merged(into map[string]any, list []any) map[string]any {
	out := make(map[string]any, len(into)+8)
	maps.Copy(out, into)
	if last, ok := list[len(list)-1].(map[string]any); ok {
		maps.Copy(out, last)
	}
	return out
}

// Join puts together what three and four have made of one state: each has changed fields of its own.
func Join(three, four Wide) Wide {
	four.RelevantRules = three.RelevantRules
	return four
}

// Done reports whether a run of this size is at its end.
func (w WideSize) Done(s Wide) bool { return len(s.Messages) > w.N }

// Run is the whole workload, three and four one after the other.
func (w WideSize) Run(n WideNodes, s Wide) Wide {
	for !w.Done(s) {
		s = n.Two(n.One(s))
		s = n.Six(n.Five(Join(n.Three(s), n.Four(s))))
	}
	return s
}

// RunAtOnce is Run with three and four at once.
func (w WideSize) RunAtOnce(n WideNodes, s Wide) Wide {
	return w.run(n, s, func(s Wide) Wide { return s })
}

// RunIsolated is RunAtOnce with a separate state for each of the two: one deep copy a round.
func (w WideSize) RunIsolated(n WideNodes, s Wide) Wide { return w.run(n, s, isolated) }

func (w WideSize) run(n WideNodes, s Wide, handOver func(Wide) Wide) Wide {
	for !w.Done(s) {
		s = n.Two(n.One(s))
		three, done := handOver(s), make(chan struct{})
		go func() {
			three = n.Three(three)
			close(done)
		}()
		four := n.Four(s)
		<-done
		s = n.Six(n.Five(Join(three, four)))
	}
	return s
}

// isolated is a deep copy.
func isolated(s Wide) Wide {
	for _, list := range []*[]any{&s.Messages, &s.TriggerEvents, &s.Categorizations, &s.Responses} {
		*list, _ = copied(*list).([]any)
	}
	s.SlackParticipants, _ = copied(s.SlackParticipants).(map[string]any)
	s.NotifiedAssignees, _ = copied(s.NotifiedAssignees).(map[string]any)
	return s
}

func copied(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = copied(v[i])
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for k, e := range v {
			m[k] = copied(e)
		}
		return m
	}
	return v
}

// Visits is how many nodes a run visits.
func (w WideSize) Visits() int {
	visits := 0
	for m, t, c := 1, 0, 0; m <= w.N; visits += 6 {
		t += m
		c += t
		m += c
	}
	return visits
}

// Check says what is wrong with the end of a run, "" when nothing is. The values in its lists may have been through
// JSON: they are counted, and the texts compared.
func (w WideSize) Check(got Wide) string {
	want := w.Run(w.Nodes(), w.Input())
	lists := func(s Wide) [6]int {
		return [6]int{
			len(s.Messages), len(s.TriggerEvents), len(s.Categorizations), len(s.Responses), len(s.SlackParticipants), len(s.NotifiedAssignees),
		}
	}
	texts := func(s Wide) [9]string {
		return [9]string{
			s.RelevantRules, s.MemoryDocs, s.BotID, s.Autoresponse, s.PrimaryIssueMedium, s.Issue, s.UserInfo, s.CRMInfo, s.EmailThreadID,
		}
	}
	if lists(got) != lists(want) {
		return fmt.Sprintf("lists of %d, expected %d", lists(got), lists(want))
	}
	if texts(got) != texts(want) {
		return "another text than expected"
	}
	return ""
}

// atOnce calls f for 0 to n-1, each in a goroutine.
func atOnce(n int, f func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { f(i) })
	}
	all.Wait()
}
