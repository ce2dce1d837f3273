package recipe

import (
	"net/http"
	"testing"
	"time"
)

// A service that is busy says when it wants to be asked again, in seconds or as a date.
func TestRetryAfterOfServices(t *testing.T) {
	date := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		status int
		after  string
		want   time.Duration
		asked  bool
	}{
		{429, "7", 7 * time.Second, true},
		{503, date.Add(90 * time.Second).Format(http.TimeFormat), 90 * time.Second, true},
		{503, date.Add(-time.Hour).Format(http.TimeFormat), 0, true},
		{429, "999999999", 999999999 * time.Second, true},
		{429, "", 0, false},
		{429, "soon", 0, false},
		{500, "7", 0, false},
	} {
		resp := &http.Response{StatusCode: tt.status, Header: http.Header{
			"Retry-After": {tt.after}, "Date": {date.Format(http.TimeFormat)},
		}}
		if wait, asked := retryAfter(resp); wait != tt.want || asked != tt.asked {
			t.Errorf("%d %q: %s %v; want %s %v", tt.status, tt.after, wait, asked, tt.want, tt.asked)
		}
	}
}
