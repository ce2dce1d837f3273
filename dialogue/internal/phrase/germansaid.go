package phrase

import (
	"regexp"
	"strings"
)

func germanMoods(l *language) {
	list := func(m mood, sayings string) { l.moods.add(m, strings.Split(sayings, "|")...) }
	list(saysYes, `ja | jo | jap | jep | jupp | joa | ja bitte | ja gerne | ja gern | gerne | gern | ok | okay | klar | na klar | alles klar | sicher | aber sicher | sicherlich | naturlich | selbstverstandlich | genau |
		stimmt | das stimmt | richtig | das ist richtig | korrekt | das ist korrekt | passt | das passt | das passt so | einverstanden | in ordnung | geht klar | mach das | machen sie das | mach es | machen sie es | tu das |
		tun sie das | bitte tun sie das | los | los gehts | auf jeden fall | unbedingt | bestatigt | bestatige | ich bestatige | weiter | fortfahren | perfekt | super | prima | bestens | gut | sehr gut | so ist es |
		jawohl | yes | jawoll | doch | absolut | definitiv | von mir aus gerne | so machen wir es | so machen wir das`)
	list(saysNo, `nein | ne | nee | no | nope | neee | nein danke | nicht | lieber nicht | besser nicht | auf keinen fall | keinesfalls | keineswegs | nie | niemals | falsch | das ist falsch | stimmt nicht | das stimmt nicht |
		nicht richtig | das ist nicht richtig | noch nicht | jetzt nicht | heute nicht | eher nicht | bitte nicht | das nicht | so nicht | nicht so | nicht wirklich | uberhaupt nicht | gar nicht | ich will nicht | ich mochte nicht |
		das will ich nicht | das mochte ich nicht | will ich nicht | abgelehnt | ich lehne ab | kein interesse`)
	list(bars, "bitte nicht | tu das nicht | mach das nicht | tun sie das nicht | machen sie das nicht | auf keinen fall | nicht")
	list(weakNo, "ich glaube nicht | glaube nicht | glaub nicht | wohl nicht | wahrscheinlich nicht | vermutlich nicht | ich denke nicht | denke nicht | kaum")
	list(doubts, `vielleicht | eventuell | moglicherweise | vielleicht nicht | wahrscheinlich | vermutlich | ich glaube | glaube schon | ich glaube schon | ich glaube ja | ich denke | ich denke schon | denke schon | mal sehen | kommt drauf an |
		kommt darauf an | es kommt darauf an | weiss nicht | ich weiss nicht | weiss ich nicht | keine ahnung | nicht sicher | ich bin nicht sicher | bin nicht sicher | bin mir nicht sicher | ich bin mir nicht sicher |
		jein | ja und nein | egal | ist mir egal | mir egal | wie sie wollen | wie du willst | moment | einen moment | warte | warten sie | kein problem | kein thema | keine eile | konnte sein | kann sein | mag sein |
		schon gut | na ja | naja | ja klar | ja genau ja klar | ach ja | von mir aus | meinetwegen | wenn es sein muss | verstehe ich nicht | ich verstehe nicht | nicht ganz | warum nicht | einerseits | nicht dass ich wusste`)
	list(around, `ah | ahm | ehm | hm | hmm | oh | also | bitte | danke | danke schon | vielen dank | dann | nun | jetzt | ach | na | hallo | hey | hi | sehr | wirklich | mal | eben | schon`)
	list(turns, "aber | und | jedoch | allerdings | sondern | nur | stattdessen | lieber | ich meine | ich meinte | obwohl | auch")
	l.amiss = set(strings.Fields(`wenn falls sofern vielleicht eventuell moglicherweise wahrscheinlich vermutlich glaube denke hoffe hoffentlich unsicher zweifel erst spater bevor bis nachdem warte warten moment stopp stop
		abbrechen abbruch storniere stornieren was wie warum wieso weshalb wer wo wann welche oder falsch nichts niemand kaum fast konnte sollte witz scherz spass haha lol obwohl allerdings jedoch nein nee ne nicht kein
		keine egal ahnung noch sonst ausser theoretisch vorlaufig`))
	l.plainYes = set(strings.Fields("ja jo jap jep ok okay klar"))
	l.stops = set(strings.Fields("nein stopp stop abbrechen abbruch brechen warten loschen aufhoren ablehnen vergessen storniere stornieren"))
	for w := range strings.FieldsSeq("naturlich einverstanden selbstverstandlich bestatigt korrekt richtig sicherlich unbedingt") {
		l.longYes = append(l.longYes, vocable{w, shape(w)})
	}
}

func germanAround(l *language) {
	l.fillers.add(true, strings.Split(`ich mochte | ich will | ich hatte gern | ich hatte gerne | ich nehme | ich wahle | nehmen wir | sagen wir | sagen wir mal | machen wir | mach | machen sie | ich sage | ich meine | ich meinte | ich glaube | ich denke |
		vielleicht | wohl | es ist | es sind | das ist | das sind | das ware | das waren | es ware | wir sind | wir waren | es werden | etwa | ungefahr | circa | ca | rund | genau | nur | um | am | fur | an | der | die | das | den | dem | ein | eine |
		einen | bitte | danke | vielen dank | gern | gerne | wenn moglich | insgesamt | passt | geht | ware gut | ware schon | ware toll | also | ja | ok | okay | gut | hallo | ah | hm | bis zu | maximal | hochstens | mindestens | nicht mehr als |
		weniger als | mehr als | unter | uber | jahre alt | jahre | alt | uhr | betrag | summe | wie ware es mit | wie ware | geht auch | von uns | davon`, "|")...)
	l.intros.add(true, strings.Split(`es ist | das ist | das ware | es ware | mein name ist | ich heisse | name | der name ist | ich sage | sagen wir | ich mochte | ich nehme | ich will | also | na ja | ok | okay | bitte | an | fur | es geht an | es ist fur |
		die antwort ist | schreiben sie | schreib | schick es an | schicken sie es an | senden sie es an | hallo hier ist | hier ist | es endet auf`, "|")...)
	delete(l.intros.of, "an")
	delete(l.intros.of, "fur")
	l.selves.add(true, "ich bin", "wir sind")
	l.nameWords = strings.Fields("name namen heissen heisst wer")
	l.outros.add(true, "glaube ich", "denke ich", "wurde ich sagen", "wenn moglich", "vielen dank", "danke schon", "meine ich")
	l.further = set(strings.Fields("noch sonst weitere weiterer weiteres mehr anderes"))
	l.enough.add(true, strings.Split(`das ist alles | das wars | das war es | das war alles | das reicht | nichts mehr | sonst nichts | sonst nichts mehr | nichts weiter | mehr nicht | fertig | ich bin fertig | alles | genug`, "|")...)
	l.joints = set(strings.Fields("von vom aus an am fur mit bei in im ab um zu zum zur nach per"))
	l.present = set([]string{"hier"})
	l.owners = set(strings.Fields("mein meine meinen meiner meinem der die das den dem unser unsere"))
	l.copulas = set(strings.Fields("ist sind war waren lautet heisst soll sollte endet"))
	l.leads = map[string][]string{
		"wem": {"an", "mit", "von", "fur"}, "wen": {"an", "fur"}, "wohin": {"an", "nach", "in"}, "wo": {"in", "an", "bei"}, "woher": {"aus", "von"}, "welchem": {"von", "vom", "mit", "aus"},
		"an": {"an"}, "von": {"von", "vom"}, "fur": {"fur"}, "mit": {"mit"}, "nach": {"nach"},
	}
	l.skips.add(isNone, strings.Split(`keine | keiner | keins | keines | keinen | gar keine | gar keinen | uberhaupt keine | nichts | gar nichts | uberhaupt nichts | keine davon | keins davon | weder noch | niemand`, "|")...)
	l.skips.add(isAny, strings.Split(`egal | ist mir egal | irgendeine | irgendeiner | irgendeins | beliebig | welche auch immer | sie entscheiden | du entscheidest | such dir was aus`, "|")...)
	l.skips.add(isAll, strings.Split(`beide | beides | alle | alle beide | alle drei | alles davon | jede | jeder`, "|")...)
}

var germanCommands = []commandSaying{
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
}

// rule is how a reason why a value is none is said in another language.
type rule struct {
	of *regexp.Regexp
	as string
}

var germanReasons = rules(
	`^(".*") can be (.*)$`, `$1 kann mehreres sein: $2`,
	`^there (?:are|is) (\d+) choices? and no (".*")$`, `es gibt $1 zur Auswahl, und $2 ist nicht dabei`,
	`^a time of day is missing$`, `es fehlt eine Uhrzeit`,
	`^member (\d+): (.*)$`, `Nummer $1: $2`,
	`^an? (?:amount|number) has at most (\d+) digits$`, `eine Zahl hat höchstens $1 Stellen`,
	`^(.*) is not a whole number$`, `$1 ist keine ganze Zahl`,
	`^(".*") is no amount of money$`, `$1 ist kein Geldbetrag`,
	`^(".*") is not in (\w+)$`, `$1 ist kein Betrag in $2`,
	`^(".*") is in two currencies$`, `$1 steht in zwei Währungen`,
	`^an amount in (\w+) has at most (\d+) decimal places, and (.*) has more$`, `ein Betrag in $1 hat höchstens $2 Nachkommastellen, und $3 hat mehr`,
	`^there is no such (\w+)$`, `einen solchen $1 gibt es nicht`,
	`^which day is meant by (".*")\?$`, `welcher Tag ist mit $1 gemeint?`,
	`^there is no month (\d+)$`, `einen Monat $1 gibt es nicht`,
	`^that is too far away to be a date$`, `das ist zu weit weg für ein Datum`,
	`^(\w+) (?:\d+ )?has no day (\d+)$`, `einen $2. $1 gibt es nicht`,
	`^(\S+) is a (\w+) and no (\w+)$`, `der $1 ist ein $2 und kein $3`,
	`^there is no (.*) on (\S+): the clocks go forward$`, `$1 gibt es am $2 nicht: die Uhren werden vorgestellt`,
	`^there is no (.*)$`, `$1 gibt es nicht`,
	`^none of the choices was taken$`, `davon wurde nichts gewählt`,
	`^one of the choices has to be taken, and any would do$`, `eines davon muss es sein`,
	`^one of the choices can be taken, and several were said: (.*)$`, `nur eines davon kann es sein, und mehrere wurden gesagt: $1`,
	`^(".*") is no list of what is asked for$`, `$1 ist keine Liste von dem, was gefragt ist`,
	`^(".*") does not look like what is asked for$`, `$1 sieht nicht aus wie das, was gefragt ist`,
)

// rules pairs patterns with what they become.
func rules(pairs ...string) []rule {
	all := make([]rule, 0, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, rule{regexp.MustCompile(pairs[i]), pairs[i+1]})
	}
	return all
}

// germanNames are the days and months in reasons.
var germanNames = strings.NewReplacer("January", "Januar", "February", "Februar", "March", "März", "May", "Mai", "June", "Juni", "July", "Juli", "October", "Oktober",
	"December", "Dezember", "Monday", "Montag", "Tuesday", "Dienstag", "Wednesday", "Mittwoch", "Thursday", "Donnerstag", "Friday", "Freitag", "Saturday", "Samstag", "Sunday", "Sonntag")

// germanWords are common words that are a slip or two away from others.
const germanWords = `abend absender achtung adresse akte alles allein alter anders angebot anruf antwort arbeit art arzt auto bahn bald bank baum bericht berg besser bett bild blau brief brot buch bucht danach dann darf deutsch dort
	drucker eigen einfach einkauf ende essen farbe fehler feier ferien fest feuer film flug folge frage frei freude freund fruher garten geben geld genau geschaft gestern glas gleich gold grau gross grund gruppe haus heft heim
	heute hilfe himmel hoch hotel hund idee jeder jemand junge kaffee kaputt karte kasse kauf kein keller kette kirche klar klein kommt konto kopf kosten kraft kuche kunde kurs kurz lade lage land lang laut leben leer lehrer leicht
	leiter letzte licht liebe liste lohn luft macht maus mehr meer meist menge mensch meter miete milch mitte monat musik mutter nahe name natur neben neu nummer oben offen ordnung papier park pause pfand platz post preis rate raum
	recht rede regel reise rente rest richtig rot ruhe runde sache saft satz schein schiff schluss schnee schnell schon schule schwer seite senden sicher sommer sonne sparen spiel sprache stadt stand start stelle stern steuer stimme
	strasse stuck suche summe tasche tasse teil text tisch tochter tor tot trage treffen tur uber unten vater verein verlust verlag verlangern viel vogel voll wagen wahl wald wand ware wasser weg wein weiss weit welt wenig wert wetter
	wind winter wissen wohnung wort wunsch zahl zeit zelt ziel zimmer zins zucker zug zusammen`
