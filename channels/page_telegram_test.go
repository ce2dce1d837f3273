package channels_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fermata-go/fermata/channels/channeltest"
)

// TestThePageWorksForTelegram follows docs/how-to/channels.md: the dialogue of the page, its program, and a Telegram of this test.
func TestThePageWorksForTelegram(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "docs", "how-to", "channels.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(page, 2)
	if len(files) != 2 {
		t.Fatal("the page shows no dialogue in two languages")
	}
	said := make(chan string, 9)
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var p struct {
			Chat int64 `json:"chat_id"`
			Text string
		}
		if err := json.NewDecoder(r.Body).Decode(&p); err != nil || r.URL.Path != "/bot110201543:token/sendMessage" {
			t.Errorf("%s, %v", r.URL, err)
		}
		said <- fmt.Sprint(p.Chat, " ", p.Text)
		_, _ = w.Write([]byte(`{"ok": true}`))
	}))
	defer api.Close()
	recorded := string(channeltest.Recording(t, "../telegram/testdata/message.json"))
	t.Chdir(t.TempDir())
	for i, name := range []string{"bank.yaml", "bank.de.yaml"} {
		if err := os.WriteFile(name, files[i][1], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, value := range map[string]string{"TELEGRAM_TOKEN": "110201543:token", "TELEGRAM_SECRET": "a-secret", "TELEGRAM_API": api.URL} {
		t.Setenv(name, value)
	}
	free, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- serve(ctx, address, onTelegram()) }()
	for i, c := range []struct{ text, language, want string }{
		{"Geld senden", "de-AT", "Wie viel?"}, {"50", "de-AT", "Ich überweise 50."},
	} {
		body := strings.NewReplacer("10000", fmt.Sprint(i+1), "order something", c.text, `"is_bot": false,`, `"is_bot": false, "language_code": "`+c.language+`",`).Replace(recorded)
		telegramPosts(t, "http://"+address+"/channels/telegram", body)
		select {
		case got := <-said:
			if got != "1111111 "+c.want {
				t.Errorf("%q is answered with %q, expected %q", c.text, got, c.want)
			}
		case <-time.After(time.Minute):
			t.Fatalf("%q is not answered", c.text)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// telegramPosts posts an update until the program of the page listens.
func telegramPosts(t *testing.T, address, body string) {
	t.Helper()
	for range 1000 {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", "a-secret")
		if res, err := http.DefaultClient.Do(r); err == nil {
			_ = res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Fatalf("status %d", res.StatusCode)
			}
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the program does not listen")
}
