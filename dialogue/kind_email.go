package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// emailKind is the type of e-mail addresses: "ada@example.com".
var emailKind = plainKind{facts{
	name: Email, aliases: []string{"mail"}, said: phrase.Email, document: map[string]any{"type": "string", "pattern": `^[^@ ]+@[^@ ]+$`},
	traits: traits{labelled: true, distinct: true},
}}
