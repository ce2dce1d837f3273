package phrase

// The words of Clauses by language.
var (
	englishClauses = Clauses{
		Names:  `my name is | my names | my name | the name is | the names | name is | i am called | im called | we are called | booked for | booked under | the booking is for`,
		Wants:  `i need | i want | i would like | id like | we need | we want | we would like | wed like | i also need | i also want | id also like | add | i take | ill take`,
		Hedges: `maybe | perhaps | possibly`,
	}
	germanClauses = Clauses{
		Names:  `mein name ist | mein name | ich heisse | ich heiss | wir heissen | der name ist | der name lautet | name ist`,
		Wants:  `ich brauche | ich mochte | ich will | ich hatte gern | ich hatte gerne | wir brauchen | wir mochten | ich nehme | wir nehmen | ich brauche auch | ich brauche noch | ich mochte auch | ich mochte noch | dazu`,
		Hedges: `vielleicht | eventuell | moglicherweise`,
	}
	frenchClauses = Clauses{
		Names:  `je mappelle | mon nom est | mon nom cest | nous nous appelons | le nom est | nom est | cest au nom de`,
		Wants:  `jai besoin de | jai besoin dun | jai besoin dune | il me faut | il nous faut | je veux | je voudrais | jaimerais | nous voulons | nous voudrions | je prends | jajoute | avec`,
		Hedges: `peut etre | peutetre | eventuellement | possiblement`,
	}
)
