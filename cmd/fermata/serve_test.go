package main

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// servedURL is where a server listens, as its start screen in JSON has it.
var servedURL = regexp.MustCompile(`"url":"(http://[^"]+)"`)

// httpFor makes a request to the server whose start screen is in the file served: http METHOD PATH [BODY [KEY]]. It writes the status
// and the body of the answer. The variable TOKEN of the script is the token that it logs in with, ORIGIN the origin of the page that asks;
// then the origin that may read the answer stands behind the status. COOKIE is the cookie of its session, and HEADERS has further headers, each
// "NAME: VALUE", with semicolons between them.
func httpFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || len(args) > 4 {
		ts.Fatalf("usage: http METHOD PATH [BODY [KEY]]")
	}
	base := servedAt(ts)
	body := ""
	if len(args) > 2 {
		body = args[2]
	}
	if strings.HasPrefix(args[1], "http://") { // of another address
		base = ""
	}
	r, err := http.NewRequest(args[0], base+args[1], strings.NewReader(body))
	ts.Check(err)
	r.Header.Set("Content-Type", "application/json")
	if token := ts.Getenv("TOKEN"); token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if origin := ts.Getenv("ORIGIN"); origin != "" {
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
	}
	if cookie := ts.Getenv("COOKIE"); cookie != "" {
		r.Header.Set("Cookie", cookie)
	}
	for line := range strings.SplitSeq(ts.Getenv("HEADERS"), ";") {
		if name, value, ok := strings.Cut(line, ":"); ok {
			r.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
			r.Host = r.Header.Get("Host")
		}
	}
	if len(args) > 3 {
		r.Header.Set("Idempotency-Key", args[3])
	}
	res, err := http.DefaultClient.Do(r)
	ts.Check(err)
	defer func() { _ = res.Body.Close() }()
	data, err := io.ReadAll(res.Body)
	ts.Check(err)
	status := res.Status[:3]
	if reader := res.Header.Get("Access-Control-Allow-Origin"); reader != "" {
		status += " to " + reader
	}
	_, err = io.WriteString(ts.Stdout(), status+" "+strings.TrimSpace(string(data))+"\n")
	ts.Check(err)
}

// servedAt is where the server of a script listens, as soon as it has said so.
func servedAt(ts *testscript.TestScript) (base string) {
	eventually(func() bool {
		data, _ := os.ReadFile(ts.MkAbs("served"))
		if found := servedURL.FindSubmatch(data); found != nil {
			base = string(found[1])
		}
		return base != ""
	}, func() { ts.Fatalf("no server has said where it listens") })
	return base
}
