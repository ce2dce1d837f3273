package machine

import (
	"pgregory.net/rapid"

	"github.com/fermata-go/fermata/journal"
)

// end ends the run from outside.
func (s *simulation) end() {
	if rapid.Bool().Draw(s.t, "cancel") {
		s.say("cancel")
		s.endWith(journal.FinishedBody{Status: Cancelled})
		return
	}
	s.say("time limit")
	s.endWith(journal.FinishedBody{Status: Failed, Limit: "time", Error: "time"})
}

// endWith ends the run, and with it what is at work. Where the run undoes what it has done, that may come to its outcome before.
func (s *simulation) endWith(body journal.FinishedBody) {
	undid := s.m.IsUndoing()
	err := s.m.End(s.now, body)
	switch {
	case undid:
	case !s.m.IsUndoing():
		s.queue = nil
	case rapid.Bool().Draw(s.t, "at work to the end"):
	default:
		for _, h := range s.queue {
			if h.join != nil {
				s.m.LeaveOff([]Start{{Do: Merge, Join: h.join}})
			} else if t := s.m.ByID(h.task); t != nil {
				s.m.Abandon(t)
			}
		}
		s.queue = nil
	}
	s.take(err, true)
}
