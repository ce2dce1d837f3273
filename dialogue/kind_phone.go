package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// phoneKind is the type of telephone numbers: "+49301234567".
var phoneKind = plainKind{facts{
	name: Phone, aliases: []string{"telephone", "tel"}, said: phrase.Phone, document: map[string]any{"type": "string", "pattern": `^\+?[0-9]{6,15}$`},
	traits: traits{labelled: true},
}}
