// Package reply answers HTTP requests with JSON.
package reply

import (
	"encoding/json"
	"net/http"
)

// JSON answers with a value, which browsers are told neither to keep nor to take for anything else. One that cannot be
// encoded is an internal error.
func JSON(w http.ResponseWriter, status int, what any) { As(w, "application/json", status, what) }

// As is JSON with a content type of its own, such as application/problem+json.
func As(w http.ResponseWriter, contentType string, status int, what any) {
	data, err := json.Marshal(what)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the reply cannot be written as JSON","code":"internal"}`)
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // who has gone does not read it
}
