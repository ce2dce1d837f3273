package phrase_test

import (
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// Each line is what was said, and behind "->" what it is: yes, no or neither, with the rest behind a colon.
const assents = `
yes -> yes
Yes! -> yes
YES -> yes
yep -> yes
yup -> yes
yeah -> yes
yeah, sure -> yes
yesss -> yes
yeeees -> yes
y -> yes
ok -> yes
okay -> yes
OK, go ahead -> yes
okay then -> yes
yep, go ahead -> yes
sure -> yes
sure thing -> yes
of course -> yes
certainly -> yes
absolutely -> yes
absolutley -> yes
definitely -> yes
definately yes -> yes
correct -> yes
that's correct -> yes
that’s right -> yes
right -> yes
exactly -> yes
please do -> yes
yes please -> yes
yes, thank you -> yes
um, yes -> yes
well... yes -> yes
go ahead -> yes
do it -> yes
go for it -> yes
sounds good -> yes
sounds good to me -> yes
looks good -> yes
that works -> yes
fine by me -> yes
I agree -> yes
agreed -> yes
confirm -> yes
confirmed -> yes
I confirm -> yes
comfirm -> yes
proceed -> yes
by all means -> yes
you bet -> yes
uh-huh -> yes
mhm -> yes
yes sir -> yes
yes yes yes -> yes
yes, that is correct -> yes
all right -> yes
alright -> yes
perfect -> yes
👍 -> yes
👍🏽 -> yes
yes 👍 -> yes
i said yes -> yes
yes, definitely, go ahead please -> yes
no -> no
No. -> no
nope -> no
nah -> no
nooo -> no
n -> no
no way -> no
no thanks -> no
no, thank you -> no
not really -> no
not now -> no
not yet -> no
not at all -> no
not right now -> no
absolutely not -> no
definitely not -> no
of course not -> no
certainly not -> no
don't -> no
dont do it -> no
do not do that -> no
please don't -> no
don't send it -> no
do not transfer money to Bob -> no
never -> no
never ever do that -> neither
I don't think so -> no
I don't want to -> no
that's wrong -> no
that is not right -> no
wrong -> no
incorrect -> no
that's not what I said -> no
I'd rather not -> no
rather not -> no
negative -> no
I disagree -> no
👎 -> no
no no no -> no
um, no -> no
no, sorry -> no: sorry
I guess not -> no
probably not -> no
I suppose not -> no
no, make it 60 -> no: make it 60
no make it 60 -> no: make it 60
no, I meant Bob -> no: Bob
nope, to Alice please -> no: to Alice please
no, but you can send 20 -> no: you can send 20
don't send it, make it 60 -> no: make it 60
no. To Zoë! -> no: To Zoë
yes but to Bob -> yes: to Bob
yes, but make it 60 -> yes: make it 60
yes and tell me the balance -> yes: tell me the balance
yes, 60 -> yes: 60
yes send it to Bob -> yes: to Bob
ok, from savings -> yes: from savings
go ahead and send it -> yes: send it
-> neither
maybe -> neither
maybe yes -> neither
yes, maybe -> neither
perhaps -> neither
probably -> neither
yes, probably -> neither
I guess -> neither
I guess so -> neither
I suppose so -> neither
I think so -> neither
not sure -> neither
I'm not sure -> neither
I don't know -> neither
no idea -> neither
yes no -> neither
yes and no -> neither
no yes -> neither
no, I mean yes -> neither
no, yes -> neither
yes, no, wait -> neither
yeah no -> neither
yeah right -> neither
yeah right, no way -> neither
yes? -> neither
is that right? -> neither
ok? -> neither
ok, what does it cost -> neither
okay so how long will it take -> neither
yes if it is free -> neither
yes unless it costs more -> neither
yes, only if you are sure -> neither
yes, after you tell me the fee -> neither
yes but -> neither
yes but no -> neither
yes, but not to Bob -> neither
yes, don't send it -> neither
yes I don't want that -> neither
yes, cancel it -> neither
yes, stop -> neither
yes wait -> neither
ok wait -> neither
ok, hold on -> neither
sure, whatever -> neither
whatever -> neither
as if -> neither
why not -> neither
it depends -> neither
either -> neither
don't stop -> neither
don't cancel -> neither
I'm fine -> neither
no problem -> neither
I don't mind -> neither
yes 👎 -> neither
👍👎 -> neither
🤷 -> neither
yes 🤔 -> neither
yes 🙄 -> neither
right now -> neither
right or wrong -> neither
it is -> yes
it is 60 -> neither
it is wrong -> neither
true or false -> neither
no one -> neither
I could say yes -> neither
say no more -> neither
Bob -> neither
60 -> neither
100 -> neither
what -> neither
hello -> neither
savings -> neither
yesterday -> neither
nobody -> neither
know -> neither
noon -> neither
knock -> neither
okra -> neither
incorect -> neither
great, just great -> neither
yes-ish -> neither
yes, the opposite -> neither
yes, in theory -> neither
yes, as soon as he agrees -> neither
yes, but I changed my mind -> neither
yes... on second thought -> neither
yes, oops -> neither
yes, sorry, wrong button -> neither
ok, leave it -> neither
don't say no -> neither
he said yes -> neither
definitely maybe -> neither
absolutely nothing -> neither
fine print -> neither
go away -> neither
yes/no -> neither
ＹＥＳ -> yes
уеѕ -> yes
so-so -> neither
`

func TestAssent(t *testing.T) {
	for line := range strings.SplitSeq(strings.TrimSpace(assents), "\n") {
		said, want, ok := strings.Cut(line, "->")
		if !ok {
			t.Fatalf("no -> in %q", line)
		}
		said, want = strings.TrimSpace(said), strings.TrimSpace(want)
		if got := assent(t, said); got != want {
			t.Errorf("%q is %s, want %s", said, got, want)
		}
	}
}

// checkAssents checks answers in a language: those that are "yes", "no" or "neither", with | between them.
func checkAssents(t *testing.T, in phrase.Locale, answers map[string]string) {
	t.Helper()
	for want, said := range answers {
		for text := range strings.SplitSeq(said, "|") {
			yes, no, rest, _ := in.Assent(text)
			got := "neither"
			switch {
			case yes && rest == "":
				got = "yes"
			case no:
				got = "no"
			}
			if got != want {
				t.Errorf("%q is %s (%q), want %s", text, got, rest, want)
			}
		}
	}
}

// assent is an answer as the table has it. A score is there exactly when there is an answer.
func assent(t *testing.T, said string) string {
	t.Helper()
	yes, no, rest, score := phrase.Locale{}.Assent(said)
	answer := "neither"
	switch {
	case yes && no:
		answer = "both"
	case yes:
		answer = "yes"
	case no:
		answer = "no"
	}
	if answered := yes || no; answered != (score > 0) || score > 1 {
		t.Errorf("%q is %s with a score of %v", said, answer, score)
	}
	if rest != "" {
		answer += ": " + rest
	}
	return answer
}

// What makes a yes uncertain does so wherever it stands, and however much is said beside it.
func TestAssentFailsClosed(t *testing.T) {
	yeses := []string{"yes", "yep, go ahead", "sure", "ok", "absolutely", "that's right", "👍", "please do", "confirm"}
	doubts := []string{
		"maybe", "no", "nope", "not", "never", "don't", "wait", "stop", "cancel", "if it is free", "unless it costs more", "I guess",
		"I think", "perhaps", "not sure", "what is the fee", "or not", "?", "👎", "later", "probably", "nah", "no way", "hold on", "until then",
		"I don't know", "forget it", "wrong", "incorrect", "but not now", "I refuse", "how much is it",
	}
	for _, y := range yeses {
		for _, d := range doubts {
			for _, said := range []string{y + " " + d, d + " " + y, y + ", " + d, y + ". " + d, d + ", " + y, y + " and " + d, y + " but " + d, y + " to Bob " + d} {
				if yes, _, rest, _ := (phrase.Locale{}).Assent(said); yes {
					t.Errorf("%q is a yes (rest %q)", said, rest)
				}
			}
		}
	}
	if yes, _, _, _ := (phrase.Locale{}).Assent("yes\u200b no"); yes {
		t.Error("a yes that is joined to a no with a space that cannot be seen is one")
	}
	if yes, _, _, _ := (phrase.Locale{}).Assent("yes " + strings.Repeat("please ", 500)); yes {
		t.Error("an utterance that is too long to be looked at is a yes")
	}
}
