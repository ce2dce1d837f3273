package dialogue

import "github.com/fermata-go/fermata/dialogue/internal/phrase"

// refusing is what is made of a message that refuses a value that was asked for ("Monday not, Tuesday"), or stops a part of what is to be
// confirmed ("cancel one bike"); done reports whether it is such.
func (u *utterance) refusing() (all []Command, done bool, err error) {
	if u.flow != "" && u.Pending.confirms() && u.stopsPart(u.text) && len(u.begins()) == 0 {
		return u.takesOut(), true, nil
	}
	kept, refused := u.kept()
	if !refused {
		return nil, false, nil
	}
	turn := *u.Turn
	turn.Text = kept
	all, err = u.phrases.understand(&turn)
	return all, true, err
}

// stopsOther reports whether words that may stop something stop no flow: they ask, or speak of a part of what goes on: "can I cancel
// later?", "cancel one bike", "cancel the helmet". "Can you cancel it?" stops.
func (u *utterance) stopsOther(text string) bool {
	if u.locale.Question(text) && !u.locale.Requested(text) {
		return true
	}
	return u.stopsPart(text)
}

// isWider reports whether words that may stop what goes on are part of more that does not begin so: "leave it with a neighbour".
func (u *utterance) isWider(said phrase.Said, text string) bool {
	_, names := u.locale.CancelsWhat(text)
	return u.Pending != nil && said.Command == phrase.Cancel && said.Score < surely && !names
}

// stopsPart reports whether words stop a part of what goes on: what a slot counts, or what it is called.
func (u *utterance) stopsPart(text string) bool {
	what, ok := u.locale.CancelsWhat(text)
	words := u.locale.Content(what)
	if !ok || len(words) == 0 {
		return false
	}
	for _, sl := range u.places() {
		if _, counted := u.locale.Counted(u.spoken(sl), what, u.Now); counted && sl.traits().counts {
			return true
		}
	}
	slot := u.named(what)
	if sl := u.slotOf(slot); slot != "" && sl.traits().counts && u.locale.Indefinite(what) { // "un vélo": one of several
		return true
	}
	return slot != "" && !u.callsAny(words, false)
}
