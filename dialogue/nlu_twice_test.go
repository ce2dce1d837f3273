package dialogue

import "testing"

// TestAWishOrAValueIsSaidOnceMore says values of a trigger once more, and wishes behind a yes. A text ends before the word that leads to
// it again and before a second value. A yes beside a flow that asks nothing is none: what that tells may
// change their mind.
func TestAWishOrAValueIsSaidOnceMore(t *testing.T) {
	const confirms = "[account confirms] name=Ada, city=Rome, size=small, amount=5, day=2026-12-01, letters=true"
	for _, tt := range []struct{ dialogue, at, said, want string }{
		{"bank", "[nothing]", "send 50 to Bob and to Ada", "amount=50 (to Ada)?, payee=Bob, start transfer"},
		{"bank", "[nothing]", "send 50 to Bob and 60 to Ada", "amount=50 (60 to Ada)?, payee=Bob, start transfer"},
		{"bank", "[nothing]", "send money to Bob, 50 euros to Ada", "payee=Bob (50 euros to Ada)?, start transfer"},
		{"german", "[nothing]", "überweise 50 an Bob und 60 an Ada und lieber nicht", "amount=50 (60 an Ada und lieber nicht)?, payee=Bob, start transfer"},
		{"bank", "[nothing]", "send 50 to Bob, don't send 60 to Ada", "amount=50 (don't send 60 to Ada)?, payee=Bob, start transfer"},
		{"bank", "[nothing]", "send 50 to Bob not to Ada", "amount=50 (not to Ada)?, payee=Bob, start transfer"},
		{"german", "[nothing]", "überweise 50 an Bob nicht an Ada", "amount=50 (nicht an Ada)?, payee=Bob, start transfer"},
		{"bank", "[nothing]", "send 50 to Bob Not", `amount=50, payee="Bob Not", start transfer`},
		{"travel", "[book_trip asks day] from=Vienna, to=Rome", "on the 1st, from 3 to 10 december", "back=2026-12-10 (on the 1st, from 3 to 10 december)?, day=2026-12-03 (on the 1st, from 3 to 10 december)?"},
		{"bank", "[transfer confirms] payee=Bob, amount=50, account=savings", "yes, and show my balance", "start show_balance"},
		{"wishes_en", confirms, "yes, and order a pizza", "start pizza, yes"},
	} {
		d := example(t, tt.dialogue)
		turn := turnAt(t, d, tt.at)
		turn.Text = tt.said
		if got := understoodAs(t, d, turn); got != tt.want {
			t.Errorf("%q at %s: expected %s, found %s", tt.said, tt.at, tt.want, got)
		}
	}
}
