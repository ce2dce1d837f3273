package machine

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fermata-go/fermata/journal"
)

// input gives the machine what comes from outside. Those that end a task's work are followed by Next, as the runtime
// does it; those that a task records while it runs are not.
func (s *session) input(verb string, all []string) string {
	s.t.Helper()
	subject := ""
	if len(all) > 0 && verb != "begin" && verb != "complete" && verb != "end" && verb != "cancel" {
		subject, all = all[0], all[1:]
	}
	a := s.arguments(all)
	m := s.m
	switch verb {
	case "begin": // begin = VALUE
		body := journal.StartedBody{Plan: "test", Fingerprint: m.plan.Fingerprint(), By: a["by"]}
		return s.next(m.Begin(s.now, &body, []byte(or(a["="], "0"))))
	case "finish", "hit": // finish TASK [= VALUE [base N]] [-> TARGET[,TARGET…]]; hit: with the outcome of another run's task
		o := Outcome{Value: valueOf(a), Choice: ending(a["->"])}
		if verb == "hit" {
			o.Hit = encode(journal.CachedBody{Run: "run_0", Task: subject, At: s.now})
		}
		for to := range strings.SplitSeq(a["->"], ",") {
			o.Choices = append(o.Choices, ending(to))
		}
		return s.next(m.Finish(s.now, s.task(subject), o))
	case "split": // split TASK = [VALUE,VALUE…]
		var items []json.RawMessage
		if err := json.Unmarshal([]byte(a["="]), &items); err != nil {
			s.t.Fatal(err)
		}
		values := make([]Value, len(items))
		for i := range items {
			values[i] = Value{Changed: true, Data: items[i]}
		}
		return s.next(m.Split(s.now, s.task(subject), values))
	case "joined", "conflict":
		return s.joined(verb, subject, a)
	case "enter": // enter TASK [= VALUE]
		return s.next(m.Entered(s.now, s.task(subject), valueOf(a)))
	case "retry": // retry TASK "error" in 10s
		body := journal.FailedBody{Error: a["text"], Code: a["code"], RetryAt: s.now + s.duration(a["in"])}
		return s.next(m.Retry(s.now, s.task(subject), body))
	case "fail": // fail TASK "error" [= VALUE] [-> TARGET]
		body := journal.FailedBody{Error: a["text"], Code: a["code"]}
		return s.next(m.Fail(s.now, s.task(subject), body, valueOf(a), ending(a["->"])))
	case "suspend": // suspend TASK OP
		return s.next(m.Suspend(s.now, s.task(subject), a["text"]))
	case "sleep": // sleep TASK OP in 10s: the timer is set, and the task is left
		t := s.task(subject)
		body := encode(journal.TimerBody{Due: s.now + s.duration(a["in"])})
		if err := m.Record(s.now, t, journal.TimerSet, a["text"], nil, body); err != nil {
			return s.record(err)
		}
		return s.next(m.Suspend(s.now, t, a["text"]))
	case "step", "intend", "say", "stream", "ask":
		return s.record(s.during(verb, s.task(subject), a))
	}
	return s.outside(verb, subject, a)
}

// joined takes the branches of a join: joined NODE = VALUE [base N], or joined TASK where they are merged again.
// They may not be merged: conflict NODE "error" [in 10s | -> TARGET], which is a failure of the join's task.
func (s *session) joined(verb, subject string, a arguments) string {
	s.t.Helper()
	j := s.joins[subject]
	if j == nil {
		s.t.Fatalf("no branches of %s are being merged", subject)
	}
	delete(s.joins, subject)
	t, err := s.m.Joined(s.now, j, valueOf(a))
	if err != nil || verb == "joined" {
		return s.next(err)
	}
	body := journal.FailedBody{Error: a["text"], Code: a["code"]}
	if a["in"] != "" {
		body.RetryAt = s.now + s.duration(a["in"])
		return s.next(s.m.Retry(s.now, t, body))
	}
	return s.next(s.m.Fail(s.now, t, body, Value{}, ending(a["->"])))
}

// during is what a task records while it runs.
func (s *session) during(verb string, t *Task, a arguments) error {
	switch verb {
	case "intend": // intend TASK OP
		return s.m.Record(s.now, t, journal.StepStarted, a["text"], nil, nil)
	case "say": // say TASK OP
		return s.m.Record(s.now, t, journal.Status, a["text"], nil, []byte(`"…"`))
	case "stream": // stream TASK OP [= TEXT]
		if a["="] == "" {
			return s.m.Record(s.now, t, journal.TextStart, a["text"], nil, nil)
		}
		return s.m.Record(s.now, t, journal.TextEnd, a["text"], nil, fmt.Appendf(nil, `{"text":%q}`, a["="]))
	case "step": // step TASK OP = VALUE, or: step TASK OP code ERROR; for a call of a model with: took USAGE
		var body []byte
		if a["code"] != "" || a["took"] != "" {
			said := journal.StepBody{Error: a["code"]}
			if a["took"] != "" {
				said.Usage = &journal.Usage{}
				if err := json.Unmarshal([]byte(a["took"]), said.Usage); err != nil {
					return err
				}
			}
			body = encode(said)
		}
		return s.m.Record(s.now, t, journal.StepFinished, a["text"], rawJSON(a["="]), body)
	}
	// ask TASK OP by ID [role ROLE] [digest TEXT] [within 10s [default VALUE | route TARGET | escalate ROLE]]
	q := journal.Interrupt{
		ID: a["by"], Run: "run_1", Task: s.m.TaskID(t), Op: a["text"], State: journal.Open, Role: a["role"], Digest: a["digest"], Opened: s.now,
	}
	if a["within"] != "" {
		q.Deadline = s.now + s.duration(a["within"])
	}
	switch {
	case a["escalate"] != "":
		q.AtDeadline = &journal.Deadline{Do: "escalate", Role: a["escalate"], Within: s.duration(a["in"])}
		if a["default"] != "" {
			q.AtDeadline.Then = &journal.Deadline{Do: "default", Answer: rawJSON(a["default"])}
		}
	case a["default"] != "":
		q.AtDeadline = &journal.Deadline{Do: "default", Answer: rawJSON(a["default"])}
	case a["route"] != "":
		q.AtDeadline = &journal.Deadline{Do: "route", Target: ending(a["route"])}
	}
	return s.m.Ask(s.now, t, &q, false)
}

// outside is what people, clocks and operators do.
func (s *session) outside(verb, subject string, a arguments) string {
	m := s.m
	switch verb {
	case "answer": // answer ID = VALUE [by NAME]
		return s.next(m.Resolve(s.now, subject, journal.ResolvedBody{State: journal.Answered, By: a["by"], Role: a["role"]}, rawJSON(a["="])))
	case "claim": // claim ID by NAME
		return s.next(m.Update(s.now, subject, journal.UpdatedBody{Do: "claim", By: a["by"]}))
	case "release":
		return s.next(m.Update(s.now, subject, journal.UpdatedBody{Do: "release", By: a["by"]}))
	case "withdraw": // withdraw ID
		return s.next(m.Resolve(s.now, subject, journal.ResolvedBody{State: journal.Withdrawn}, nil))
	case "fire":
		return s.next(m.Fire(s.now))
	case "resume": // resume REASON [by NAME] [fingerprint PLAN]
		body := journal.ResumedBody{Reason: subject, By: a["by"]}
		if name, ok := a["fingerprint"]; ok {
			body.Fingerprint = s.plans[name].Fingerprint()
		}
		return s.next(m.Resume(s.now, body))
	case "complete": // complete [= VALUE]
		return s.next(m.Complete(s.now, valueOf(a)))
	case "cancel": // cancel reason TEXT
		return s.next(m.End(s.now, journal.FinishedBody{Status: Cancelled, Reason: a["reason"], By: a["by"]}))
	case "end": // end limit time
		return s.next(m.End(s.now, journal.FinishedBody{Status: Failed, Limit: a["limit"], Error: "the limit of " + a["limit"] + " was reached"}))
	}
	s.t.Fatalf("there is no command %q", verb)
	return ""
}

// kinds are all kinds of entries by their names.
var kinds = func() map[string]journal.Kind {
	byName := make(map[string]journal.Kind)
	for k := range journal.Kind(255) {
		if k.Valid() {
			byName[k.String()] = k
		}
	}
	return byName
}()

// apply folds an entry that no input has made into a copy of the machine: apply KIND [TASK] [op OP] [to TARGET] …
// Refuse is the same for an entry that may not be taken.
func (s *session) apply(verb string, all []string) string {
	s.t.Helper()
	e := s.entry(all)
	m := s.fold(s.m.plan)
	err := m.Apply(&e)
	switch {
	case err == nil && verb == "refuse":
		s.t.Errorf("%s is taken, although it cannot follow", strings.Join(all, " "))
	case err != nil && (!errors.Is(err, journal.ErrCorrupt) || !strings.HasPrefix(err.Error(), fmt.Sprintf("seq %d, ", e.Seq))):
		s.t.Errorf("%s: the error is %T (%v), want ErrCorrupt with its seq", strings.Join(all, " "), err, err)
	}
	if err != nil {
		return err.Error() + "\n"
	}
	return "taken:\n" + m.brief()
}

// cut takes an entry into the journal as it is, as if the journal had been cut off behind it.
func (s *session) cut(all []string) string {
	s.t.Helper()
	s.journal = append(s.journal, s.entry(all))
	s.m = s.fold(s.m.plan)
	return s.lines(s.journal[len(s.journal)-1:])
}

// entry reads an entry: KIND [TASK] [op OP] [to TARGET] [attempt N] [base SEQ] [flags …] [value …] [body …] [seq SEQ]
func (s *session) entry(all []string) journal.Entry {
	s.t.Helper()
	e := journal.Entry{Seq: s.m.head + 1, At: s.now, Kind: kinds[all[0]], Attempt: 1}
	if e.Kind == 0 {
		e.Kind = journal.Kind(s.number(strings.TrimPrefix(all[0], "kind-")))
	}
	all = all[1:]
	if len(all) > 0 && strings.Contains(all[0], "#") {
		path, visit := cutVisit(all[0])
		e.Node, e.Visit = path, uint32(s.number(visit))
		all = all[1:]
	}
	a := s.arguments(all)
	e.Op, e.To, e.Base = a["op"], ending(a["to"]), s.number(a["base"])
	if a["attempt"] != "" {
		e.Attempt = uint16(s.number(a["attempt"]))
	}
	if a["seq"] != "" {
		e.Seq = s.number(a["seq"])
	}
	for i, name := range []string{"final", "catch", "expired", "base", "item"} {
		if strings.Contains(a["flags"], name) {
			e.Flags |= 1 << i
		}
	}
	if a["value"] != "" {
		e.Value = []byte(a["value"])
	}
	if a["body"] != "" {
		e.Body = []byte(a["body"])
	}
	return e
}
