// Package fakeissuer is an issuer of OpenID Connect for tests.
//
// It has discovery, keys, the authorization endpoint, the token endpoint and the end of sessions.
// It checks what a good issuer checks (client, secret, redirect address, code, PKCE), and signs everything that a test wants, wrong
// claims and wrong keys included. It logs everybody in as the person that the test has named; there is no password.
package fakeissuer
