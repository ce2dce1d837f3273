package phrase

import (
	"maps"
	"slices"
)

// French is how people say things in French, and what they are told. Words are written as they are folded: "tres", "daccord".
var French = &Language{
	Tag: "fr",
	And: " et ", Or: " ou ",
	Months:   "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
	Weekdays: "dimanche lundi mardi mercredi jeudi vendredi samedi",
	Texts: Texts{
		Quoted: "« {said} »",
		Yes:    "oui",
		No:     "non",
		Empty:  "aucun",

		NotOfType:            "{value} n'est pas {type}.",
		Impossible:           "{value} n'est pas possible ici.",
		WrongForm:            "{said} n'a pas la forme attendue.",
		WrongList:            "Je ne peux pas lire {said} comme une liste.",
		WrongMember:          "Numéro {place} : {reason}",
		SeveralMeanings:      "{said} peut être {choices}.",
		NoSuchChoice + One:   "Il n'y a que {count} choix possible, et {said} n'en fait pas partie.",
		NoSuchChoice + Many:  "Il y a {count} de choix possibles, et {said} n'en fait pas partie.",
		NoSuchChoice + Other: "Il y a {count} choix possibles, et {said} n'en fait pas partie.",
		NoneTaken:            "Rien n'a été choisi.",
		AnyTaken:             "Choisissez vous-même, s'il vous plaît.",
		AllTaken:             "Un seul choix est possible, et vous en avez cité plusieurs.",
		SeveralTaken:         "Un seul choix est possible, et vous en avez cité plusieurs : {said}.",
		LongNumber:           "Un nombre a au plus {digits} chiffres.",
		NotWhole:             "{value} n'est pas un nombre entier.",
		LongAmount:           "Un montant a au plus {digits} chiffres.",
		NoMoney:              "Je ne peux pas lire {said} comme un montant.",
		OtherCurrency:        "{said} n'est pas en {currency}.",
		TwoCurrencies:        "{said} est en deux monnaies.",
		SmallAmount + One:    "Un montant en {currency} a au plus {count} décimale, et {value} en a davantage.",
		SmallAmount + Many:   "Un montant en {currency} a au plus {count} de décimales, et {value} en a davantage.",
		SmallAmount + Other:  "Un montant en {currency} a au plus {count} décimales, et {value} en a davantage.",
		NoMonth:              "Il n'y a pas de mois {month}.",
		NoDay:                "Il n'y a pas de {day} {month}.",
		NoLeapDay:            "Il n'y a pas de {day} {month} en {year}.",
		FarAway:              "C'est trop loin pour être une date.",
		OtherWeekday:         "Le {date} est un {weekday}, et non un {said}.",
		NoWeekday:            "Un tel {weekday} n'existe pas.",
		WhichDay:             "Quel jour voulez-vous dire par {said} ?",
		WhichTime:            "Quelle heure voulez-vous dire par {said} ?",
		WhichOne:             "Lequel voulez-vous dire : {choices} ?",
		NoTime:               "L'heure {time} n'existe pas.",
		ClocksForward:        "{time} n'existe pas le {date} : on passe à l'heure d'été.",
		TimeMissing:          "Il manque une heure.",
		OneEnd:               "Voulez-vous dire à partir de {said}, ou jusqu'à {said} ?",
		Backwards:            "{said} finit avant de commencer.",
		NoZone:               "Je ne connais pas le fuseau horaire {said}.",
		NoHoliday:            "Je ne connais pas le jour férié {said}.",
		DayShown:             "{day} {month} {year}", DateShown: "{weekday} {day} {month}", DateOfShown: "{weekday} {day} {month} {year}", DateAtShown: "{date} à {time}",
		MoneyShown: "{amount} {sign}", CodeShown: "{amount} {code}", HolidayShown: "{name} ({date})",
		FirstShown: "1er", TimeShown: "{hour} h {minute}", HourShown: "{hour} h", ClockShown: "{time}", PercentShown: "{number} %",
		"years.one": "{count} an", "years.other": "{count} ans", "years.many": "{count} d'ans", "months.one": "{count} mois", "months.other": "{count} mois", "months.many": "{count} de mois", "days.one": "{count} jour", "days.other": "{count} jours", "days.many": "{count} de jours",
		"hours.one": "{count} heure", "hours.other": "{count} heures", "hours.many": "{count} d'heures", "minutes.one": "{count} minute", "minutes.other": "{count} minutes", "minutes.many": "{count} de minutes", "seconds.one": "{count} seconde", "seconds.other": "{count} secondes", "seconds.many": "{count} de secondes",
		RangeBoth: "{from} à {to}", RangeLeast: "au moins {from}", RangeMost: "au plus {to}", RangeSince: "à partir de {from}", RangeUntil: "jusqu'à {to}",

		"type.text":      "un texte",
		"type.number":    "un nombre",
		"type.integer":   "un nombre entier",
		"type.money":     "un montant",
		"type.date":      "une date",
		"type.time":      "une heure",
		"type.datetime":  "une date avec une heure",
		"type.choice":    "un des choix",
		"type.boolean":   "un oui ou un non",
		"type.list":      "une liste",
		"type.object":    "ce qu'il faut ici",
		"type.duration":  "une durée",
		"type.percent":   "un pourcentage",
		"type.phone":     "un numéro de téléphone",
		"type.email":     "une adresse e-mail",
		"type.fraction":  "une fraction",
		"type.range":     "une plage",
		"type.time_zone": "un fuseau horaire",
		"type.holiday":   "un jour férié",

		"pattern.correction":    "Entendu, {slot} : {value}.",
		"pattern.doubt.text":    "Voulez-vous dire {value} comme {slot} ?",
		"pattern.doubt":         "Je n'ai pas compris {left}. Voulez-vous dire {value} comme {slot} ?",
		"pattern.stale":         "C'était une réponse à une question précédente.",
		"pattern.pause":         "Prenez votre temps.",
		"pattern.help":          "Voici ce que je peux faire pour vous : {flows}.",
		"pattern.later":         "Ensuite : {flow}.",
		"pattern.language":      "D'accord, en {language}.",
		"pattern.languages":     "Je parle {languages}.",
		"pattern.unavailable":   "Ce n'est pas possible pour le moment : {flow}.",
		"pattern.too_late":      "C'est déjà fait, et cela ne peut plus être changé.",
		"pattern.rejection":     "{reason}",
		"pattern.unsure":        "Je ne suis pas sûr d'avoir compris.",
		"pattern.cancel":        "Entendu, j'arrête là : {flow}.",
		"pattern.nothing":       "Il n'y a rien à annuler.",
		"pattern.digression":    "",
		"pattern.resume":        "Continuons avec : {flow}.",
		"pattern.denied":        "Entendu, je ne le ferai pas.",
		"pattern.cleared":       "Entendu, {slot} : à préciser.",
		"pattern.skip":          "",
		"pattern.skip_refused":  "Sans cela, je ne peux pas continuer.",
		"pattern.clarify":       "Vous voulez dire : {flow} ?",
		"pattern.chitchat":      "Je suis là pour vous aider.",
		"pattern.cannot_handle": "Je n'ai pas compris.",
		"pattern.handoff":       "Je fais appel à quelqu'un qui pourra vous aider et lire notre conversation.",
		"pattern.return":        "Je suis de nouveau là pour vous.",
		"pattern.silence":       "Êtes-vous toujours là ?",
		"pattern.close":         "Au revoir.",
		"pattern.failure":       "Désolé, quelque chose a mal tourné, et j'ai dû arrêter : {flow}.",
		"pattern.refused":       "{reason} J'ai dû arrêter : {flow}.",
		"pattern.completed":     "Puis-je faire autre chose pour vous ?",
		"pattern.repeat":        "Que puis-je faire pour vous ?",
	},
	Classes: Classes{
		Filler: `je veux voudrais voudrait aimerais jaimerais souhaite souhaiterais desire besoin jai peux pouvez peut pourriez pourrais puis faut bonjour bonsoir salut merci svp stp sil plait te alors donc bon bien ben bah
			maintenant juste simplement me moi mon ma mes nous vous tu oui ouais si voila faire aller aide aidez avec desole pardon excusez monsieur madame hey coucou ok daccord tres`,
		Function: `le la les l un une des du de d au aux a en dans sur sous pour par vers chez ce cet cette ces cest il elle ils elles on qui que quoi quel quelle quels quelles ou comment quand pourquoi combien est sont etait
			etaient etre sera son sa ses notre nos votre vos leur leurs et mais car comme se y lui eux dont entre jusqua depuis`,
		Hum:      "euh heu hum hmm hm ah oh eh ben",
		Negation: "ne pas non aucun aucune jamais rien sans ni personne nai nest",
	},
	Verdicts: Verdicts{
		Yes: `oui | ouais | ouai | ouaip | mouais oui | mais si | mais oui | oui oui | cest parfait | ca roule | cest tres bien | oui bien sur | bien sur | bien entendu | evidemment | naturellement | certainement | absolument | tout a fait | exactement | exact |
			cest exact | cest ca | cest bien ca | cest correct | correct | cest bon | cest juste | juste | parfait | tres bien | daccord | dac | entendu | ok | okay | okey | ca marche | ca me va | ca me va bien | ca me va tres bien | cela me va | ca nous va | cest tout bon | tout est bon | ca va pour moi | ca me convient | cela me convient |
			oui sil vous plait | oui sil te plait | oui svp | oui merci | oui merci beaucoup | oui merci bien | volontiers | avec plaisir | allez y | vas y | allons y | on y va | cest parti | faites le | fais le | faites | faites ca | faites donc | je confirme | confirme |
			confirmez | je valide | valide | validez | jaccepte | accepte | je suis daccord | continuez | continue | super | genial | impeccable | nickel | certes | affirmatif | yes | je veux bien | sans probleme oui | vrai |
			cest vrai | sans aucun doute | je suis sur | je suis sure | bien volontiers | va pour ca`,
		Pleased: "tout va bien | tout est en ordre | tout est correct | tout est juste",
		No: `non | jai dit non | je dis non | nan | nan nan | non non | non merci | non merci beaucoup | non merci bien | malheureusement non | mais non | no | nope | pas du tout | surtout pas | absolument pas | certainement pas | bien sur que non | pas question | hors de question | jamais | jamais de la vie | pas maintenant |
			pas encore | pas aujourdhui | pas cette fois | pas vraiment | pas ca | ca ne me va pas | ca me va pas | ca ne va pas | ca va pas | ca ne me convient pas | ca me convient pas | cela ne me convient pas | ca ne nous va pas | pas comme ca | pas daccord | je ne suis pas daccord | je refuse | refuse | refusez | je decline | faux | cest faux | incorrect | cest incorrect |
			ce nest pas ca | cest pas ca | ce nest pas correct | cest pas correct | ce nest pas bon | cest pas bon | ce nest pas juste | cest pas juste | je ne veux pas | je veux pas | je ne prefere pas | je prefere pas |
			plutot pas | plutot non | en aucun cas | negatif | aucunement | nullement | ne le faites pas | ne faites pas ca | ne fais pas ca | ne le fais pas | pas interesse | ca ne minteresse pas | pas la peine`,
		Bars:   "ne faites pas | ne fais pas | ne le faites pas | ne le fais pas | surtout ne | surtout pas | je ne veux pas | je veux pas | il ne faut pas | en aucun cas",
		WeakNo: "je ne crois pas | je crois pas | je ne pense pas | je pense pas | je ne crois pas non | je crois que non | je pense que non | probablement pas | sans doute pas | pas specialement | pas tellement | bof",
		Doubts: `peut etre | peut etre pas | peut etre bien | eventuellement | possible | cest possible | probablement | sans doute | je crois | je crois que oui | je pense | je pense que oui | je suppose | jespere | ca depend |
			cela depend | tout depend | je ne sais pas | je sais pas | jsais pas | chais pas | sais pas | aucune idee | je nai aucune idee | pas sur | pas sure | je ne suis pas sur | je ne suis pas sure | je suis pas sur | je suis pas sure | pas certain |
			pas certaine | oui et non | oui ou non | ni oui ni non | comme vous voulez | comme tu veux | peu importe | ca mest egal | cela mest egal | mest egal | dans une minute | dans un moment | dans un instant | un moment | un instant | une seconde | attendez | attends |
			pas de probleme | pas de souci | pourquoi pas | a la limite | si vous voulez | si tu veux | mouais | je ne comprends pas | je comprends pas | pas forcement | plus ou moins | presque | on verra | a voir | ca se peut |
			faut voir | je vais reflechir | je dois reflechir | si ca vous arrange | oui mais | pas mal`,
		Around: `pour moi | pour nous | bonne journee | bonne soiree | tres bonne journee | bonne fin de journee | davoir demande | de demander | pour loffre | euh | heu | hum | hmm | hm | ah | oh | eh | ben | bah | bon | alors | donc | merci | merci beaucoup | merci bien | sil vous plait | sil te plait | svp | stp | voila | la | tres | vraiment | quand meme`,
		Turns:  "mais | enfin | et | cependant | pourtant | par contre | plutot | mieux | seulement | en fait | je veux dire | je voulais dire | aussi | sauf",
		Amiss: `si peut etre eventuellement probablement crois pense suppose espere doute douter sur sure certain certaine quand avant apres attendez attends attendre moment instant stop arretez arrete annulez annuler annule
			que quoi quel quelle comment pourquoi qui ou faux rien personne presque pourrait devrait blague rire lol mdr haha pourtant cependant mais non nan ne pas aucun aucune jamais egal idee sinon sauf theoriquement plus`,
		Plain: "oui ouais ouai si ok okay dac daccord",
		Long:  "certainement absolument exactement evidemment naturellement parfait daccord volontiers entendu confirme correct",
		Lacks: "sans",
		Has:   "avec",
		Suits: "va vont convient conviennent marche possible bon bonne libre dispo disponible arrange temps peux peut pouvons suis du tout malheureusement ca",
		Stops: "non stop arretez arrete arreter annulez annule annuler attendez attends supprimez supprimer oubliez oublie refuser",
		Kept:  "gardez | garde | garder | conservez | gardez le | gardez la | garde le | garde la | laissez comme ca | ca ira | cest tout | rien dautre | prenez votre temps",
	},
	Answers: Answers{
		Fillers: `je voudrais | je veux | jaimerais | je souhaite | je souhaiterais | je prends | je prendrai | je choisis | on prend | on va dire | disons | mettons | mettez | je dis | je crois | je pense | peut etre | cest | ce sont |
			ce sera | ce serait | ca serait | ca fait | il y en a | nous sommes | on est | on sera | nous serons | environ | a peu pres | autour de | pres de | exactement | juste | seulement | le | la | les | l | un | une | du | de | a | pour | sil vous plait |
			sil te plait | svp | merci | merci beaucoup | si possible | en tout | au total | ca ira | ca me va | alors | bon | ben | oui | ok | daccord | bonjour | euh | ans | heures | pile | tapantes | precises | precise | montant | somme | plutot | vers`,
		Intros:    `cest | ce sera | ce serait | mon nom est | je mappelle | il sappelle | elle sappelle | nom | le nom est | je dis | disons | je voudrais | je prends | je veux | alors | bon | ok | daccord | envoyez le a | envoyez a | cest pour | la reponse est | ecrivez | bonjour ici | ici | je suis`,
		Outros:    "je crois | je pense | je dirais | si possible | merci beaucoup | sil vous plait",
		Selves:    "je suis | nous sommes | on est | appelez moi | appelle moi | vous pouvez mappeler | tu peux mappeler | on mappelle | tout le monde mappelle",
		NameWords: "nom noms appelle appelez appellent prenom qui",
		Polite:    "merci svp stp",
		Afresh:    "nouveau nouvelle nouveaux nouvel second seconde",
		Orders:    "dabord puis ensuite",
		Further:   "autre autres encore plus davantage sinon",
		Enough:    `cest tout | ce sera tout | ca sera tout | voila tout | rien dautre | rien de plus | plus rien | ca suffit | jai fini | cest fini | termine | fini | tout est bon | assez`,
		Joints:    "de du des a au aux en dans pour avec chez sur vers par entre",
		Present:   "ici",
		Owners:    "mon ma mes le la les l notre nos votre vos",
		Copulas:   "est sont etait cest sera serait doit devrait etre sappelle",
		Leads: map[string]string{
			"qui": "a pour avec chez de", "ou": "a au aux en dans chez vers", "quoi": "de a", "quel": "de du", "quelle": "de a", "pour": "pour", "avec": "avec", "vers": "vers a",
		},
	},
	Names: Names{
		Particles: "de du des la le les l d van von di da del bin ibn al el et and und y",
		Titles:    "m mr mme mlle monsieur madame mademoiselle dr docteur maitre pr oncle tante",
		Given:     "steven eve mark rose bill marc nina mary anne frank martin miller julia petit blanc",
		Others: `personne quelquun nimporte lui elle eux elles leur moi toi soi ca cela ceci rien tout tous toutes autre autres meme memes ici la
			complique compliquee difficile facile impossible inconnu secret prive urgent important cher chere malade fatigue fatiguee occupe occupee pret prete egal faux mauvais mauvaise fini finie termine fin
			demande demander dis dire sais savoir pense penser veux vouloir voudrais donne donner fais faire va aller vais laisse laisser laissez attends attendre prends prendre oublie ignore ignorez confirme repete explique abandonne jabandonne
			hesite jhesite quitte quitter secours nul nulle vite rapide lentement double encore plus moins tard tot bientot demain hier maintenant peutetre plutot sinon aussi seulement deja tres trop jamais toujours avant apres condition avis limite vrai raison cause`,
		Selves: `je suis | cest | il est | elle est | on est | nous sommes | vous etes | tu es | ils sont | ce sont | ca serait | ce serait | jai | jetais | ce sera`,
	},
	Ways: Ways{
		Points: `dhabitude chose quavant lavez savez meme memes habitude habituel habituelle avant derniere dernier fois toujours encore sais savoir savez sur certain decide decider demande demander demandez verifier regarder reflechir penser tard rappelle souviens dire dirai deja idee precedent precedente dois avez`,
		Sites:  "adresse rue",
		Routes: `va a | vont a | est pour | est a | est destine a | doit aller a | cest pour | envoyez le a | envoyez le au | envoyez la au | envoie le a | envoie le au | livrez le au | livrez au | jhabite au | jhabite | nous habitons au | nous habitons | jai demenage au | jai demenage | nous avons demenage au | nous avons demenage | on a demenage | cest maintenant | maintenant`,
	},
	Beside: Beside{
		Bounds:   "jusqua | jusqua concurrence de | au plus | au maximum | maximum | au moins | au minimum | pas plus de | pas moins de | moins de | plus de | sous | en dessous de | au dessus de | au plus tard | au plus tot | a partir de | a partir du",
		Limits:   "budget limite maximum maximal minimum plafond",
		Changers: "avant apres jusqua depuis demi demie moitie quart tiers sauf sans autre autres chaque tous toutes par fois ou si que quoi qui comment ou quand pourquoi quel quelle pas entre pendant mais",
		Carriers: `partir | pars | part | aller | vais | va | venir | viens | venons | allons | partons | revenons | arrivons | revenir | reviens | retour | arriver | arrive | depart | arrivee | rencontrer |
			rencontrons nous | on se voit | voyage | voyager | vol | train | reserver | reserve | reservation | table | rendez vous | rdv | date | visite`,
		Subjects: `ne | nee | naissance | date de naissance | anniversaire | prix | coute | coutent | payer | paie | depenser | virer | virement | envoyer | envoie |
			envoyez | livrer | livraison | commander | dejeuner | diner | fete`,
		Greetings: "bon bonne",
		Starts:    "debut debute commence commencer depart",
		Ages:      "age ages",
		Persons:   "destinataire beneficiaire conducteur conductrice invite client cliente patient passager voyageur contact societe entreprise employeur personne",
	},
	Asides: Asides{
		Openers: `ah | oh | aha | euh | tiens | au fait | dailleurs | une question | petite question | jai une question | encore une question | autre chose | avant de continuer | avant cela | dites | dites moi | dis`,
		Soft: `ok | okay | bon | bien | tres bien | super | genial | parfait | oui | ouais | daccord | entendu | merci | merci beaucoup | alors | donc | ben | bah | maintenant | hey | bonjour | salut | et | mais | aussi | sil vous plait | je vois |
			je comprends | interessant | cest bon | pas de probleme | pas de souci | haha | lol | mdr | ecoutez | ecoute`,
		Turning: `attendez | attends | attendez un peu | un moment | un moment sil vous plait | un instant | un instant sil vous plait | une seconde | une minute | stop la | pardon | desole | desolee | je suis desole | je suis desolee | excusez moi | excuse moi |
			mince | zut | oups | aie | merde | oh non | ah non | non attendez | non attends | non pardon | non desole | en fait | en realite | finalement | mon erreur | correction | je me suis trompe | je me suis trompee | erreur de ma part | cetait faux |
			je veux dire | je voulais dire`,
		Asks:     "que qui quoi comment ou quand pourquoi quel quelle quels quelles combien lequel laquelle questce",
		Modals:   "peux peut pouvez peuvent pourrais pourrait pourriez veut voulez va vont",
		Asking:   `est sont etait etaient suis es estce ai a avez ont avait peux peut pouvez peuvent pourrais pourrait pourriez dois doit devez doivent devrait sera seront veut voulez coute coutent va vont signifie fait font dure faut existe marche fonctionne arrive vient prend prenez demande`,
		Pronouns: "je tu il elle on nous vous ils elles ce cela ca moi quelquun",
		Requests: `dites moi | dis moi | montrez moi | montre moi | expliquez moi | explique moi | je veux savoir | je voudrais savoir | jaimerais savoir | je me demande | pouvez vous me dire | peux tu me dire | est ce que | est ce qu | quen est il de | savez vous | sais tu | et si`,
		You:      "vous tu",
		Finals:   "annuler resilier",
		Parts:    map[string]string{"tomber": "laisse laissez laisser"},
		Inverted: map[string]string{"vous": "ez es", "tu": "s x", "il": "t d", "elle": "t d", "on": "t d a", "nous": "ons", "ils": "nt", "elles": "nt"},
		Cancels:  "annuler annulez annule stop arreter arretez arrete abandonner abandonnez",
		Pauses: `difficile a dire | cest difficile a dire | dur a dire | cest dur a dire | je ne saurais dire | je ne saurais pas dire | je ne peux pas dire | je ne peux pas le dire | je ne sais pas trop |
			attends | attendez | attends un peu | attendez un peu | attends une seconde | attendez une seconde | attends un instant | attendez un instant | attends une minute | attendez une minute | un moment | un instant | une seconde | une minute | un petit moment |
			un petit instant | une petite seconde | une petite minute | deux secondes | deux minutes | laissez moi reflechir | laisse moi reflechir | laissez moi voir | laisse moi voir | je reflechis | je suis en train de reflechir | je dois reflechir | je vais reflechir | il faut que je reflechisse |
			je regarde | je verifie | je dois verifier | plus tard | peut etre plus tard | je ne sais pas | je sais pas | je ne sais pas encore | je sais pas encore | aucune idee | je nai aucune idee | pas sur | pas sure | je ne suis pas sur | je ne suis pas sure | je reviens |
			patientez | donnez moi une minute | donnez moi un instant | dans une minute | dans un moment | dans un instant | on verra`,
		Firsts: "dabord avant prealable",
		Vague:  "quelqu'un quelqu’un quiconque quelque ça cela",
		Drops:  "enleve enlevez enlever retire retirez retirer supprime supprimez supprimer",
		Spares: "veux voulons voudrais besoin plus je nous de d",
		Things: "commande demande operation reservation paiement tout cela ca processus action etape conversation dialogue virement plus",
		Links:  "et puis ensuite aussi apres mais egalement",
		Joins:  "ainsi que | en plus | en outre | de plus | apres cela | apres ca | par ailleurs | en plus de cela | et aussi",
	},
	Tellings: frenchTellings, Askings: frenchAskings, Evasions: frenchEvasions, Clauses: frenchClauses,
	Skips: Skips{
		None: `aucun | aucune | aucun des deux | aucune des deux | aucun dentre eux | rien | rien du tout | ni lun ni lautre | ni lune ni lautre | aucun de ceux la | personne`,
		Any:  "peu importe | nimporte lequel | nimporte laquelle | nimporte | ca mest egal | comme vous voulez | comme tu veux | au choix | choisissez | a vous de choisir | vous decidez",
		All:  "les deux | tous | toutes | tous les deux | toutes les deux | tout | tous les trois",
	},
	Speech: Speech{
		Names: map[string]string{
			"en": "anglais | l'anglais | English", "de": "allemand | l'allemand | Deutsch", "fr": "français", "it": "italien | l'italien", "es": "espagnol | l'espagnol | castillan", "pt": "portugais",
			"nl": "néerlandais | hollandais", "pl": "polonais", "cs": "tchèque", "sk": "slovaque", "sl": "slovène", "hr": "croate", "sr": "serbe", "bs": "bosniaque | bosnien", "hu": "hongrois", "ro": "roumain", "bg": "bulgare",
			"ru": "russe", "uk": "ukrainien | l'ukrainien", "tr": "turc", "el": "grec", "sv": "suédois", "da": "danois", "no": "norvégien", "fi": "finnois | finlandais", "et": "estonien | l'estonien", "lv": "letton",
			"lt": "lituanien", "sq": "albanais | l'albanais", "ar": "arabe | l'arabe", "he": "hébreu | l'hébreu", "fa": "persan | farsi", "hi": "hindi | l'hindi", "zh": "chinois | mandarin", "ja": "japonais", "ko": "coréen",
			"vi": "vietnamien", "th": "thaï",
		},
		Requests: []string{
			"(pouvons nous|pourrions nous|peut on|pourrait on|on peut|on pourrait|nous pouvons|est ce qu on peut|est ce qu on pourrait|est ce que nous pouvons|est ce que nous pourrions|puis je|je peux|est ce que je peux) (parler|continuer|discuter|écrire|échanger) [en|le] {language}",
			"(pouvons nous|pourrions nous|peut on|pourrait on|on peut|on pourrait|est ce qu on peut) (passer|basculer|changer) [la langue] (en|à|au) {language}",
			"(pouvez vous|pourriez vous|vous pouvez|vous pourriez|est ce que vous pouvez|est ce que vous pourriez) [me] (parler|répondre|continuer|écrire|passer|basculer) (en|à|au) {language}",
			"(peux tu|pourrais tu|tu peux|tu pourrais|est ce que tu peux) [me] (parler|répondre|continuer|écrire|passer|basculer) (en|à|au) {language}", "(pourriez vous|pourrais tu) parler {language} [avec moi]",
			"(pouvez vous|peux tu|vous pouvez|tu peux) parler {language} avec moi", "(parlons|continuons|discutons|échangeons|écrivons) [en|le] {language}", "(passons|basculons|revenons) (en|à|au) {language}",
			"(parlez|parle|répondez|réponds|écrivez|écris|continuez|continue) [moi] (en|le) {language} [avec moi]", "(parlez|parle) [moi] {language} avec moi",
			"(passer|passez|passe|basculer|basculez|bascule|revenir|revenez|reviens) (en|à|au) {language}", "(changer|changez|change|mettre|mettez|mets) [de|la] langue (en|à|au|pour|sur) {language}",
			"(continuer|parler) en {language}", "(je voudrais|j aimerais|jaimerais|je veux|je souhaite|je souhaiterais|je préfère|je préférerais) (parler|continuer|discuter|écrire|échanger) en {language}",
			"(je voudrais|j aimerais|jaimerais|je préfère) parler {language} avec (vous|toi)", "(je voudrais|j aimerais|jaimerais) passer (en|à|au) {language}",
		},
		Alone: []string{"{language}", "en {language}"},
		Asks: []string{
			"(parlez vous|vous parlez|est ce que vous parlez) [aussi] {language}", "(parles tu|tu parles|est ce que tu parles) [aussi] {language}", "(parlez|parles|comprenez|comprends) [vous|tu] [aussi] (le|l) {language}",
			"(comprenez vous|comprends tu|vous comprenez|tu comprends) [aussi] [le] {language}", "(pouvez vous|peux tu|vous pouvez|tu peux) parler {language}",
			"(quelles langues|quelle langue) (parlez vous|parles tu|comprenez vous)", "vous parlez (quelles langues|quelle langue)", "(quelles langues|quelle langue) (sont disponibles|puis je utiliser|peut on parler)",
			"(parlez vous|parles tu) [d] autres langues", "y a t il une autre langue", "(puis je|je peux|peut on|on peut) changer de langue",
		},
		Please: "s'il vous plaît | s'il te plaît | svp | stp | s v p | si possible | merci de",
		Around: "bonjour | bonsoir | salut | oh | ok | d'accord | bon | alors | pardon | désolé | excusez-moi | excusez moi | merci | merci beaucoup | maintenant | plutôt",
	},
	Values: Values{
		Terms: map[string]string{
			"the": "le la les l cet cette", "a": "un une", "in": "dans", "about": "environ", "of": "de du des d", "from": "depuis", "until": "jusqua jusquau", "to": "au aux",
			"at": "a vers", "and": "et", "but": "mais", "except": "sauf", "than": "que", "after": "apres lapres", "before": "avant", "between": "entre",
			"half": "demi demie", "quarter": "quart", "point": "virgule", "minus": "moins", "percent": "pourcent",
			"dozen": "douzaine", "hundred": "cent cents", "thousand": "mille", "million": "million millions", "billion": "milliard milliards", "trillion": "billion billions", "": "trillion trillions",
			"this": "ce", "next": "prochain prochaine", "coming": "suivant suivante", "last": "dernier derniere passe passee",
			"week": "semaine", "weeks": "semaines", "day": "jour journee", "days": "jours", "month": "mois", "year": "an annee", "years": "ans annees",
			"hour": "heure", "hours": "heures", "minute": "minute", "minutes": "minutes", "fortnight": "quinzaine", "weekend": "weekend",
			"later": "plus", "early": "tot", "late": "tard", "earlier": "avant", "end": "fin", "beginning": "debut", "noon": "midi", "midnight": "minuit", "now": "maintenant",
			"morning": "matin matinee mat", "afternoon": "apresmidi", "evening": "soir soiree", "night": "nuit",
			"january": "janvier janv", "february": "fevrier fevr fev", "march": "mars", "april": "avril avr", "may": "mai", "june": "juin", "july": "juillet juil", "august": "aout",
			"september": "septembre", "october": "octobre", "november": "novembre", "december": "decembre",
			"monday": "lundi", "tuesday": "mardi", "wednesday": "mercredi", "thursday": "jeudi", "friday": "vendredi", "saturday": "samedi", "sunday": "dimanche",
			"american": "americain americains", "canadian": "canadien canadiens", "australian": "australien australiens", "euro": "euro euros eur", "cent": "centime centimes", "dollar": "dollar dollars", "pound": "livre livres", "franc": "franc francs chf", "swiss": "suisse suisses", "yen": "yen yens", "zloty": "zloty zlotys",
			"option": "numero option choix",
		},
		Compound: frenchNumber, NumberWords: slices.Concat(frenchOnes[2:], slices.Sorted(maps.Keys(frenchTens))),
		Ordinals: frenchOrdinals(), Endings: "er ere re e eme ieme", Cardinals: true, SpaceGroups: true, HoursNamed: true,
		Days: map[int]string{
			0: "aujourdhui | ce matin | ce soir | cet apres midi | ce midi | cette nuit",
			1: "demain", 2: "apres demain", -1: "hier", -2: "avant hier",
		},
		Sharp: "exactement precisement pile precise precises",
		Feasts: map[string]string{
			"12-25": "noel", "12-24": "veille de noel | la veille de noel", "12-31": "saint sylvestre | la saint sylvestre", "01-01": "jour de lan | nouvel an", "07-14": "fete nationale", "05-01": "fete du travail", "11-01": "toussaint",
		},
		ShortWeekdays: "dim lun mar mer jeu ven sam",
		Now:           "tout de suite | en ce moment | a linstant | la maintenant",
		Ago:           "il y a | il ya | ya | ca fait",
		Since:         "depuis", Lasting: "pour en pendant durant", Rates: "par chaque", Times: "fois",
		True: "oui vrai", False: "non faux",
		Ands: "et plus ainsi", Without: "aucun aucune sans zero pas",
		Called:   map[string]string{"phone": "numéro | téléphone | numéro de téléphone | portable", "email": "mail | email | adresse | adresse mail"},
		DayFirst: true, Point: ',',
	},
	Fractions: Fractions{
		Parts:  frenchParts(),
		Over:   "sur",
		Alone:  map[string][2]int64{"moitie": {1, 2}, "demi": {1, 2}, "demie": {1, 2}, "quart": {1, 4}},
		Wholes: "tout | le tout | la totalite | en totalite",
	},
	Ranges: Ranges{
		Between: "entre | quelque part entre", And: "et",
		From: "de | du | d | des | depuis | depuis le | a partir de | a partir du", To: "a | au | jusqua | jusquau | jusqua la",
		Least: "au moins | au minimum | minimum | pas moins de | au plus tot | au plus tot le | pas avant | pas avant le | a partir de | a partir du | des | des le | depuis | depuis le",
		Most:  "au plus | au maximum | maximum | pas plus de | tout au plus | au plus tard | au plus tard le | jusqua | jusquau | jusqua la",
		Above: "plus de | au dessus de | superieur a | apres | apres le", Below: "moins de | en dessous de | au dessous de | sous | inferieur a | avant | avant le",
		More: "ou plus | et plus | ou davantage | et au dela | ou apres | et apres", Less: "ou moins | et moins | ou avant | et avant",
	},
	Zones: Zones{
		Before: "lheure de | lheure du | lheure a | heure de | heure d | heure du | heure a | heure locale de | heure locale a | fuseau horaire de | fuseau de | fuseau horaire | heure",
		Behind: "heure locale",
		Places: map[string]string{
			"America/New_York": "cote est des etats unis", "America/Los_Angeles": "cote ouest des etats unis",
		},
	},
	Alike: []string{
		"enfant enfants", "personne personnes gens", "adulte adultes", "homme hommes", "femme femmes", "carte cartes", "jour jours", "nuit nuits", "chambre chambres", "place places",
		"billet billets ticket tickets", "compte comptes", "virement virements transfert transferts",
	},
	Sayings: []string{
		"je voudrais | je veux | jaimerais | je souhaite | je souhaiterais", "quel est | quelle est | cest quoi", "combien de | cest combien",
	},
	Change:   "changez ",
	Suffixes: "ent er ez es e s",
	Elsewhere: `pleuvra-t-il demain | raconte-moi une blague | qui a gagne le match hier soir | a quelle distance est la lune | mets de la musique calme | que faire a manger ce soir | mon chien ne veut pas manger |
		comment ecrit-on necessaire | quelle est la capitale de laustralie | je suis si fatigue aujourdhui | traduis bonne nuit en allemand | combien de gens vivent au japon | regle le reveil sur six heures et demie | eteins la lumiere de la cuisine |
		qui a ecrit les miserables | y a-t-il un bon film ce soir | rappelle-moi darroser les plantes | que veut dire ce mot | quel age a lunivers | ajoute des oeufs a la liste des courses | mon voisin est tres bruyant |
		combien de temps faut-il cuire les pommes de terre | quelle est la racine de quatre-vingt-un | quand part le prochain train | as-tu vu les nouvelles ce matin | ou vivent les pingouins | peux-tu chanter une chanson | jai fait un reve etrange |
		quel nom donner a un chat | comment enlever une tache de chemise | quelle est la plus haute montagne | qui est le president du bresil | as-tu des freres et des soeurs | que portes-tu aujourdhui | es-tu un robot |
		jai mal au dos | conseille-moi un livre dhistoire | comment les plantes font-elles de loxygene | quelle heure est-il a new york | quelle langue parle-t-on au perou | jaime la mer en hiver | il fait beau aujourdhui |
		combien de calories dans une banane | vaut-il mieux un velo ou une trottinette | que sest-il passe en 1066 | comment nouer un noeud papillon | quand est la fete des meres | le cafe est-il bon pour la sante | ma soeur se marie bientot |
		trouve une recette de tarte aux pommes | quel est lanimal terrestre le plus rapide | comment apprendre la guitare | qui a peint ce tableau | pourquoi le ciel est-il bleu | ou peut-on pecher par ici | lance les des |
		que penses-tu de la politique | dis-moi quelque chose dinteressant | y a-t-il des bouchons | comment reparer un pneu creve | mes plantes meurent et je ne sais pas pourquoi | quelle pointure fait un enfant | comment va la bourse |
		demarre la machine a laver | lis-moi mes nouveaux messages | combien pese un elephant | qui a invente le telephone | prends une photo | quel est le sens de la vie | comment ecrire une bonne dissertation | tire a pile ou face | ouvre le garage |
		quel vin va avec le poisson | les chiens voient-ils les couleurs | mon ami ma quittee | comment dit-on fromage en italien | cette veste me va-t-elle | quel est ton plat prefere | monte le son | quand a-t-on construit le mur |
		comment aller a la gare depuis ici | je veux aller a la plage en vacances | une table pour deux a huit heures | combien de fois se laver les cheveux | sur quelle chaine passe le match | tu es tres drole | peut-on garder un lapin en appartement |
		combien font dix fois douze | comment arreter le hoquet | lecran de mon telephone est sale | donne-moi le numero dun plombier | que mangeait-on au moyen age | comment agit un vaccin | jai encore perdu la partie`,
	Commands: []CommandWords{
		{Cancel, "", []string{
			"(annuler|annulez|annule|stop|stoppez|arrêter|arrêtez|arrête) [tout|ça|cela|svp]", "(annulez|annule|arrêtez|arrête) (le|la|les|tout ça|tout cela)", "(je veux|je voudrais|j'aimerais) (annuler|arrêter) [ça|cela|tout]",
			"laissez tomber", "laisse tomber", "(oubliez|oublie) [ça|cela|tout]", "finalement non", "tout compte fait non", "on arrête [là|tout]", "on annule [tout]", "recommençons [à zéro|depuis le début]",
		}},
		{Cancel, Telling, frenchExcuses},
		{Skip, Unneeded, []string{"pas besoin [merci]", "pas nécessaire", "(ce n'est|c'est) pas (nécessaire|utile)", "(je|on|nous) (n'en ai|n'en a|n'en avons|en ai) pas besoin", "pas utile", "inutile"}},
		{Repeat, "", []string{
			"(pardon|comment|hein|quoi)", "qu'est-ce que (vous avez|tu as) dit", "quelle était la question", "(répétez|répète|répéter) [la question|ça|cela] [s'il vous plaît|svp]", "(pouvez-vous|pourriez-vous|tu peux|vous pouvez) répéter [s'il vous plaît|svp]",
			"je n'ai pas (compris|entendu)", "j'ai pas (compris|entendu)", "encore une fois [s'il vous plaît|svp]", "vous pouvez redire",
		}},
		{Skip, "", []string{
			"(passer|passez|passe) [ça|la question|cette question]", "(question|étape) suivante", "je ne sais pas", "je sais pas", "aucune idée", "peu importe", "(ça|cela) m'est égal", "(je préfère|j'aimerais mieux) ne pas (dire|répondre)",
			"je ne veux pas (dire|répondre)", "c'est [trop|très] (privé|personnel|confidentiel|secret)", "(ça|cela) ne (vous|te) regarde pas", "pas de commentaire", "je ne (le|vous le|te le) (dis|dirai) pas", "je préfère ne pas le dire", "sans", "plus tard", "sauter (cette étape|ça)", "pas de préférence",
		}},
		{Handoff, "", []string{
			"(parler|discuter) (à|avec) [un|une|le|la] [vrai|vraie] (humain|personne|conseiller|conseillère|agent|employé|responsable|quelqu'un|opérateur)", "(je veux|je voudrais|j'aimerais|puis-je|je peux|pourrais-je) (parler|discuter) (à|avec) [un|une] [vrai|vraie] (humain|personne|conseiller|conseillère|agent|responsable|quelqu'un)",
			"(passez-moi|passe-moi|mettez-moi en relation avec) [un|une] (humain|personne|conseiller|conseillère|agent|responsable|quelqu'un)", "[un|une] [vrai|vraie] (humain|conseiller|conseillère|opérateur)", "[à] [un|une] (vrai|vraie) (personne|humain)", "service client", "êtes-vous un robot",
		}},
		{Back, "", []string{
			"[s'il vous plaît|peut-on|je veux|je voudrais] (revenir|retourner|reculer) [en arrière|à la question précédente|d'une étape] [s'il vous plaît]", "(revenez|reviens|retournez|retourne) [en arrière|à la question précédente|d'une étape]", "[la] (question|étape) précédente", "(précédent|retour)",
			"[je veux|je voudrais|je dois|laissez-moi|puis-je] (changer|modifier|corriger|refaire) [la|ma] (dernière|précédente) (réponse|question)", "[la|ma] (dernière|précédente) réponse (était|est) (fausse|une erreur)", "(c'était|c'est) une erreur", "je me suis trompé de réponse",
		}},
		{Opposite, "", []string{
			"[non|pas celui-là|pas celle-là|je voulais dire] (l'autre|les autres) [s'il vous plaît]", "[non|je voulais dire] (le contraire|l'inverse)", "[non|je voulais dire] (de|à|pour|sur) l'autre {about}",
		}},
		{Help, "", []string{
			"(aide|à l'aide|aidez-moi|aide-moi) [s'il vous plaît]", "(pouvez-vous|peux-tu|pourriez-vous) m'aider", "j'ai besoin d'aide", "(que|qu'est-ce que) (vous pouvez|tu peux|pouvez-vous|peux-tu) faire [pour moi]", "que puis-je (dire|faire|demander) [ici]", "comment (ça|cela) (marche|fonctionne)", "(menu|options|commandes)", "quelles sont (les|mes) (options|possibilités)",
		}},
		{Correct, "", []string{
			"(je voulais dire|je veux dire|il fallait dire|mieux vaut|prenez plutôt) {rest}", "pas {about} (je voulais dire|je veux dire|c'est|plutôt) {rest}", "(je voulais dire|je veux dire|je veux|c'est) {rest} [et] (pas|au lieu de) {about}",
			"[je|nous] [veux|voudrais|voulons|dois] (changer|modifier|corriger) [le|la|les|mon|ma|mes] {about}", "(changez|change|modifiez|modifie|corrigez|corrige) [le|la|les|mon|ma|mes] {about}",
			"(mais pas|pas|tout sauf|surtout pas|ce n'est pas) (à|pour|de|avec|le|la|les) {about}", "(mais pas|tout sauf) {about}", "un autre {about} [s'il vous plaît]", "une autre {about} [s'il vous plaît]", "il y a une erreur (dans|sur|à) [le|la|les] {about}", "j'ai (dit|donné|choisi) (le|la) (mauvais|mauvaise) {about}",
			"(en fait|plutôt|pardon|désolé|non|attendez|non attendez|finalement|je veux dire|je voulais dire|non je voulais dire|enfin|correction|ah non) {rest}", "[non] (mettez|mettons|disons|prenez) [plutôt] {rest}",
			"[non] (changez|change|changer|modifiez|modifie|corrigez|corrige|remplacez) [le|la|les|l'|mon|ma|mes] {about} (en|à|par|pour) {rest}", "(pouvez-vous|pourriez-vous) (changer|modifier|corriger) [le|la|les|mon|ma|mes] {about} (en|à|par|pour) {rest}",
			"pas {about} mais {rest}", "pas (à|pour|de|avec) {about} mais {rest}", "non pas {about} mais {rest}", "pas {about} {rest}", "{rest} au lieu de {about}", "{rest} et non {about}", "{rest} plutôt que {about}", "{rest} pas {about}",
			"(le|la|les) {about} (devrait être|doit être|est en fait|serait) {rest}", "(le|la|mon|ma) {about} (est|était) (faux|fausse|incorrect|incorrecte) (c'est|ce doit être|ça devrait être) {rest}", "j'ai dit {rest}",
		}},
		{Wrong, "", []string{
			"[non] [le|la|les|mon|ma] {about} (est faux|est fausse|sont faux|sont fausses|ne sont pas bons|n'est pas bon|n'est pas bonne|n'est pas correct|n'est pas correcte|est incorrect|est incorrecte)", "[non] (mauvais|mauvaise|faux|fausse) {about}",
			"(pas|mais pas|surtout pas|tout sauf) [le|la|les] {about}",
		}},
		{Clear, "", []string{
			"(oubliez|oublie|supprimez|supprime|effacez|efface|retirez|retire|enlevez|enlève) [le|la|les|mon|ma|mes] {about}", "ne tenez pas compte (de|du|de la) {about}",
		}},
		{Chitchat, "greeting", []string{"(bonjour|bonsoir|salut|coucou|hello|hey) [à tous|tout le monde|monsieur|madame]", "bonne (journée|soirée) à vous"}},
		{Chitchat, "thanks", []string{"merci [beaucoup|bien|infiniment|pour tout|pour votre aide|à vous]", "(c'est|c'était) très gentil", "bon travail", "je vous remercie"}},
		{Chitchat, "goodbye", []string{"(au revoir|à bientôt|à plus tard|à demain|adieu|ciao|bonne nuit|bonne journée|bonne soirée)"}},
		{Chitchat, "wellbeing", []string{"comment (allez-vous|vas-tu|ça va|vous allez)", "ça va", "vous allez bien"}},
	},
	Common: `abonnement achat acheter adresse affaire agence agent ami amie amis ancien annonce appel appeler argent arrive article attente aucun autre avance avenir avion avis avril bagage balance banque bateau beau beaucoup besoin
		bientot billet blanc bleu bloque bonne bureau cadeau caisse carte cause celui cependant certain chambre chance change changer chaque chaud chemin cher chercher chez chien choix chose clair classe client colis commande
		comme compte concert conge conseil contact contrat courrier cours cours crainte credit cuisine date debut dehors demande depart depense dernier derriere dessus dette devant devis dire doit dossier droit duree ecole
		ecran effet encore enfant entre entree envoi envoyer erreur espace essai etage etat etre facture faible faire famille fatigue faute femme fenetre ferme fermer fete feuille fille film fils finir fois fond force forme
		forme frais frere froid gagner garder gare gens grand gros groupe guerre habite haut heureux histoire homme hotel idee image impot jardin jeune joie jouer journal jour jouet lettre lieu ligne lire liste livrer loin
		long louer loyer lumiere magasin main maison malade manger marche mari matin meme mere message metre mettre mieux mode moins monde montre mort mot moyen musique nombre note nouveau numero objet offre ordre ouvert
		ouvrir paiement panne papier parler part partie partir passer patron payer pays perdre perdu pere petit peur photo pied place plainte plan plat plein pluie pneu point porte poste prendre pret preuve prix probleme
		produit projet prouver quart question quitter raison rapide recevoir regarder relation rendez rendre repas reponse reseau reste retard retour retrait rester rouge route sable saison salle sante savoir semaine sens
		service seul signe simple site soeur soiree soleil solde somme sorte sortie sortir souvent sport suite sujet table taille taxe temps tenir terre tete texte titre total toujours tour travail travailler train triste
		trop trouver usage vacances valeur vendre venir vente verre vert vers vie vieux village ville vite vivre voir voisin voiture vol voler voyage vrai vue
		about acres aires amant annexe anne annie ares atout aupres automne avait ayant choi choux croix dane dani danse debat debit debout debute debuts decombres dedie deduis defi defie demarche demo deni devie dieux dons douce doue
		encre entra entrer entrez fele fente feter flanc frank futes gland grandi grande grands hait here hiver hors hunt jana jang jaune javier jedi joue joues jouir joug juan juge jung jupe jure jury jusque lait levre levres libre
		libres lievre litre litres livree livret livrez lost lund mail mails maintenance malin malle marcy mare marin mark marks martin marx mary match mers melle mile mill miller millie mills milly mini mlle moine moines moise moisi
		molle mont monte montes monty mots mous mouth murs nerf nobel once onde pass passa pause pisse pond pourront poussent printemps quadrant quant quark quinte saine saul saut seine soie soif soin sois soit sylvester tara tarde
		tare taro tente tord trad troie trous vera verse versa verts veuille veiller vrille matins soirs`,
}
