// Package identity says who makes a request to a server, and what they may do.
//
// It knows people, rights, roles, and the tokens by which people log in:
//
//	tokens := identity.NewTokens(settings.New(store, settings.Options{}), rt.Now)
//	secret, token, err := tokens.Create(ctx, identity.Token{Name: "ada's laptop", Person: "ada@example.com", Role: "operator"}, "root")
//	fmt.Println(secret.Reveal()) // once: the store keeps its SHA-256
//
//	person, err := tokens.Request(r) // by the header Authorization
//	person.May(identity.Start, "refund")
//
// A token is looked up each time it is used, so one that is revoked works no more. The package serves no routes: packages api and
// server ask it by Options.Authorize. It keeps no passwords and no sessions.
package identity
