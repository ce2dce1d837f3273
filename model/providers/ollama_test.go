package providers

import "testing"

// OLLAMA_HOST is read as Ollama's own programs read it.
func TestOllamaURL(t *testing.T) {
	for host, want := range map[string]string{
		"":                       "http://127.0.0.1:11434/v1",
		"127.0.0.1\n":            "http://127.0.0.1:11434/v1",
		"gpu":                    "http://gpu:11434/v1",
		"gpu:80":                 "http://gpu:80/v1",
		":5000":                  "http://127.0.0.1:5000/v1",
		"0.0.0.0":                "http://127.0.0.1:11434/v1",
		"0.0.0.0:5000":           "http://127.0.0.1:5000/v1",
		"[::1]":                  "http://[::1]:11434/v1",
		"[::]:5000":              "http://127.0.0.1:5000/v1",
		"http://gpu":             "http://gpu/v1",
		"http://[::1]":           "http://[::1]/v1",
		"https://ollama.example": "https://ollama.example/v1",
		"https://gpu:8443/llm/":  "https://gpu:8443/llm/v1",
		"ftp://gpu":              "",
		"http://me:word@gpu":     "",
		"gpu:port":               "",
	} {
		got, err := ollamaURL(host)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q, %v; want %q", host, got, err, want)
		}
	}
}
