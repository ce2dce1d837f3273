package oidc

// OwnPath is for fuzzing.
var OwnPath = ownPath
