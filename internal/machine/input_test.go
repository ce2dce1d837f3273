package machine

import (
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
		return s.next(m.Begin(s.now, body, []byte(or(a["="], "0"))))
	case "finish": // finish TASK [= VALUE [base N]] [-> TARGET]
		return s.next(m.Finish(s.now, s.task(subject), valueOf(a), ending(a["->"])))
	case "hit": // hit TASK [= VALUE [base N]] [-> TARGET]: finish with the outcome of another run's task
		v := valueOf(a)
		v.Hit = encode(journal.CachedBody{Run: "run_0", Task: subject, At: s.now})
		return s.next(m.Finish(s.now, s.task(subject), v, ending(a["->"])))
	case "enter": // enter TASK [= VALUE]
		return s.next(m.Entered(s.now, s.task(subject), valueOf(a)))
	case "retry": // retry TASK "error" in 10s [up SUBGRAPH]: with a subgraph, that is tried again and the task is not
		body := journal.FailedBody{Error: a["text"], Code: a["code"], RetryAt: s.now + s.duration(a["in"])}
		t := s.task(subject)
		for ; a["up"] != "" && m.TaskID(t) != a["up"]; t = t.Parent {
			if err := m.Fail(s.now, t, journal.FailedBody{Error: a["text"]}, Value{}, ""); err != nil {
				return s.next(err)
			}
		}
		return s.next(m.Retry(s.now, t, body))
	case "fail":
		return s.fail(subject, a)
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

// fail fails a task: fail TASK "error" [= VALUE] [up SUBGRAPH] [-> TARGET]. Without a target it goes outwards, through
// the subgraphs up to the one that is named, or to the end of the run.
func (s *session) fail(subject string, a arguments) string {
	body := journal.FailedBody{Error: a["text"], Code: a["code"]}
	last := subject
	if a["up"] != "" {
		last = a["up"]
	}
	value := valueOf(a)
	for t := s.task(subject); t != nil; t, value = t.Parent, (Value{}) {
		target := ""
		if s.m.TaskID(t) == last {
			target = ending(a["->"])
		}
		if err := s.m.Fail(s.now, t, body, value, target); err != nil || target != "" {
			return s.next(err)
		}
	}
	return s.next(s.m.End(s.now, journal.FinishedBody{Status: Failed, Error: body.Error, Task: subject}))
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
	case "step": // step TASK OP = VALUE, or: step TASK OP code ERROR
		var body []byte
		if a["code"] != "" {
			body = encode(journal.StepBody{Error: a["code"]})
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
	return s.m.Ask(s.now, t, q)
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
	return "taken:\n" + m.dump()
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
		path, visit, _ := strings.Cut(all[0], "#")
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
	for i, name := range []string{"final", "catch", "expired", "base"} {
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
