package dialogue_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fermata-go/fermata/dialogue"
)

// TestAConversationInFrench books a table: values, a correction, a word that is not understood and a cancel are said as
// people say them in French, and every message is in French.
func TestAConversationInFrench(t *testing.T) {
	d := compiled(t, dialogue.Definition{
		Name: "restaurant", Settings: dialogue.Settings{Language: "fr-FR", Zone: "UTC", Currency: "EUR"},
		Flows: []dialogue.Flow{{
			Name: "table", Description: "réserver une table", Trigger: []string{"[je voudrais] réserver une table", "une table"},
			Slots: []dialogue.Slot{
				{Name: "personnes", Type: dialogue.Integer, Description: "le nombre de personnes"},
				{Name: "jour", Type: dialogue.Date, Description: "le jour"},
				{Name: "heure", Type: dialogue.Time, Description: "l'heure"},
			},
			Steps: []dialogue.Step{
				{ID: "personnes", Type: dialogue.CollectStep, Slot: "personnes", Message: "Combien de personnes ?"},
				{ID: "jour", Type: dialogue.CollectStep, Slot: "jour", Message: "Quel jour ?"},
				{ID: "heure", Type: dialogue.CollectStep, Slot: "heure", Message: "À quelle heure ?"},
				{ID: "ok", Type: dialogue.ConfirmStep, Message: "Une table pour {{ personnes }}, le {{ jour }} à {{ heure }} ?"},
				{ID: "fait", Type: dialogue.InformStep, Message: "C'est réservé."},
			},
		}},
	}, dialogue.Options{})
	got := talk(t, d, nil, "Je voudrais réserver une table, s'il vous plaît", "quatre-vingt-dix", "pas 90 mais quatre", "le 3 mai 2030", "huit heures et demie du soir", "peut-être", "bien sûr",
		"une table", "laissez tomber", "combien coûte un éléphant")
	const want = `> Je voudrais réserver une table, s'il vous plaît
  Combien de personnes ?
> quatre-vingt-dix
  Quel jour ?
> pas 90 mais quatre
  Entendu, le nombre de personnes : 4.
  Quel jour ?
> le 3 mai 2030
  À quelle heure ?
> huit heures et demie du soir
  Une table pour 4, le vendredi 3 mai 2030 à 20 h 30 ?
> peut-être
  Je n'ai pas compris.
  Une table pour 4, le vendredi 3 mai 2030 à 20 h 30 ?
> bien sûr
  C'est réservé.
  Puis-je faire autre chose pour vous ?
> une table
  Combien de personnes ?
> laissez tomber
  Entendu, j'arrête là : réserver une table.
> combien coûte un éléphant
  Je n'ai pas compris.
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
