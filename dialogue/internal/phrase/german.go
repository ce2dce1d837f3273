package phrase

import (
	"slices"
	"strconv"
	"strings"
)

// German is how people say things in German, and what they are told. Words are written as they are folded: "fur", "uber".
var German = &Language{
	Tag: "de",
	And: " und ", Or: " oder ",
	Months:   "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
	Weekdays: "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
	Texts: Texts{
		Quoted: `"{said}"`,
		Yes:    "ja",
		No:     "nein",
		Empty:  "keine",

		NotOfType:            "{value} ist nicht {type}.",
		Impossible:           "{value} ist hier nicht möglich.",
		WrongForm:            "{said} sieht nicht aus wie das, was gefragt ist.",
		WrongList:            "{said} ist keine Liste von dem, was gefragt ist.",
		WrongMember:          "Nummer {place}: {reason}",
		SeveralMeanings:      "{said} kann mehreres sein: {choices}.",
		NoSuchChoice + One:   "Es gibt nur {count} zur Auswahl, und {said} ist nicht dabei.",
		NoSuchChoice + Other: "Es gibt {count} zur Auswahl, und {said} ist nicht dabei.",
		NoneTaken:            "Davon wurde nichts gewählt.",
		AnyTaken:             "Eines davon muss es sein.",
		AllTaken:             "Nur eines davon kann es sein, und mehrere wurden gesagt.",
		SeveralTaken:         "Nur eines davon kann es sein, und mehrere wurden gesagt: {said}.",
		LongNumber:           "Eine Zahl hat höchstens {digits} Stellen.",
		NotWhole:             "{value} ist keine ganze Zahl.",
		LongAmount:           "Ein Betrag hat höchstens {digits} Stellen.",
		NoMoney:              "{said} ist kein Geldbetrag.",
		OtherCurrency:        "{said} ist kein Betrag in {currency}.",
		TwoCurrencies:        "{said} steht in zwei Währungen.",
		SmallAmount + One:    "Ein Betrag in {currency} hat höchstens {count} Nachkommastelle, und {value} hat mehr.",
		SmallAmount + Other:  "Ein Betrag in {currency} hat höchstens {count} Nachkommastellen, und {value} hat mehr.",
		NoMonth:              "Einen Monat {month} gibt es nicht.",
		NoDay:                "Einen {day}. {month} gibt es nicht.",
		NoLeapDay:            "Einen {day}. {month} gibt es {year} nicht.",
		FarAway:              "Das ist zu weit weg für ein Datum.",
		OtherWeekday:         "Der {date} ist ein {weekday} und kein {said}.",
		NoWeekday:            "Einen solchen {weekday} gibt es nicht.",
		WhichDay:             "Welcher Tag ist mit {said} gemeint?",
		NoTime:               "{time} gibt es nicht.",
		ClocksForward:        "{time} gibt es am {date} nicht: die Uhren werden vorgestellt.",
		TimeMissing:          "Es fehlt eine Uhrzeit.",

		"type.text":     "ein Text",
		"type.number":   "eine Zahl",
		"type.integer":  "eine ganze Zahl",
		"type.money":    "ein Geldbetrag",
		"type.date":     "ein Datum",
		"type.time":     "eine Uhrzeit",
		"type.datetime": "ein Datum mit Uhrzeit",
		"type.choice":   "eine der Möglichkeiten",
		"type.boolean":  "ein Ja oder ein Nein",
		"type.list":     "eine Liste",
		"type.object":   "das, was hier gebraucht wird",

		"pattern.correction":    "In Ordnung, {slot} ist jetzt {value}.",
		"pattern.too_late":      "Das ist schon geschehen und kann nicht mehr geändert werden.",
		"pattern.rejection":     "{reason}",
		"pattern.unsure":        "Ich bin nicht sicher, ob ich das verstanden habe.",
		"pattern.cancel":        "In Ordnung, ich habe damit aufgehört: {flow}.",
		"pattern.nothing":       "Es gibt nichts abzubrechen.",
		"pattern.digression":    "",
		"pattern.resume":        "Machen wir weiter: {flow}.",
		"pattern.denied":        "In Ordnung, dann nicht.",
		"pattern.cleared":       "In Ordnung, {slot} ist wieder offen.",
		"pattern.skip":          "",
		"pattern.skip_refused":  "Ohne das kann ich nicht weitermachen.",
		"pattern.clarify":       "Was meinen Sie?",
		"pattern.chitchat":      "Ich plaudere gern, und am besten bin ich in dem, was ich für Sie tun kann.",
		"pattern.cannot_handle": "Das habe ich nicht verstanden.",
		"pattern.handoff":       "Ich hole jemanden, der Ihnen hilft und lesen kann, was wir gesagt haben.",
		"pattern.return":        "Ich bin wieder für Sie da.",
		"pattern.silence":       "Sind Sie noch da?",
		"pattern.close":         "Auf Wiedersehen.",
		"pattern.failure":       "Leider ging etwas schief, und ich musste aufhören: {flow}.",
		"pattern.refused":       "{reason} Ich musste aufhören: {flow}.",
		"pattern.completed":     "Kann ich sonst noch etwas für Sie tun?",
		"pattern.repeat":        "Was kann ich für Sie tun?",
	},
	Classes: Classes{
		Filler: `ich mochte will wurde gern gerne hatte habe kann konnen konnte konnten bitte danke mal eben doch einfach hallo hi guten tag morgen abend also na gut okay ok jetzt nun mir mich mein meine meinen meiner meinem wir uns
			lass lassen sie du ihnen brauche brauchen etwas hey schon ja nein so tut leid entschuldigung sorry es ware bin moin servus`,
		Function: `der die das den dem des ein eine einen einem einer eines fur von vom zu zum zur in im an am auf aus bei mit nach uber um und oder ist sind war waren sein ihre ihr seine unser unsere dies diese dieser dieses diesen
			wer was wie wo wann warum welche welcher welches welchen als wenn dass bis er man sich hat haben wird werden alle per durch gegen vor`,
		Hum:      "ah ahm ehm hm hmm mhm tja oh aeh aehm",
		Negation: "nicht kein keine keinen keinem keiner nie niemals ohne weder nichts",
	},
	Verdicts: Verdicts{
		Yes: `ja | jo | jap | jep | jupp | joa | ja bitte | ja gerne | ja gern | gerne | gern | ok | okay | klar | na klar | alles klar | sicher | aber sicher | sicherlich | naturlich | selbstverstandlich | genau | stimmt |
			das stimmt | richtig | das ist richtig | korrekt | das ist korrekt | passt | das passt | das passt so | einverstanden | in ordnung | geht klar | mach das | machen sie das | mach es | machen sie es | tu das |
			tun sie das | bitte tun sie das | los | los gehts | auf jeden fall | unbedingt | bestatigt | bestatige | ich bestatige | weiter | fortfahren | perfekt | super | prima | bestens | gut | sehr gut | so ist es | jawohl |
			yes | jawoll | doch | absolut | definitiv | von mir aus gerne | so machen wir es | so machen wir das`,
		No: `nein | ne | nee | no | nope | neee | nein danke | nicht | lieber nicht | besser nicht | auf keinen fall | keinesfalls | keineswegs | nie | niemals | falsch | das ist falsch | stimmt nicht | das stimmt nicht |
			nicht richtig | das ist nicht richtig | noch nicht | jetzt nicht | heute nicht | eher nicht | bitte nicht | das nicht | so nicht | nicht so | nicht wirklich | uberhaupt nicht | gar nicht | ich will nicht |
			ich mochte nicht | das will ich nicht | das mochte ich nicht | will ich nicht | abgelehnt | ich lehne ab | kein interesse`,
		Bars:   "bitte nicht | tu das nicht | mach das nicht | tun sie das nicht | machen sie das nicht | auf keinen fall | nicht",
		WeakNo: "ich glaube nicht | glaube nicht | glaub nicht | wohl nicht | wahrscheinlich nicht | vermutlich nicht | ich denke nicht | denke nicht | kaum",
		Doubts: `vielleicht | eventuell | moglicherweise | vielleicht nicht | wahrscheinlich | vermutlich | ich glaube | glaube schon | ich glaube schon | ich glaube ja | ich denke | ich denke schon | denke schon | mal sehen |
			kommt drauf an | kommt darauf an | es kommt darauf an | weiss nicht | ich weiss nicht | weiss ich nicht | keine ahnung | nicht sicher | ich bin nicht sicher | bin nicht sicher | bin mir nicht sicher |
			ich bin mir nicht sicher | jein | ja und nein | egal | ist mir egal | mir egal | wie sie wollen | wie du willst | moment | einen moment | warte | warten sie | kein problem | kein thema | keine eile | konnte sein |
			kann sein | mag sein | schon gut | na ja | naja | ja klar | ja genau ja klar | ach ja | von mir aus | meinetwegen | wenn es sein muss | verstehe ich nicht | ich verstehe nicht | nicht ganz | warum nicht | einerseits |
			nicht dass ich wusste`,
		Around: `ah | ahm | ehm | hm | hmm | oh | also | bitte | danke | danke schon | vielen dank | dann | nun | jetzt | ach | na | hallo | hey | hi | sehr | wirklich | mal | eben | schon`,
		Turns:  "aber | und | jedoch | allerdings | sondern | nur | stattdessen | lieber | ich meine | ich meinte | obwohl | auch",
		Amiss: `wenn falls sofern vielleicht eventuell moglicherweise wahrscheinlich vermutlich glaube denke hoffe hoffentlich unsicher zweifel erst spater bevor bis nachdem warte warten moment stopp stop abbrechen abbruch
			storniere stornieren was wie warum wieso weshalb wer wo wann welche oder falsch nichts niemand kaum fast konnte sollte witz scherz spass haha lol obwohl allerdings jedoch nein nee ne nicht kein keine egal ahnung
			noch sonst ausser theoretisch vorlaufig`,
		Plain: "ja jo jap jep ok okay klar",
		Long:  "naturlich einverstanden selbstverstandlich bestatigt korrekt richtig sicherlich unbedingt",
		Stops: "nein stopp stop abbrechen abbruch brechen warten loschen aufhoren ablehnen vergessen storniere stornieren",
	},
	Answers: Answers{
		Fillers: `ich mochte | ich will | ich hatte gern | ich hatte gerne | ich nehme | ich wahle | nehmen wir | sagen wir | sagen wir mal | machen wir | mach | machen sie | ich sage | ich meine | ich meinte | ich glaube | ich denke |
			vielleicht | wohl | es ist | es sind | das ist | das sind | das ware | das waren | es ware | wir sind | wir waren | es werden | etwa | ungefahr | circa | ca | rund | genau | nur | um | am | fur | an | der | die |
			das | den | dem | ein | eine | einen | bitte | danke | vielen dank | gern | gerne | wenn moglich | insgesamt | passt | geht | ware gut | ware schon | ware toll | also | ja | ok | okay | gut | hallo | ah | hm |
			bis zu | maximal | hochstens | mindestens | nicht mehr als | weniger als | mehr als | unter | uber | jahre alt | jahre | alt | uhr | betrag | summe | wie ware es mit | wie ware | geht auch | von uns | davon`,
		Intros: `es ist | das ist | das ware | es ware | mein name ist | ich heisse | name | der name ist | ich sage | sagen wir | ich mochte | ich nehme | ich will | also | na ja | ok | okay | bitte | es geht an | es ist fur |
			die antwort ist | schreiben sie | schreib | schick es an | schicken sie es an | senden sie es an | hallo hier ist | hier ist | es endet auf`,
		Outros:    "glaube ich | denke ich | wurde ich sagen | wenn moglich | vielen dank | danke schon | meine ich",
		Selves:    "ich bin | wir sind",
		NameWords: "name namen heissen heisst wer",
		Polite:    "bitte danke dankeschon merci",
		Further:   "noch sonst weitere weiterer weiteres mehr anderes",
		Enough:    `das ist alles | das wars | das war es | das war alles | das reicht | nichts mehr | sonst nichts | sonst nichts mehr | nichts weiter | mehr nicht | fertig | ich bin fertig | alles | genug`,
		Joints:    "von vom aus an am fur mit bei in im ab um zu zum zur nach per",
		Present:   "hier",
		Owners:    "mein meine meinen meiner meinem der die das den dem unser unsere",
		Copulas:   "ist sind war waren lautet heisst soll sollte endet",
		Leads: map[string]string{
			"wem": "an mit von fur", "wen": "an fur", "wohin": "an nach in", "wo": "in an bei", "woher": "aus von", "welchem": "von vom mit aus",
			"an": "an", "von": "von vom", "fur": "fur", "mit": "mit", "nach": "nach",
		},
	},
	Skips: Skips{
		None: `keine | keiner | keins | keines | keinen | gar keine | gar keinen | uberhaupt keine | nichts | gar nichts | uberhaupt nichts | keine davon | keins davon | weder noch | niemand`,
		Any:  "egal | ist mir egal | irgendeine | irgendeiner | irgendeins | beliebig | welche auch immer | sie entscheiden | du entscheidest | such dir was aus",
		All:  "beide | beides | alle | alle beide | alle drei | alles davon | jede | jeder",
	},
	Values: Values{
		Terms: map[string]string{
			"the": "der die das den dem am", "a": "ein eine einen einem einer eines", "in": "im in", "of": "des von", "from": "vom ab", "to": "vor", "until": "bis",
			"past": "nach", "at": "um gegen", "and": "und", "but": "aber", "except": "ausser", "than": "als",
			"half": "halb halbe halben halber halbes", "quarter": "viertel", "oclock": "uhr", "point": "komma", "minus": "minus", "percent": "prozent",
			"dozen": "dutzend", "hundred": "hundert", "thousand": "tausend", "million": "million millionen", "billion": "milliarde milliarden",
			"this": "dieser diese dieses diesen diesem", "next": "nachster nachste nachstes nachsten nachstem", "coming": "kommender kommende kommendes kommenden kommendem",
			"last": "letzter letzte letztes letzten letztem", "week": "woche", "weeks": "wochen", "day": "tag", "days": "tage tagen", "month": "monat monats", "months": "monate monaten",
			"year": "jahr jahres", "years": "jahre jahren", "hour": "stunde", "hours": "stunden", "minute": "minute", "minutes": "minuten", "weekend": "wochenende",
			"later": "spater", "end": "ende", "beginning": "anfang", "noon": "mittag mittags", "midnight": "mitternacht", "now": "jetzt sofort",
			"morning": "morgens fruh vormittag vormittags", "afternoon": "nachmittag nachmittags", "evening": "abend abends", "night": "nacht nachts",
			"january": "januar janner", "february": "februar", "march": "marz", "april": "april", "may": "mai", "june": "juni", "july": "juli", "august": "august",
			"september": "september", "october": "oktober", "november": "november", "december": "dezember",
			"monday": "montag", "tuesday": "dienstag", "wednesday": "mittwoch", "thursday": "donnerstag", "friday": "freitag", "saturday": "samstag sonnabend", "sunday": "sonntag",
			"euro": "euro euros eur", "cent": "cent cents", "dollar": "dollar dollars", "pound": "pfund", "franc": "franken chf", "yen": "yen", "krona": "kronen krone", "zloty": "zloty",
			"option": "nummer option punkt",
		},
		Number: germanNumber, NumberWords: slices.Concat(germanOnes[2:], germanTens), Respell: germanRespelled,
		Ordinals: germanOrdinals(),
		Days: map[int]string{
			0: "heute | heute abend | heute morgen | heute nachmittag | heute vormittag | heute mittag | heute nacht",
			1: "morgen", 2: "ubermorgen", -1: "gestern", -2: "vorgestern",
		},
		Feasts: map[string]string{
			"12-25": "weihnachten", "12-24": "heiligabend | heiliger abend", "12-31": "silvester", "01-01": "neujahr", "12-06": "nikolaus",
		},
		True: "ja wahr an ein", False: "nein falsch aus",
		Ands: "und sowie plus auch", Without: "kein keine keinen keinem keiner ohne null",
		DayFirst: true, HalfTo: true, Point: ',',
	},
	Alike: []string{
		"kind kinder kindern", "person personen leute leuten gast gaste", "erwachsene erwachsener erwachsenen", "mann manner", "frau frauen", "karte karten",
		"tag tage tagen", "nacht nachte", "zimmer zimmern", "platz platze",
	},
	Sayings: []string{
		"ich mochte | ich will | ich wurde gern | ich hatte gern", "was ist | wie ist | wie lautet", "wie viel | wieviel",
	},
	Change: "ändere ",
	Commands: []CommandWords{
		{Cancel, "", []string{
			"(abbrechen|abbruch|stopp|stop|halt) [das|bitte|alles]", "brich [das|es] ab", "brechen sie [das|es] ab", "(bitte|ich will|ich möchte) [das] abbrechen", "vergiss (es|das)", "vergessen sie (es|das)", "hör auf", "hören sie auf",
			"ich habe es mir anders überlegt", "schon gut vergiss es", "lass (es|das) [sein]", "lassen (wir|sie) (es|das) [sein]", "storniere (das|es|alles)", "doch nicht", "ich will nicht mehr", "von vorn", "von vorne",
		}},
		{Repeat, "", []string{
			"(wie|was|hä) [bitte]", "was (hast du|haben sie) gesagt", "was war die frage", "noch (mal|einmal) [bitte]", "nochmal [bitte]", "(wiederhole|wiederholen sie) (das|es) [bitte]", "wiederholen", "ich habe [das|dich|sie] nicht verstanden", "das habe ich nicht verstanden",
		}},
		{Skip, "", []string{
			"überspringen [bitte]", "überspring (das|es)", "überspringe (das|es)", "weiter ohne", "weiß [ich] nicht", "ich weiß [es] nicht", "keine ahnung", "keine angabe", "(ist|das ist) [mir] egal", "egal", "will ich nicht sagen", "möchte ich nicht sagen", "auslassen", "später", "nächste [frage]",
		}},
		{Handoff, "", []string{
			"(mit|zu) [einem|einer] [echten] (menschen|mensch|mitarbeiter|mitarbeiterin|person|berater|kollegen) [sprechen|reden|verbinden]", "[einen|ein|eine] [echten|echte|echter] (mensch|menschen|mitarbeiter|mitarbeiterin|berater)",
			"(verbinde|verbinden sie) mich [mit einem menschen|mit jemandem]", "ich (möchte|will) mit (jemandem|einem menschen|einem mitarbeiter) (sprechen|reden)", "kann ich mit (jemandem|einem menschen|einem mitarbeiter) (sprechen|reden)", "kundendienst", "kundenservice",
		}},
		{Correct, "", []string{
			"(eigentlich|sondern|lieber|doch|nein|ne|nein warte|warte|ich meine|ich meinte|nein ich meine|nein ich meinte|entschuldigung|sorry|oder doch|doch lieber|nein doch|korrektur) {rest}", "[nein] (mach|machen sie|mach daraus|machen sie daraus|nimm|nehmen sie) {rest} [daraus|draus]",
			"[nein] (ändere|ändern sie|setze|setzen sie|korrigiere|korrigieren sie) [den|die|das|meinen|meine|mein] {about} (auf|in|zu|an) {rest}", "nicht {about} sondern {rest}", "nicht {about} {rest}", "{rest} statt {about}", "{rest} anstatt {about}", "{rest} nicht {about}",
			"(der|die|das) {about} (soll|sollte|ist eigentlich) {rest} [sein]", "es (soll|sollte) {rest} [sein]", "ich (sagte|habe gesagt) {rest}",
		}},
		{Wrong, "", []string{
			"[nein] [der|die|das|mein|meine] {about} (ist falsch|stimmt nicht|ist nicht richtig)", "[nein] (falscher|falsche|falsches) {about}",
		}},
		{Clear, "", []string{
			"(vergiss|vergessen sie|lösche|löschen sie|entferne|entfernen sie|streiche|streichen sie) [den|die|das|meinen|meine|mein] {about}", "lass [den|die|das] {about} weg",
		}},
		{Chitchat, "greeting", []string{"(hallo|hi|hey|moin|servus|grüß gott|tach) [zusammen|du|bot]", "guten (morgen|tag|abend)"}},
		{Chitchat, "thanks", []string{"(danke|dankeschön|danke schön|vielen dank|besten dank|herzlichen dank) [sehr|für die hilfe|dir|ihnen]", "gut gemacht"}},
		{Chitchat, "goodbye", []string{"(tschüss|auf wiedersehen|bis bald|bis später|ciao|gute nacht|schönen tag [noch])"}},
		{Chitchat, "wellbeing", []string{"wie geht (es|es dir|es ihnen|s|s dir)", "wie gehts [dir]"}},
	},
	Common: `abend absender achtung adresse akte alles allein alter anders angebot anruf antwort arbeit art arzt auto bahn bald bank baum bericht berg besser bett bild blau brief brot buch bucht danach dann darf deutsch dort
		drucker eigen einfach einkauf ende essen farbe fehler feier ferien fest feuer film flug folge frage frei freude freund fruher garten geben geld genau geschaft gestern glas gleich gold grau gross grund gruppe haus
		heft heim heute hilfe himmel hoch hotel hund idee jeder jemand junge kaffee kaputt karte kasse kauf kein keller kette kirche klar klein kommt konto kopf kosten kraft kuche kunde kurs kurz lade lage land lang laut
		leben leer lehrer leicht leiter letzte licht liebe liste lohn luft macht maus mehr meer meist menge mensch meter miete milch mitte monat musik mutter nahe name natur neben neu nummer oben offen ordnung papier park
		pause pfand platz post preis rate raum recht rede regel reise rente rest richtig rot ruhe runde sache saft satz schein schiff schluss schnee schnell schon schule schwer seite senden sicher sommer sonne sparen spiel
		sprache stadt stand start stelle stern steuer stimme strasse stuck suche summe tasche tasse teil text tisch tochter tor tot trage treffen tur uber unten vater verein verlust verlag verlangern viel vogel voll wagen
		wahl wald wand ware wasser weg wein weiss weit welt wenig wert wetter wind winter wissen wohnung wort wunsch zahl zeit zelt ziel zimmer zins zucker zug zusammen`,
}

// germanRespelled writes umlauts that were written as two letters as they are compared.
func germanRespelled(word string) string {
	return strings.NewReplacer("ae", "a", "oe", "o", "ue", "u").Replace(word)
}

var (
	germanOnes = strings.Fields("null ein zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn")
	germanTens = strings.Fields("zwanzig dreissig vierzig funfzig sechzig siebzig achtzig neunzig")
)

// germanNumber reads a number that is one word: "einundzwanzig", "zweihundertfünfzig", "dreitausend".
func germanNumber(word string) (string, bool) {
	switch word {
	case "eins":
		return "1", true
	case "zwo":
		return "2", true
	case "ein", "hundert", "tausend", "":
		return "", false // an article, and scales
	}
	if len(word) > 60 {
		return "", false
	}
	n, ok := germanBelowMillion(word)
	return strconv.Itoa(n), ok
}

func germanBelowMillion(word string) (int, bool) {
	return germanScaled(word, "tausend", 1000, germanBelowThousand)
}

func germanBelowThousand(word string) (int, bool) {
	n, ok := germanScaled(word, "hundert", 100, germanBelowHundred)
	return n, ok && n < 2000 // neunzehnhundert
}

// germanScaled reads what is said before and behind a scale, of which there is one where nothing is said before it.
func germanScaled(word, scale string, by int, below func(string) (int, bool)) (int, bool) {
	before, behind, scaled := strings.Cut(word, scale)
	if !scaled {
		return below(word)
	}
	n, rest, ok := 1, 0, true
	if before != "" {
		n, ok = below(before)
	}
	if behind = strings.TrimPrefix(behind, "und"); behind != "" && ok {
		rest, ok = below(behind)
	}
	return n*by + rest, ok && n > 0
}

func germanBelowHundred(word string) (int, bool) {
	for n, w := range germanOnes {
		if word == w || n == 1 && word == "eins" {
			return n, true
		}
	}
	for n, w := range germanTens {
		ones, ok := strings.CutSuffix(word, w)
		if !ok {
			continue
		}
		if ones == "" {
			return 20 + 10*n, true
		}
		if ones, ok = strings.CutSuffix(ones, "und"); !ok {
			return 0, false
		}
		for k, one := range germanOnes[1:10] {
			if ones == one {
				return 20 + 10*n + k + 1, true
			}
		}
	}
	return 0, false
}

// germanOrdinals are "erster" to "einunddreißigster", and "letzter".
func germanOrdinals() map[string]int {
	all := map[string]int{"last": -1}
	for n := 1; n <= 31; n++ {
		var stem string
		switch {
		case n == 1:
			stem = "erst"
		case n == 3:
			stem = "dritt"
		case n == 7:
			stem = "siebt"
		case n == 8:
			stem = "acht"
		case n < 20:
			stem = germanOnes[n] + "t"
		case n%10 == 0:
			stem = germanTens[n/10-2] + "st"
		default:
			stem = germanOnes[n%10] + "und" + germanTens[n/10-2] + "st"
		}
		for ending := range strings.FieldsSeq("e er es en em") {
			all[stem+ending] = n
		}
	}
	return all
}
