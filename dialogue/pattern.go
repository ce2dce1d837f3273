package dialogue

import "slices"

// PatternName is a turn that conversations take, and for which there is an answer.
type PatternName string

// The patterns. Each says its message, or begins a flow in its place.
const (
	OnCorrection   PatternName = "correction"    // a slot has another value now
	OnTooLate      PatternName = "too_late"      // what hangs on the slot was done already and cannot be taken back
	OnRejection    PatternName = "rejection"     // a value is not good; the slot's own error goes before
	OnUnsure       PatternName = "unsure"        // a value was not understood surely enough
	OnDoubt        PatternName = "doubt"         // words beside a value were not understood: is it meant?
	OnCancel       PatternName = "cancel"        // the user does not go on with a flow
	OnNothing      PatternName = "nothing"       // there is nothing to cancel
	OnUnavailable  PatternName = "unavailable"   // a flow that was asked for cannot be begun now
	OnDigression   PatternName = "digression"    // another flow comes first
	OnResume       PatternName = "resume"        // an interrupted flow goes on
	OnDenied       PatternName = "denied"        // a confirmation was answered with no, and the flow ends
	OnCleared      PatternName = "cleared"       // a slot is empty again
	OnSkip         PatternName = "skip"          // an optional slot is left out
	OnSkipRefused  PatternName = "skip_refused"  // a slot cannot be left out
	OnClarify      PatternName = "clarify"       // several flows may be meant
	OnChitchat     PatternName = "chitchat"      // small talk without an answer of its own
	OnCannotHandle PatternName = "cannot_handle" // nothing was understood
	OnHandoff      PatternName = "handoff"       // a person takes over
	OnReturn       PatternName = "return"        // the person gives the conversation back
	OnSilence      PatternName = "silence"       // nobody has said anything for a while
	OnClose        PatternName = "close"         // the conversation is over
	OnFailure      PatternName = "failure"       // an action failed
	OnRefused      PatternName = "refused"       // a step gives a slot a value that is not good, and the flow ends
	OnCompleted    PatternName = "completed"     // all that was begun is done
	OnRepeat       PatternName = "repeat"        // there is nothing to say again
	OnStale        PatternName = "stale"         // an answer was given to another question than the one that stands
	OnHelp         PatternName = "help"          // what can be done; it knows flows: what the flows are called
	OnPause        PatternName = "pause"         // the user needs a moment
	OnLanguage     PatternName = "language"      // the conversation goes on in the language that was asked for; it knows language
	OnLanguages    PatternName = "languages"     // the dialogue does not have it, or was asked which it has; it knows languages
	OnLater        PatternName = "later"         // of several flows that were named at once, one waits
)

// Pattern is what happens at such a turn.
type Pattern struct {
	// Message is said; it may hold expressions. An empty one is silent. Beside the flow's slots it knows flow (its
	// description; of OnClarify all that may be meant), and of a slot: slot, value, reason and left (words that were not
	// understood).
	Message string
	Texts   []Variation // in place of Message: several, of which one is said
	Flow    string      // begins in place of the message
}

// patternNames are all patterns. The catalogue of each language has a default message for every one.
var patternNames = []PatternName{
	OnCorrection, OnTooLate, OnRejection, OnUnsure, OnDoubt, OnCancel, OnNothing, OnDigression, OnResume, OnDenied, OnCleared, OnSkip, OnSkipRefused,
	OnClarify, OnChitchat, OnCannotHandle, OnHandoff, OnReturn, OnSilence, OnClose, OnFailure, OnRefused, OnCompleted, OnRepeat,
	OnStale, OnHelp, OnPause, OnLater, OnUnavailable, OnLanguage, OnLanguages,
}

// PatternNames returns all patterns, sorted.
func PatternNames() []PatternName { return slices.Sorted(slices.Values(patternNames)) }
