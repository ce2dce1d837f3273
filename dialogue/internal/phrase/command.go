package phrase

import "strings"

// Command is something that people say in any conversation.
type Command string

// The commands.
const (
	Cancel   Command = "cancel"   // "never mind"
	Repeat   Command = "repeat"   // "what did you say"
	Skip     Command = "skip"     // "I don't know", "no preference"
	Handoff  Command = "handoff"  // "let me talk to a human"
	Correct  Command = "correct"  // "make it 60", "not 50 but 60", "change the amount to 60"
	Wrong    Command = "wrong"    // "the amount is wrong"
	Clear    Command = "clear"    // "forget the amount"
	Back     Command = "back"     // "go back", "the previous answer was wrong"
	Opposite Command = "other"    // "the other one"
	Help     Command = "help"     // "what can you do"
	Chitchat Command = "chitchat" // "hello", "thanks"
)

// Unneeded is what a Cancel and a Skip are about that say of something that it is not needed.
const Unneeded = "unneeded"

// Telling is what a Cancel is about that tells why something is over: "I changed my mind".
const Telling = "telling"

// Calling is what a Handoff is about that asks to be called. With more beside it, it is none: "call me when it's ready".
const Calling = "calling"

// Said is a command as it was said.
type Said struct {
	Command Command
	// About is what it is about, in the words that were said: of Clear and Wrong the slot ("amount") or the value that is
	// wrong ("50"), of Opposite the slot, of Correct what to change ("amount", or the old value "50") if that was said, of Chitchat one of greeting, thanks, goodbye and
	// wellbeing.
	About string
	// Rest is what else was said that matters: of Correct the new value ("60").
	Rest string
	// Before is what was said before the rest.
	Before string
	// More are further corrections that were said in the same breath: "and the recipient to Bob".
	More []Said
	// Score is how much of the utterance the command is, from 0 to 1. "Cancel" has 1; "cancel my order" is less than
	// 0.75, as it may be said of something else.
	Score float64
}

// Common is the command that an utterance says in common words, if it does.
func (l Locale) Common(text string) (Said, bool) {
	of := l.language()
	best := of.common.Match(text, epoch)
	if len(best) == 0 {
		return Said{}, false
	}
	m := best[0]
	saying := of.Commands[m.ID]
	s := Said{Command: saying.Command, About: saying.About, Score: m.Score}
	if s.Command == Handoff && (s.About == Calling && s.Score < 0.9 || s.Score < 0.7 && l.Affirms(text)) { // "my agent said yes"
		return Said{}, false
	}
	if s.Command == Cancel || s.Command == Back {
		if r := l.reading(text, epoch); len(r.says) == 2 && of.is(r.wordAt(0), owner) && !of.is(r.wordAt(1), final) { // "my back"
			return Said{}, false
		}
	}
	if s.Command == Back && s.Score < 1 && !l.reading(text, epoch).returns() {
		return Said{}, false
	}
	if v, ok := m.Values["about"]; ok {
		s.About = v.Text
	}
	if v, ok := m.Values["rest"]; ok {
		s.Rest = v.Text
		s.Before = text[:v.Start]
	}
	if s.Command == Correct && s.About != "" && s.Rest != "" {
		l.furtherCorrections(&s)
	}
	return s, true
}

// furtherCorrections parts what is to be corrected at each "and" behind which another correction stands.
func (l Locale) furtherCorrections(s *Said) {
	of := l.language()
	line := newLine(s.Rest)
	for _, i := range line.says {
		if t := line.tokens[i]; !of.is(t.fold, ands) || t.start == 0 {
			continue
		} else if more, ok := l.Common(of.Change + s.Rest[t.end:]); ok && more.Command == Correct && more.About != "" && more.Rest != "" && more.Score > 0.9 {
			s.Rest, s.More = strings.TrimRight(s.Rest[:t.start], " ,"), []Said{more}
			return
		}
	}
}

// commonMatcher compiles the phrases of commands.
func commonMatcher(l *language) *Matcher {
	var texts []Phrase
	for id, c := range l.Commands {
		for _, p := range c.Phrases {
			texts = append(texts, Phrase{ID: id, Text: p})
		}
	}
	c := newCompiler(texts, func(int, string) (Slot, bool) { return Slot{}, true }, Locale{}, l)
	c.strict, c.m.missing = true, 10
	m, err := c.compile()
	if err != nil {
		panic("phrase: the phrases of commands: " + err.Error()) // a test compiles them
	}
	return m
}
