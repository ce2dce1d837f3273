package phrase_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// What was said, and the command with what it is about and the rest. Behind "~" is one that is less than 0.75 sure.
const commands = `
cancel -> cancel
Cancel! -> cancel
cancel that -> cancel
please cancel -> cancel
stop -> cancel
stop it -> cancel
never mind -> cancel
nevermind -> cancel
nvm -> cancel
forget it -> cancel
forget about it -> cancel
quit -> cancel
abort -> cancel
I changed my mind -> cancel (telling)
I've changed my mind -> cancel (telling)
I want to stop -> cancel
I'd like to cancel this -> cancel
start over -> cancel
call it off -> cancel
cancel my order -> ~cancel
cancel the meeting on friday with Bob -> -
what did you say -> repeat
what did you say? -> repeat
sorry, what did you say -> repeat
come again? -> repeat
say that again please -> repeat
can you repeat that -> repeat
could you say that again -> repeat
repeat -> repeat
pardon? -> repeat
what was the question -> repeat
I didn't catch that -> repeat
what? -> repeat
huh -> repeat
skip -> skip
skip that -> skip
skip this one -> skip
pass -> skip
next -> skip
I don't know -> skip
dunno -> skip
no idea -> skip
no preference -> skip
I don't care -> skip
it doesn't matter -> skip
not sure -> skip
leave it blank -> skip
up to you -> skip
I'd rather not say -> skip
talk to a human -> handoff
can I talk to a human please -> handoff
I want to speak to an agent -> handoff
agent please -> handoff
human! -> handoff
let me speak with a real person -> handoff
get me your manager -> handoff
connect me to an operator -> handoff
I need a human -> handoff
are you a robot? -> handoff
actually 60 -> correct: 60
actually, make it 60 -> correct: 60
make it 60 -> correct: 60
no, make it 60 -> correct: 60
no wait, I meant Bob -> correct: Bob
I meant Bob Ross -> correct: Bob Ross
sorry, I meant Zoë -> correct: Zoë
change the amount to 60 -> correct (amount): 60
please change my amount to 60 euros -> correct (amount): 60 euros
can you change the payee to Bob -> correct (payee): Bob
set the delivery date to friday -> correct (delivery date): friday
change it to 60 -> correct: 60
not 50 but 60 -> correct (50): 60
60 instead of 50 -> correct (50): 60
60, not 50 -> correct (50): 60
60 instead -> correct: 60
the amount should be 60 -> correct (amount): 60
the amount is wrong -> wrong (amount)
I want to change the amount -> correct (amount)
forget the amount -> clear (amount)
clear the delivery date -> clear (delivery date)
remove the payee please -> clear (payee)
forget what I said about the payee -> clear (payee)
hello -> chitchat (greeting)
Hi there! -> chitchat (greeting)
good morning -> chitchat (greeting)
thanks -> chitchat (thanks)
thank you so much -> chitchat (thanks)
thanks for your help -> chitchat (thanks)
how are you? -> chitchat (wellbeing)
hello, how are you -> chitchat (wellbeing)
how's it going -> chitchat (wellbeing)
bye -> chitchat (goodbye)
goodbye for now -> chitchat (goodbye)
see you later -> chitchat (goodbye)
that's all, thanks -> chitchat (goodbye)
have a nice day -> chitchat (goodbye)
yes -> -
no -> -
50 -> -
Bob -> -
savings -> -
transfer 50 to Bob -> -
fifty euros please -> -
tomorrow at 3pm -> -
the second one -> -
what is my balance -> ~repeat
book a table for two -> -
apples and pears -> -
maybe -> -
-> -
`

func TestCommon(t *testing.T) {
	for row := range strings.Lines(strings.TrimSpace(commands)) {
		said, want, ok := strings.Cut(strings.TrimSpace(row), "->")
		if !ok {
			t.Fatalf("no -> in %q", row)
		}
		said, want = strings.TrimSpace(said), strings.TrimSpace(want)
		s, ok := phrase.Locale{}.Common(said)
		got := "-"
		if ok {
			got = string(s.Command)
			if s.About != "" {
				got += " (" + s.About + ")"
			}
			if s.Rest != "" {
				got += ": " + s.Rest
			}
			if s.Score < 0.75 {
				got = "~" + got
			}
		}
		if got != want {
			t.Errorf("%q is %s (%.2f), want %s", said, got, s.Score, want)
		}
	}
}

// checkCommon checks what people say in a language, whatever is asked.
func checkCommon(t *testing.T, in phrase.Locale, sayings map[string]phrase.Said) {
	t.Helper()
	for said, want := range sayings {
		got, ok := in.Common(said)
		if !ok || got.Command != want.Command || got.About != want.About || got.Rest != want.Rest || got.Score < 0.7 {
			t.Errorf("%q is %+v, %v, want %+v", said, got, ok, want)
		}
	}
}
