package channels_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/channels"
	"github.com/fermata-go/fermata/channels/channeltest"
)

func TestDesk(t *testing.T) {
	forged := deskSays("m1", "order something")
	forged.Header.Set("X-Desk-Signature", "00")
	unsigned := deskSays("m1", "order something")
	unsigned.Header.Del("X-Desk-Signature")
	changed := deskSays("m1", "order something")
	changed.Body = deskSays("m2", "order something").Body
	channeltest.Suite{
		New:     newDesk,
		Message: deskSays,
		In:      deskSaysIn,
		Forged:  map[string]*http.Request{"another signature": forged, "no signature": unsigned, "another body": changed},
		Markup:  "<b>tea</b>", Shown: "<b>tea</b>", // the desk knows no markup
	}.Run(t)
}

// newDesk makes the channel, with a desk that keeps what it is sent.
func newDesk(t testing.TB, p *channeltest.Provider) channels.Channel {
	desk := httptest.NewServer(p.HTTP(func(_ *http.Request, body []byte) (s channeltest.Sent, err error) {
		return s, json.Unmarshal(body, &s)
	}, "{}"))
	t.Cleanup(desk.Close)
	return &Desk{Secret: "s", Token: "t", API: desk.URL, Client: channels.DefaultClient()}
}

// deskSays is a message, as the desk posts it.
func deskSays(id, text string) *http.Request { return deskSaysIn(id, text, "") }

func deskPosts(user, id, text string) *http.Request { return deskPostsIn(user, id, text, "") }

// deskSaysIn is a message of a user who has set a language.
func deskSaysIn(id, text, language string) *http.Request {
	return deskPostsIn("ada", id, text, language)
}

func deskPostsIn(user, id, text, language string) *http.Request {
	body, _ := json.Marshal(map[string]string{"user": user, "id": id, "text": text, "language": language}) //nolint:errchkjson // texts
	return deskSigned(body)
}

// deskSigned is a request with any body, as the desk signs it.
func deskSigned(body []byte) *http.Request {
	stamp := strconv.FormatInt(time.Now().Unix(), 10)
	r := httptest.NewRequest(http.MethodPost, "/channels/desk", strings.NewReader(string(body)))
	r.Header.Set("X-Desk-Timestamp", stamp)
	r.Header.Set("X-Desk-Signature", channels.HexHMAC("s", []byte(stamp+"."), body))
	return r
}
