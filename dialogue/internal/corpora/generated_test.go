package corpora

import (
	"fmt"
	"math/rand/v2"
	"net/mail"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// TestGenerated reads texts that are drawn from grammars, for kinds of which there are no corpora: what is right is known from
// elsewhere, net/mail for addresses, time.Duration for lengths of time, and the digits for telephone numbers. A text that net/mail does
// not take is none, whatever is read of it.
func TestGenerated(t *testing.T) {
	table := Table{Corpus: "generated"}
	random := rand.New(rand.NewPCG(7, 11)) // the same texts in each run
	for range 1000 {
		for _, draw := range []func(*rand.Rand) drawn{drawDuration, drawEmail, drawPhone} {
			d := draw(random)
			got, o := "nothing", Asked
			switch v, ok := (phrase.Locale{}).Read(phrase.Slot{Kind: d.kind}, d.said, time.Unix(0, 0)); {
			case !ok:
				if d.want == "" {
					o = Right
				}
			case v.Reason != "" || v.Left != "" || v.Score < 0.5:
				got = v.Reason + v.Left
				if d.want == "" {
					o = Right
				}
			default:
				got, o = fmt.Sprint(v.Value), Wrong
				if got == d.want {
					o = Right
				}
			}
			table.Add(d.kind.String(), o, Miss{d.said, d.want, got})
		}
	}
	table.Check(t)
}

// drawn is a text, and the value that is right; "" for none.
type drawn struct {
	kind       *phrase.Kind
	said, want string
}

func pick(r *rand.Rand, from ...string) string { return from[r.IntN(len(from))] }

// around puts a text into a sentence that changes nothing.
func around(r *rand.Rand, text string) string {
	return pick(r, "", "it's ", "my answer is ", "please, ") + text + pick(r, "", " please", ", thanks")
}

func drawDuration(r *rand.Rand) drawn {
	h, m, s := r.IntN(30), r.IntN(60), r.IntN(60)
	if r.IntN(2) == 0 {
		s = 0
	}
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second
	if d == 0 {
		d = time.Minute
	}
	// the oracle: what time.Duration prints, without the parts that are 0
	want := "PT"
	for part := range strings.FieldsSeq(strings.NewReplacer("h", "H ", "m", "M ", "s", "S ").Replace(d.String())) {
		if part != "0H" && part != "0M" && part != "0S" {
			want += part
		}
	}
	h, m, s = int(d/time.Hour), int(d/time.Minute%60), int(d/time.Second%60)
	units := [][3]string{{" hours", " minutes", " seconds"}, {"h", "m", "s"}, {" hrs", " min", " sec"}, {" h", " min", " s"}}[r.IntN(4)]
	var parts []string
	for i, n := range []int{h, m, s} {
		if n > 0 {
			parts = append(parts, fmt.Sprint(n)+units[i])
		}
	}
	said := strings.Join(parts, pick(r, " ", ", ", " and "))
	if r.IntN(6) == 0 {
		said = want
	}
	return drawn{phrase.Duration, around(r, said), want}
}

func drawEmail(r *rand.Rand) drawn {
	letters := []string{"ada", "b", "grace.hopper", "x_1", "first+tag", "o'neil", "jörg", "用户", "a-b", "é", "1234", "UPPER", "dots..twice", ".lead", "two words", "back\\slash"}
	hosts := []string{"example.com", "mail.example.co.uk", "x-y.example", "bücher.example", "localhost", "example", "exa mple.com", "-x.example", "example..com", "EXAMPLE.ORG"}
	address := letters[r.IntN(len(letters))] + pick(r, "@", "@", "@", "@", "@@", " at ") + hosts[r.IntN(len(hosts))]
	want := ""
	if a, err := mail.ParseAddress(address); err == nil && a.Address == address && strings.Contains(address[strings.LastIndexByte(address, '@'):], ".") {
		want = address
	}
	return drawn{phrase.Email, around(r, address), want}
}

func drawPhone(r *rand.Rand) drawn {
	country := pick(r, "1", "33", "41", "43", "44", "49", "352", "971")
	digits := fmt.Sprint(2 + r.IntN(8))
	for range 6 + r.IntN(3) {
		digits += fmt.Sprint(r.IntN(10))
	}
	said, rest := "+"+country, digits
	for rest != "" { // in groups of two to four
		n := min(2+r.IntN(3), len(rest))
		said += pick(r, " ", " ", "-", "/", ".") + rest[:n]
		rest = rest[n:]
	}
	return drawn{phrase.Phone, around(r, said), "+" + country + digits}
}
