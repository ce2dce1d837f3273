package twilio

import (
	"cmp"
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // the algorithm of the provider
	"encoding/base64"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fermata-go/fermata/channels"
)

// Options configure the channels of a number. AuthToken is required, and for SMS AccountSID and From.
type Options struct {
	AccountSID string            // "AC…"
	AuthToken  string            // of the account: it signs requests
	From       string            // the number, or a messaging service ("MG…")
	Language   string            // in which calls begin, "de-DE". Defaults to the dialogue's own
	Voice      string            // that speaks Language, or all languages where that is unset. Defaults to Twilio's
	Voices     map[string]string // of other languages: {"fr-CA": "Polly.Chantal"} speaks French in that of Canada
	Client     *http.Client      // defaults to channels.DefaultClient
	API        string            // defaults to https://api.twilio.com
}

func (o *Options) fill() {
	o.Client = cmp.Or(o.Client, channels.DefaultClient())
	o.API = cmp.Or(o.API, "https://api.twilio.com")
}

// Sign returns the signature of a request to an address with form values. It is the Base64 of the HMAC-SHA1 over the
// address and the values, sorted by their names.
func Sign(token, address string, form url.Values) string {
	mac := hmac.New(sha1.New, []byte(token))
	mac.Write([]byte(address))
	for _, name := range slices.Sorted(maps.Keys(form)) {
		values := slices.Compact(slices.Sorted(slices.Values(form[name])))
		for _, v := range values {
			mac.Write([]byte(name + v))
		}
	}
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// read checks the signature of a request and returns its form values.
func (o *Options) read(r *channels.Request) (url.Values, error) {
	var form url.Values
	if r.Method == http.MethodPost {
		var err error
		if form, err = r.ReadForm(); err != nil {
			return nil, channels.ErrForged // it cannot be checked
		}
	}
	if o.AuthToken == "" || !channels.SameSecret(r.Header.Get("X-Twilio-Signature"), Sign(o.AuthToken, r.URL, form)) {
		return nil, channels.ErrForged
	}
	if form == nil {
		form = r.Query
	}
	return form, nil
}

// texts joins what is not empty.
func texts(all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), " ")
}
