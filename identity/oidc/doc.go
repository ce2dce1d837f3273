// Package oidc lets people log in at an OpenID Connect issuer.
//
// That is Keycloak, Entra ID, Google or Dex, for instance:
//
//	login, err := oidc.New(oidc.Options{
//		Issuer: "https://login.example.com/realms/desk", ClientID: "fermata", Secret: secret, URL: "https://desk.example.com",
//		Grants:   identity.Grants{{Group: "finance", Role: "operator"}},
//		Sessions: identity.NewSessions(settings.New(store, settings.Options{}), rt.Now), Now: rt.Now,
//	})
//	who := identity.Any(login.Way())      // for server.Options.Authorize
//	handler = login.Handler(handler)      // adds /login, /login/callback and /logout
//
// A browser logs in with an authorization code and PKCE, and gets a session in a cookie. Programs send a JWT of the issuer in the
// header Authorization. Both are checked with each request (law W7). The package keeps no tokens of the issuer: a session has what the ID token
// said when it began.
package oidc
