package phrase

// role is something that a word may do, beside its class. A word may have several.
type role uint64

// The roles, by the lists of Language that give them. What each is for stands there.
const (
	amiss role = 1 << iota
	stops
	plain
	ands
	without
	truth
	falsehood
	asksName
	polite
	further
	joint
	changer
	limit
	bounding
	greeting
	present
	owner
	copula
	askword
	asking
	pronoun
	canceller
	link
	named
	vague
	thing
	final
	afresh
	orders
	dayPart
	lacking
	having
	suiting
	since
	lasting
	you
	aging
	starting
	person
	dividing
	particle
	title
	noName
	given
	dropper
	sharp
	spare
	foremost
	pointing
	site
	ends
	modal
	rate
	accounting
	done
	dropped
	returning
	returned
	about
	gone
)

// wordRoles are the lists of words that give roles.
func (l *Language) wordRoles() map[role]string {
	v, a, b, s := &l.Verdicts, &l.Answers, &l.Beside, &l.Asides
	return map[role]string{
		accounting: l.Tellings.Accounts, done: l.Tellings.Done, dropped: l.Tellings.Dropped, returning: l.Tellings.Returns, returned: l.Tellings.Objects,
		pointing: l.Ways.Points, site: l.Ways.Sites, ends: l.Ways.Ends, about: l.Evasions.Near, gone: l.Evasions.Gone, dropper: s.Drops, spare: s.Spares, sharp: l.Values.Sharp,
		dividing: l.Fractions.Over, aging: b.Ages, starting: b.Starts, person: b.Persons, particle: l.Names.Particles, title: l.Names.Titles, noName: l.Names.Others, given: l.Names.Given, amiss: v.Amiss, stops: v.Stops, plain: v.Plain, you: s.You, since: l.Values.Since, lasting: l.Values.Lasting, rate: l.Values.Rates, lacking: v.Lacks, having: v.Has, suiting: v.Suits, ands: l.Values.Ands, without: l.Values.Without, truth: l.Values.True, falsehood: l.Values.False,
		asksName: a.NameWords, polite: a.Polite, further: a.Further, afresh: a.Afresh, joint: a.Joints, changer: b.Changers, limit: b.Limits, bounding: b.Bounds, greeting: b.Greetings, present: a.Present, owner: a.Owners, copula: a.Copulas,
		askword: s.Asks, asking: s.Asking, modal: s.Modals, pronoun: s.Pronouns, canceller: s.Cancels, link: s.Links, orders: a.Orders, foremost: s.Firsts, dayPart: l.Values.DayParts, named: s.Names, vague: s.Vague, thing: s.Things, final: s.Finals,
	}
}
