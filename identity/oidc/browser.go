package oidc

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"time"
)

// cookie is a cookie of a request; "" for none, and where there are several.
func (l *Login) cookie(r *http.Request, name string) string {
	given := r.CookiesNamed(l.cookieName(name))
	if len(given) != 1 {
		return ""
	}
	return given[0].Value
}

// setCookie sets a cookie that no script reads and no other site sends along, but for links. A negative time removes it.
func (l *Login) setCookie(w http.ResponseWriter, name, value string, lasts time.Duration) {
	age := int(lasts.Seconds())
	if lasts < 0 {
		age = -1
	}
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure needs https, which a server on this machine has not
		Name: l.cookieName(name), Value: value, Path: "/", MaxAge: age, HttpOnly: true, Secure: l.secure, SameSite: http.SameSiteLaxMode,
	})
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// page says why a login came to nothing.
func (l *Login) page(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"+
		"<title>Fermata</title><main><h1>Not logged in</h1><p>%s</p><p><a href=\"%s\">Log in again</a></p></main></html>\n", html.EscapeString(text), pathLogin)
}

// checkEndpoint refuses an address of the issuer that secrets must not be sent to.
func checkEndpoint(name, address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return fmt.Errorf("%s: expected an address with https, found %q", name, redacted(address))
	}
	return nil
}
