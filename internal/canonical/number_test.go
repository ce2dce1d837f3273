package canonical

import "testing"

func TestIntegersHaveOneText(t *testing.T) {
	for number, want := range map[string]string{
		"0": "0", "-0": "0", "0.000": "0", "0e9999999999999999999": "0", "1": "1", "-1.0": "-1", "1.50e1": "15", "1.5": "", "15e-1": "", "120e-1": "12",
		"1E+2": "100", "100e-2": "1", "0.001e3": "1", "1e99999999999999999999": "", "10.0": "10", "-0.1e1": "-1",
	} {
		if got, ok := Integer(number); got != want || ok != (want != "") {
			t.Errorf("%s: expected %q, found %q, %v", number, want, got, ok)
		}
	}
}

func TestNumbersAreComparedToTheLastDigit(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true},
		{"1", "10e-1", true},
		{"0", "-0.0", true},
		{"12345678901234567890", "1234567890123456789e1", true},
		{"1e99999999999999999999", "1e99999999999999999999", true},
		{"1e999999999", "10e999999998", true},
		{"12345678901234567890", "12345678901234567891", false},
		{"1e999999999", "1e999999998", false},
		{"0.1e-9223372036854775808", "10e9223372036854775806", false},
		{"1", "-1", false},
		{"1", "10", false},
		{"1e99999999999999999999", "2e99999999999999999999", false},
	} {
		if got := SameNumber(c.a, c.b); got != c.same {
			t.Errorf("%s and %s: expected %v, found %v", c.a, c.b, c.same, got)
		}
	}
}
