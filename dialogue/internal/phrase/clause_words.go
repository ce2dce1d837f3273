package phrase

// The words of Clauses by language.
var (
	englishClauses = Clauses{
		Names:  `my name is | my names | my name | the name is | the names | name is | i am called | im called | we are called | booked for | booked under | the booking is for`,
		Wants:  `i need | i want | i would like | id like | we need | we want | we would like | wed like | i also need | i also want | id also like | add | i take | ill take`,
		Hedges: `maybe | perhaps | possibly`,
		Alls:   `everything | all | all of it | the rest | everything else`,
		Except: `except | except for | except that | but | but not | apart from | other than | only not | just not | with the exception of | all but`,
		Alone:  `just me | only me | me alone | alone | by myself | on my own | myself | just myself | only myself`,
		Nobody: `nobody | no one | noone`,
		People: `people | person | persons | guests | guest | travellers | adults | seats | diners`,
		Onward: `thats it | that is it | thats all | that is all | that was all | that will be all | that would be all | nothing else | nothing more | no more | nothing further | done | im done | i am done | next | continue | go on | move on | skip`,
	}
	germanClauses = Clauses{
		Names:  `mein name ist | mein name | ich heisse | ich heiss | wir heissen | der name ist | der name lautet | name ist`,
		Wants:  `ich brauche | ich mochte | ich will | ich hatte gern | ich hatte gerne | wir brauchen | wir mochten | ich nehme | wir nehmen | ich brauche auch | ich brauche noch | ich mochte auch | ich mochte noch | dazu`,
		Hedges: `vielleicht | eventuell | moglicherweise`,
		Alls:   `alles | alles andere | der rest | das meiste`,
		Except: `ausser | bis auf | nur | nur nicht | aber nicht | mit ausnahme von | abgesehen von | ausgenommen`,
		Alone:  `nur ich | ich allein | ich alleine | allein | alleine | nur fur mich | fur mich allein | nur mich | ganz allein | bloss ich`,
		Nobody: `niemand | keiner`,
		People: `personen | person | gaste | gast | leute | erwachsene | reisende | teilnehmer | platze`,
		Onward: `das wars | das war s | das war es | das war alles | das ist alles | das ware alles | mehr nicht | sonst nichts | sonst nichts mehr | nichts weiter | nichts mehr | nichts weiteres | fertig | weiter | nachste | nachste frage | passt so | danke das wars`,
	}
	frenchClauses = Clauses{
		Names:  `je mappelle | mon nom est | mon nom cest | nous nous appelons | le nom est | nom est | cest au nom de`, //nolint:dupword // French says "nous nous"
		Wants:  `jai besoin de | jai besoin dun | jai besoin dune | il me faut | il nous faut | je veux | je voudrais | jaimerais | nous voulons | nous voudrions | je prends | jajoute | avec`,
		Hedges: `peut etre | peutetre | eventuellement | possiblement`,
		Alls:   `tout | tout le reste | le reste`,
		Except: `sauf | excepte | hormis | a part | mais pas | a lexception de | a lexception du | a part pour`,
		Alone:  `juste moi | seulement moi | moi seul | moi seule | seul | seule | tout seul | toute seule | que moi | rien que moi | moi uniquement`,
		Nobody: `personne`,
		People: `personnes | personne | convives | invites | adultes | voyageurs | participants | places`,
		Onward: `cest tout | ce sera tout | cetait tout | rien dautre | rien de plus | rien dautre merci | plus rien | suivant | suite | continuer | continuez | la suite | termine | fini | jai fini`,
	}
)
