package phrase

import (
	"slices"
	"strings"
)

// German is how people say things in German, and what they are told. Words are written as they are folded: "fur", "uber".
var German = &Language{
	Tag: "de",
	And: " und ", Or: " oder ",
	Months:   "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
	Weekdays: "Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag",
	Texts: Texts{
		Quoted: "„{said}“",
		Yes:    "ja",
		No:     "nein",
		Empty:  "keine",

		NotOfType:            "{value} passt hier nicht: Gefragt ist {type}.",
		Impossible:           "{value} ist hier nicht möglich.",
		WrongForm:            "{said} hat nicht die erwartete Form.",
		WrongList:            "{said} kann ich nicht als Liste lesen.",
		WrongMember:          "Nummer {place}: {reason}",
		SeveralMeanings:      "{said} kann mehreres sein: {choices}.",
		NoSuchChoice + One:   "Es gibt nur {count} zur Auswahl, und {said} ist nicht dabei.",
		NoSuchChoice + Other: "Es gibt {count} zur Auswahl, und {said} ist nicht dabei.",
		NoneTaken:            "Davon wurde nichts gewählt.",
		AnyTaken:             "Bitte wählen Sie selbst.",
		AllTaken:             "Nur eines davon ist möglich, und Sie haben mehrere genannt.",
		SeveralTaken:         "Nur eines davon ist möglich, und Sie haben mehrere genannt: {said}.",
		LongNumber:           "Eine Zahl hat höchstens {digits} Stellen.",
		NotWhole:             "{value} ist keine ganze Zahl.",
		LongAmount:           "Ein Betrag hat höchstens {digits} Stellen.",
		NoMoney:              "{said} kann ich nicht als Geldbetrag lesen.",
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
		WhichDay:             "Welchen Tag meinen Sie mit {said}?",
		WhichTime:            "Welche Uhrzeit meinen Sie mit {said}?",
		WhichOne:             "Was davon meinen Sie: {choices}?",
		NoTime:               "Die Uhrzeit {time} gibt es nicht.",
		ClocksForward:        "{time} gibt es am {date} nicht: Die Uhren werden vorgestellt.",
		TimeMissing:          "Es fehlt eine Uhrzeit.",
		OneEnd:               "Meinen Sie ab {said} oder bis {said}?",
		Backwards:            "{said} endet, bevor es beginnt.",
		NoZone:               "Die Zeitzone {said} kenne ich nicht.",
		NoHoliday:            "Den Feiertag {said} kenne ich nicht.",
		DayShown:             "{day}. {month} {year}", DateShown: "{weekday}, {day}. {month}", DateOfShown: "{weekday}, {day}. {month} {year}", DateAtShown: "{date} um {time}",
		MoneyShown: "{amount} {sign}", CodeShown: "{amount} {code}", HolidayShown: "{name} ({date})",
		FirstShown: "1", TimeShown: "{hour}:{minute}", HourShown: "{hour}:00", ClockShown: "{time} Uhr", PercentShown: "{number} %",
		"years.one": "{count} Jahr", "years.other": "{count} Jahre", "months.one": "{count} Monat", "months.other": "{count} Monate", "days.one": "{count} Tag", "days.other": "{count} Tage",
		"hours.one": "{count} Stunde", "hours.other": "{count} Stunden", "minutes.one": "{count} Minute", "minutes.other": "{count} Minuten", "seconds.one": "{count} Sekunde", "seconds.other": "{count} Sekunden",
		RangeBoth: "{from} bis {to}", RangeLeast: "mindestens {from}", RangeMost: "höchstens {to}", RangeSince: "ab {from}", RangeUntil: "bis {to}",

		"type.text":      "ein Text",
		"type.number":    "eine Zahl",
		"type.integer":   "eine ganze Zahl",
		"type.money":     "ein Geldbetrag",
		"type.date":      "ein Datum",
		"type.time":      "eine Uhrzeit",
		"type.datetime":  "ein Datum mit Uhrzeit",
		"type.choice":    "eine der Möglichkeiten",
		"type.boolean":   "ein Ja oder ein Nein",
		"type.list":      "eine Liste",
		"type.object":    "etwas anderes",
		"type.duration":  "eine Dauer",
		"type.percent":   "ein Prozentsatz",
		"type.phone":     "eine Telefonnummer",
		"type.email":     "eine E-Mail-Adresse",
		"type.fraction":  "ein Bruchteil",
		"type.range":     "ein Bereich",
		"type.time_zone": "eine Zeitzone",
		"type.holiday":   "ein Feiertag",

		"pattern.correction":    "In Ordnung, {slot}: {value}.",
		"pattern.too_late":      "Das ist schon geschehen und kann nicht mehr geändert werden.",
		"pattern.rejection":     "{reason}",
		"pattern.unsure":        "Ich bin nicht sicher, ob ich das verstanden habe.",
		"pattern.doubt.text":    "Meinen Sie {value} als {slot}?",
		"pattern.doubt":         "{left} habe ich nicht verstanden. Meinen Sie {value} als {slot}?",
		"pattern.cancel":        "In Ordnung, abgebrochen: {flow}.",
		"pattern.nothing":       "Es gibt nichts abzubrechen.",
		"pattern.digression":    "",
		"pattern.resume":        "Weiter geht es mit: {flow}.",
		"pattern.denied":        "In Ordnung, dann nicht.",
		"pattern.cleared":       "In Ordnung, {slot}: wieder offen.",
		"pattern.skip":          "",
		"pattern.skip_refused":  "Ohne das kann ich nicht weitermachen.",
		"pattern.clarify":       "Meinen Sie: {flow}?",
		"pattern.chitchat":      "Ich helfe Ihnen gern.",
		"pattern.cannot_handle": "Das habe ich nicht verstanden.",
		"pattern.handoff":       "Ich hole jemanden, der Ihnen weiterhilft und unser Gespräch lesen kann.",
		"pattern.return":        "Ich bin wieder für Sie da.",
		"pattern.silence":       "Sind Sie noch da?",
		"pattern.close":         "Auf Wiedersehen.",
		"pattern.failure":       "Leider ist etwas schiefgegangen, und ich musste abbrechen: {flow}.",
		"pattern.refused":       "{reason} Ich musste abbrechen: {flow}.",
		"pattern.completed":     "Kann ich sonst noch etwas für Sie tun?",
		"pattern.repeat":        "Was kann ich für Sie tun?",
		"pattern.stale":         "Das war eine Antwort auf eine frühere Frage.",
		"pattern.pause":         "Lassen Sie sich Zeit.",
		"pattern.help":          "Das kann ich für Sie tun: {flows}.",
		"pattern.later":         "Danach: {flow}.",
		"pattern.language":      "Gut, auf {language}.",
		"pattern.languages":     "Ich spreche {languages}.",
		"pattern.unavailable":   "Das geht jetzt nicht: {flow}.",
	},
	Classes: Classes{
		Filler: `ich mochte will wurde gern gerne hatte habe kann konnen konnte konnten bitte danke mal eben doch einfach hallo hi guten tag morgen abend also na gut okay ok jetzt nun mir mich mein meine meinen meiner meinem wir uns
			lass lassen sie du ihnen brauche brauchen etwas hey schon ja nein so tut leid entschuldigung sorry es ware bin moin servus`,
		Function: `der die das den dem des ein eine einen einem einer eines fur von vom zu zum zur ihn in im an am auf aus bei mit nach uber um und oder ist sind war waren sein ihre ihr seine unser unsere dies diese dieser dieses diesen
			wer was wie wo wann warum welche welcher welches welchen als wenn dass bis er man sich hat haben wird werde werden alle per durch gegen vor selbst selber`,
		Hum:      "ah ahm ehm hm hmm mhm tja oh aeh aehm",
		Negation: "nicht kein keine keinen keinem keiner nie niemals ohne weder nichts",
	},
	Verdicts: Verdicts{
		Yes: `ja | jo | jap | jep | jupp | joa | ja bitte | ja gerne | ja gern | gerne | gern | ok | okay | klar | na klar | alles klar | sicher | aber sicher | sicherlich | naturlich | selbstverstandlich | genau | stimmt |
			das stimmt | richtig | das ist richtig | korrekt | das ist korrekt | passt | das passt | das geht klar | das geht so | ist in ordnung | das ist in ordnung | das ist gut | das ist ok | das ist okay | alles in ordnung | alles klar so | das passt so | einverstanden | in ordnung | geht klar | mach das | machen sie das | mach es | machen sie es | tu das |
			tun sie das | bitte tun sie das | los | los gehts | auf jeden fall | unbedingt | bestatigt | bestatige | ich bestatige | fortfahren | perfekt | super | prima | bestens | gut | sehr gut | so ist es | jawohl |
			yes | jawoll | absolut | definitiv | von mir aus gerne | von mir aus | von mir aus ja | ja von mir aus | passt so | das stimmt so | stimmt so | genau so | ja genau so | so passt es | so stimmt es | so ist es richtig | so ist es gut | so machen wir es | so machen wir das |
			freilich | ja freilich | passt scho | passt schon | basst | eh klar | jo eh | ja eh | logisch | isch guet | isch recht | ja gern | jo gern | sowieso | na sicher | klar doch | aber klar`,
		Pleased: "alles gut | alles bestens | alles super | alles prima | alles richtig | alles korrekt",
		No: `nein | naa | na na | naa danke | nei | nei danke | nei merci | bloss nicht | sicher nicht | ganz sicher nicht | auf gar keinen fall | sicher net | ich sagte nein | ich habe nein gesagt | ich sage nein | ne | nee | no | nope | neee | nein danke | leider nicht | leider nein | nicht | lieber nicht | besser nicht | auf keinen fall | keinesfalls | keineswegs | nie | niemals | falsch | das ist falsch | stimmt nicht | passt nicht | passt mir nicht | das passt nicht | das passt mir nicht | passt uns nicht | das geht nicht | geht nicht | das stimmt nicht |
			nicht richtig | das ist nicht richtig | noch nicht | jetzt nicht | heute nicht | eher nicht | bitte nicht | das nicht | so nicht | nicht so | nicht wirklich | uberhaupt nicht | gar nicht | ich will nicht |
			ich mochte nicht | das will ich nicht | das mochte ich nicht | will ich nicht | abgelehnt | ich lehne ab | kein interesse`,
		Bars:   "bitte nicht | tu das nicht | mach das nicht | tun sie das nicht | machen sie das nicht | auf keinen fall | nicht | ich will kein | ich will keine | ich will keinen | ich mochte kein | ich mochte keine | ich mochte keinen",
		WeakNo: "ich glaube nicht | glaube nicht | glaub nicht | wohl nicht | wahrscheinlich nicht | vermutlich nicht | ich denke nicht | denke nicht | kaum",
		Doubts: `vielleicht | ok so | okay so | ja so | eventuell | moglicherweise | vielleicht nicht | wahrscheinlich | vermutlich | ich glaube | glaube schon | ich glaube schon | ich glaube ja | ich denke | ich denke schon | denke schon | mal sehen |
			kommt drauf an | kommt darauf an | es kommt darauf an | weiss nicht | ich weiss nicht | weiss ich nicht | keine ahnung | nicht sicher | ich bin nicht sicher | bin nicht sicher | bin mir nicht sicher |
			ich bin mir nicht sicher | jein | ja und nein | egal | ist mir egal | mir egal | wie sie wollen | wie du willst | gleich | in einer minute | in einem moment | in einem augenblick | moment | einen moment | warte | warten sie | kein problem | kein thema | keine eile | konnte sein |
			kann sein | mag sein | schon gut | na ja | naja | ja klar | ja genau ja klar | ach ja | meinetwegen | wenn es sein muss | verstehe ich nicht | ich verstehe nicht | nicht ganz | warum nicht | einerseits |
			nicht dass ich wusste`,
		Around: `so | mir | uns | fur mich | fur uns | doch | schonen tag | schonen tag noch | einen schonen tag | einen schonen tag noch | schonen abend | schonen abend noch | einen schonen abend noch | vielen dank auch | fur die nachfrage | furs fragen | fur das angebot | trotzdem | ah | ahm | ehm | hm | hmm | oh | also | bitte | danke | danke schon | vielen dank | dann | nun | ach | na | sehr | wirklich | mal | eben | schon`,
		Turns:  "aber | und | jedoch | allerdings | sondern | nur | stattdessen | statt | anstatt | lieber | besser | ich meine | ich meinte | obwohl | auch",
		Amiss: `wenn falls sofern vielleicht eventuell moglicherweise wahrscheinlich vermutlich glaube denke hoffe hoffentlich unsicher zweifel erst spater bevor bis nachdem warte warten moment stopp stop abbrechen abbruch
			storniere stornieren was wie warum wieso weshalb wer wo wann welche oder falsch nichts niemand kaum fast konnte sollte witz scherz spass haha lol obwohl allerdings jedoch nein nee ne nicht kein keine egal ahnung
			noch sonst wenns ausser theoretisch vorlaufig`,
		Plain: "ja jo jap jep ok okay klar",
		Long:  "naturlich einverstanden selbstverstandlich bestatigt korrekt richtig sicherlich unbedingt",
		Lacks: "ohne",
		Has:   "mit",
		Suits: "passt passen geht gehen klappt klappen funktioniert moglich gut recht schlecht zeit frei leider gar uberhaupt da dabei in frage",
		Stops: "nein stopp stop abbrechen abbruch brechen warten loschen aufhoren ablehnen vergessen storniere stornieren",
		Kept:  "behalten | behalte | behalt | behalte ihn | behalte sie | behalten sie | behalte es | lass es so | lassen sie es so | so lassen | schon gut | das war alles | das ist alles | sonst nichts | keine eile",
	},
	Answers: Answers{
		Fillers: `ich mochte | ich will | ich hatte gern | ich hatte gerne | ich nehme | ich wahle | nehmen wir | sagen wir | sagen wir mal | machen wir | mach | machen sie | ich sage | ich meine | ich meinte | ich glaube | ich denke |
			vielleicht | wohl | es ist | es sind | das ist | das sind | das ware | das waren | es ware | wir sind | wir waren | es werden | etwa | ungefahr | circa | zirka | ca | rund | punktlich | so | genau | nur | um | am | fur | an | der | die |
			das | den | dem | ein | eine | einen | bitte | danke | vielen dank | gern | gerne | wenn moglich | insgesamt | passt | geht | ware gut | ware schon | ware toll | also | ja | ok | okay | gut | hallo | ah | hm |
			jahre alt | jahre | alt | uhr | betrag | summe | wie ware es mit | wie ware | wie war es mit | geht auch | von uns | davon`,
		Intros: `es ist | das ist | das ware | es ware | mein name ist | ich heisse | name | der name ist | ich sage | sagen wir | ich mochte | ich nehme | ich will | also | na ja | ok | okay | bitte | es geht an | es ist fur |
			die antwort ist | schreiben sie | schreib | schick es an | schicken sie es an | senden sie es an | hallo hier ist | hier ist | es endet auf`,
		Outros:    "glaube ich | denke ich | wurde ich sagen | wenn moglich | vielen dank | danke schon | meine ich",
		Selves:    "ich bin | wir sind | nennen sie mich | sie konnen mich nennen | nenn mich | man nennt mich | alle nennen mich",
		NameWords: "name namen heissen heisst wer",
		Polite:    "bitte danke dank dankeschon merci",
		Afresh:    "neu neuer neue neues neuen neuem anderer andere anderen zweiter zweite zweiten",
		Orders:    "zuerst erst dann danach anschliessend",
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
	Names: Names{
		Particles: "von vom van zu zum zur der den dem de la le du di da del ten bin ibn al el und and et y",
		Titles:    "herr herrn frau dr prof doktor professor familie onkel tante",
		Given:     "steven eve mark rose bill grant marc nina mary anne frank martin miller julia amber art drew mia",
		Others: `niemand niemanden niemandem keiner keinen keinem keine jemand jemanden jemandem alle allen alles nichts etwas irgendwer irgendwen irgendwem ihn ihm ihr ihnen sie sich mich mir dich dir uns euch selbst selber dort da hier
			kompliziert schwierig einfach unmoglich unbekannt geheim privat dringend wichtig teuer billiger krank mude beschaftigt fertig bereit egal falsch richtig verloren weg raus weiter zuruck schluss ende erledigt
			frag frage sag sage sagen weiss denke glaube meine mag will brauche zahle schulde gib gibs geben mach mache machen machs geht gehe gehen lass lassen lasst warte moment nimm nehme vergiss ignoriere bestatige wiederhole erklare
			schnell langsam doppelt gleich nochmal wieder noch auch nur schon sehr mehr spater bald heute morgen gestern jetzt vielleicht wahrscheinlich lieber sonst immer nie anders andere anderen uberlegt vorher`,
		Selves: `ich bin | wir sind | er ist | sie ist | das ist | es ist | das ware | es ware | du bist | sie sind | ich war | ich habe | mir ist | ich fuhle mich`,
	},
	Ways: Ways{
		Points: `dasselbe gleiche gleichen gleicher gleiches selbe selben dieselbe dieselben derselbe ubliche ublichen ublicher immer letzte letzten letztes letzter vorher vorhin bisher zuletzt noch weiss wissen weisst wisst sicher entscheide entscheiden frag frage fragen sag sage sagen nachsehen nachschauen schauen uberlegen uberlege spater erinnere erinnern wieder muss musst`,
		Sites:  "adresse anschrift strasse lieferadresse wohin",
		Ends:   "sein lauten heissen gehen kommen",
		Routes: `geht an | gehen an | ist fur | ist an | ware fur | soll an | muss an | schick es an | schicken sie es an | schicken sie es bitte an | bitte an | sende es an | senden sie es an | liefern sie es an | ich wohne in | ich wohne im | ich wohne | wir wohnen im | wir wohnen in | wir wohnen | ich bin umgezogen | wir sind umgezogen | bin umgezogen | jetzt | nun`,
	},
	Beside: Beside{
		Bounds:   "bis zu | maximal | hochstens | mindestens | nicht mehr als | nicht weniger als | weniger als | mehr als | unter | uber | spatestens | fruhestens | ab",
		Limits:   "budget limit maximal hochstens maximum mindestens grenze",
		Changers: "vor nach bis seit als halb halbe halben halfte viertel drittel ausser ohne statt andere anderen jede jeden jeder jedes pro je oder wenn falls ob was wer wem wie wo wann warum welche welcher welches welchen nicht zwischen wahrend",
		Carriers: `gehe | gehen | gehe zuruck | komme | kommen | komme zuruck | kommt | treffen | treffe | fahre | fahren | reise | reisen | fliege | fliegen | flug |
			fahrt | abflug | ankunft | anreise | abreise | buche | buchen | buchung | reserviere | reservieren | reservierung | tisch | termin | besprechung |
			treffen wir | datum | findet | findet statt | passiert | passierte | besuche | besuchen | zuruck`,
		Subjects: `geboren | geburtstag | geburtsdatum | preis | kostet | kosten | bezahle | bezahlen | zahle | zahlen | schulde | schulden | schuldet | uberweise |
			uberweisen | sende | senden | schicke | schicken | ausgeben | fallig | frist | liefern | lieferung | bestelle | bestellen | mittagessen | abendessen |
			feier`,
		Greetings: "guten gute schonen",
		Starts:    "ab start starten beginn beginnt beginnen anfang anfangen los losgehen eintritt umzug",
		Ages:      "alter alt",
		Persons:   "wem wen empfanger nachname vorname fahrer fahrerin gast kunde kundin patient patientin reisender kontakt firma unternehmen arbeitgeber person",
	},
	Asides: Asides{
		Openers: `ah | ach | oh | ohh | aha | uh | au | ach so | ach ja | ubrigens | nebenbei | mal eine frage | eine frage | kurze frage | ich habe eine frage | ich hatte eine frage | noch eine frage | noch etwas | noch was |
			bevor wir weitermachen | vorher noch`,
		Soft: `ok | okay | gut | super | toll | prima | schon | fein | perfekt | ja | jo | klar | alles klar | danke | dankeschon | vielen dank | also | nun | na | naja | na ja | na gut | jetzt | dann | hey | hi | hallo | du | sie | schau | horen sie |
			hor mal | und | aber | auch | bitte | verstehe | verstanden | interessant | stimmt | gut so | kein problem | mensch | wow | haha | lol`,
		Turning: `warte | warten sie | warte mal | warten sie mal | moment | moment mal | einen moment | einen moment bitte | kleinen moment | augenblick | einen augenblick | sekunde | eine sekunde | halt | halt mal | stopp mal | sorry | entschuldigung |
			entschuldige | entschuldigen sie | verzeihung | pardon | tut mir leid | es tut mir leid | eigentlich | ups | hoppla | mist | verdammt | oje | oh nein | nein warte | nein moment | nein sorry | nein entschuldigung | nein doch | doch |
			mein fehler | korrektur | ich habe mich vertan | ich habe mich vertippt | ich habe mich geirrt | vertippt | das war falsch | scheisse | quatsch | ich meine | nein quatsch`,
		Asks:     "was wer wie wo wann warum wieso weshalb welche welcher welches welchen welchem wen wem wessen wohin woher wozu wieviel womit wofur",
		Modals:   "kann konnen kannst konnte konnten soll sollen sollte darf durfen durfte will wollen mochte wurde wurden geht ginge",
		Asking:   `ist sind war waren bin bist hat habe haben hast hatte hatten kann konnen kannst konnte konnten muss mussen musste soll sollen sollte darf durfen durfte wird werden will wollen mochte wurde wurden kostet kosten geht gehen heisst heissen bedeutet macht machen dauert gibt bekomme bekommt brauche braucht brauchen steht stehen passiert funktioniert liegt kommt kommen verlangt fragen frage`,
		Pronouns: "ich du er sie es wir ihr man das dies diese dieser denn ihnen mir uns jemand",
		Requests: `sag mir | sagen sie mir | zeig mir | zeigen sie mir | erklar mir | erklaren sie mir | erklar | ich will wissen | ich mochte wissen | ich wurde gern wissen | ich frage mich | konnen sie mir sagen | kannst du mir sagen | was ist mit | wie kommt es | was ware wenn |
			weisst du | wissen sie`,
		Cancels:  "abbrechen abbruch stopp stop storniere stornieren storno",
		Drops:    "streich streiche streichen entferne entfernen losche losch loschen weglassen storniert",
		Spares:   "will mochte brauche benotige brauchen mehr doch raus weg ich wir",
		Things:   "auftrag bestellung vorgang anfrage buchung zahlung ganze ganzen sache aktion schritt gesprach dialog prozess mehr",
		You:      "du sie ihr",
		Finals:   "absagen abbrechen aufhoren beenden stornieren abbestellen",
		Parts:    map[string]string{"ab": "sag sage sagen sagt brich breche brechen bestell bestelle bestellen", "auf": "hor hore horen"},
		Inverted: map[string]string{"sie": "en ern eln", "du": "st", "ihr": "t", "es": "t", "das": "t", "er": "t", "man": "t", "wir": "en"},
		Links:    "und dann auch ausserdem danach anschliessend aber sowie zusatzlich zudem ferner hinterher daneben plus",
		Joins:    "und zwar noch | daruber hinaus | im anschluss | im anschluss daran | als nachstes | noch dazu | obendrein | wie auch | des weiteren",
		Pauses: `schwer zu sagen | schwierig zu sagen | das ist schwer zu sagen | das ist schwierig zu sagen | ist schwer zu sagen | kann ich nicht sagen | das kann ich nicht sagen | das kann ich noch nicht sagen | kann ich noch nicht sagen | ich kann es nicht sagen |
			moment | moment mal | moment noch | einen moment | einen moment noch | kleinen moment | einen kleinen moment | augenblick | einen augenblick | sekunde | eine sekunde | eine minute | warte | warte mal | warte kurz | warte noch | warten sie | warten sie mal |
			warten sie kurz | warten sie bitte kurz | bitte warten sie kurz | warten sie bitte | warten sie noch | bitte warten | kurz warten | halt mal | ich muss uberlegen | ich muss nachdenken | ich muss kurz uberlegen | ich muss kurz nachdenken | ich muss noch uberlegen | ich muss noch nachdenken |
			ich uberlege | ich uberlege noch | ich uberlege es mir | ich denke nach | ich denke noch nach | lass mich uberlegen | lassen sie mich uberlegen | lass mich nachdenken | lassen sie mich nachdenken | ich muss nachsehen | da muss ich nachsehen | ich sehe nach |
			ich schaue nach | spater | vielleicht spater | gleich | ich bin gleich wieder da | bin gleich wieder da | weiss nicht | weiss ich nicht | ich weiss nicht | ich weiss es nicht | das weiss ich nicht | weiss ich noch nicht | ich weiss noch nicht | ich weiss es noch nicht |
			keine ahnung | nicht sicher | ich bin nicht sicher | ich bin mir nicht sicher | mal sehen | mal schauen | geben sie mir einen moment | gib mir einen moment | in einer minute | in einem moment | in einem augenblick`,
		Firsts: "zuerst erst vorher zunachst vorab",
		Vague:  "irgendwen irgendwem irgendjemand irgendjemanden irgendjemandem jemand jemanden jemandem jeden jedem irgendwas etwas es",
	},
	Tellings: germanTellings, Askings: germanAskings, Evasions: germanEvasions, Clauses: germanClauses,
	Skips: Skips{
		None: `keine | keiner | keins | keines | keinen | gar keine | gar keinen | uberhaupt keine | nichts | gar nichts | uberhaupt nichts | keine davon | keins davon | weder noch | niemand`,
		Any:  "egal | ist mir egal | irgendeine | irgendeiner | irgendeins | beliebig | welche auch immer | sie entscheiden | du entscheidest | such dir was aus",
		All:  "beide | beides | alle | alle beide | alle drei | alles davon | jede | jeder",
	},
	Speech: Speech{
		Names: map[string]string{
			"en": "Englisch | English", "de": "Deutsch", "fr": "Französisch | français", "it": "Italienisch", "es": "Spanisch", "pt": "Portugiesisch", "nl": "Niederländisch | Holländisch", "pl": "Polnisch", "cs": "Tschechisch",
			"sk": "Slowakisch", "sl": "Slowenisch", "hr": "Kroatisch", "sr": "Serbisch", "bs": "Bosnisch", "hu": "Ungarisch", "ro": "Rumänisch", "bg": "Bulgarisch", "ru": "Russisch", "uk": "Ukrainisch", "tr": "Türkisch",
			"el": "Griechisch", "sv": "Schwedisch", "da": "Dänisch", "no": "Norwegisch", "fi": "Finnisch", "et": "Estnisch", "lv": "Lettisch", "lt": "Litauisch", "sq": "Albanisch", "ar": "Arabisch", "he": "Hebräisch",
			"fa": "Persisch | Farsi", "hi": "Hindi", "zh": "Chinesisch | Mandarin", "ja": "Japanisch", "ko": "Koreanisch", "vi": "Vietnamesisch", "th": "Thailändisch | Thai",
		},
		Requests: []string{
			"(können|könnten|dürfen|wollen|sollen) wir [bitte] [auf|in] {language} (sprechen|reden|schreiben|chatten|weitermachen|weiterreden|weitersprechen|fortfahren)",
			"(kann|könnte|darf) ich [bitte] [mit ihnen|mit dir] [auf|in] {language} (sprechen|reden|schreiben|chatten|weitermachen|fortfahren)",
			"((können|könnten|würden) sie|(kannst|könntest|würdest) du) [bitte] [mit mir] (auf|in) {language} (sprechen|reden|schreiben|antworten|weitermachen|fortfahren)",
			"(könnten sie|würden sie|könntest du|würdest du) [bitte] [mit mir] {language} (sprechen|reden|schreiben)", "(können sie|kannst du) bitte [mit mir] {language} (sprechen|reden|schreiben)",
			"(können sie|kannst du) mit mir {language} (sprechen|reden|schreiben)", "(können|könnten|wollen|sollen) wir [bitte] [die sprache] (auf|zu|in|nach) {language} (wechseln|umstellen|umschalten|ändern)",
			"((können|könnten|würden) sie|(kannst|könntest|würdest) du) [bitte] [die sprache] (auf|zu|in|nach) {language} (wechseln|umstellen|umschalten|ändern)", "(sprechen|reden|schreiben|machen) wir [bitte] [auf|in] {language} [weiter]",
			"(sprechen|reden|schreiben|antworten) sie bitte [mit mir] [auf|in] {language}", "(sprechen|reden|schreiben|antworten) sie [mir] (auf|in) {language} [mit mir]", "(sprechen|reden) sie {language} mit mir",
			"(sprich|rede|red|schreib|schreibe|antworte) [bitte] [mit mir|mir] [auf|in] {language} [mit mir]",
			"(lass|lassen sie|lasst) uns [bitte] [auf|in] {language} (sprechen|reden|schreiben|chatten|weitermachen|weiterreden|fortfahren)",
			"(wechsle|wechsel|wechseln sie|wechseln wir|schalte|schalt|schalten sie|schalten wir|stell|stelle|stellen sie|stellen wir) [bitte] [die sprache] [wieder] (auf|zu|in|nach) {language} [um]",
			"(ändere|ändern sie|ändern wir|setze|setzen sie) [bitte] die sprache [wieder] (auf|zu|in|nach) {language}", "[die] sprache (auf|zu|in) {language} (wechseln|ändern|umstellen|stellen|umschalten)",
			"(auf|zu|in|nach) {language} (wechseln|umstellen|umschalten)", "[jetzt] weiter (auf|in) {language}", "(auf|in) {language} weiter", "zurück (zu|zum|auf|ins) {language}",
			"ich (möchte|würde gern|würde gerne|würde lieber|will) [lieber|gern|gerne] [mit ihnen|mit dir] (auf|in) {language} (sprechen|reden|schreiben|weitermachen|fortfahren)",
			"ich (möchte|würde gern|würde gerne|will) (mit ihnen|mit dir) {language} (sprechen|reden)", "ich würde lieber {language} (sprechen|reden)", "ich (möchte|will) (zu|auf) {language} wechseln",
		},
		Alone: []string{"[auf|in] {language}", "[auf|in] {language} (sprechen|reden)"},
		Asks: []string{
			"(sprechen|verstehen|können) sie [auch] {language}", "(sprichst|verstehst|kannst) du [auch] {language}", "(können sie|kannst du) [auch] {language} (sprechen|verstehen|reden)",
			"(welche|was für) sprachen (sprechen|können|verstehen) sie", "(welche|was für) sprachen (sprichst|kannst|verstehst) du", "welche sprachen (gibt es|sind möglich|stehen zur auswahl)",
			"in welchen sprachen kann ich [mit ihnen] (sprechen|reden|schreiben)", "welche sprache sprechen sie", "welche sprache sprichst du", "(sprechen sie|sprichst du) [noch] andere sprachen",
			"gibt es [noch] eine andere sprache", "kann ich die sprache (wechseln|ändern)", "geht (das|es) auch auf {language}", "gibt es das auch auf {language}",
		},
		Please: "bitte | bitte schön | bitteschön | bitte sehr | wenn es geht | wenn möglich",
		Around: "hallo | hi | guten tag | guten morgen | guten abend | grüezi | moin | oh | ok | okay | also | gut | entschuldigung | sorry | danke | vielen dank | jetzt | dann | lieber",
	},
	Values: Values{
		Terms: map[string]string{
			"the": "der die das den dem am", "a": "ein eine einen einem einer eines", "in": "im in", "of": "des von", "from": "vom ab", "before": "vor", "until": "bis",
			"after": "nach", "at": "um gegen", "about": "etwa ungefahr circa zirka ca", "and": "und", "but": "aber", "except": "ausser", "than": "als",
			"half": "halb halbe halben halber halbes", "quarter": "viertel", "threequarters": "dreiviertel", "oclock": "uhr", "point": "komma", "minus": "minus", "percent": "prozent",
			"dozen": "dutzend", "hundred": "hundert", "thousand": "tausend", "million": "million millionen", "billion": "milliarde milliarden", "trillion": "billion billionen", "": "trillion trillionen",
			"overnext": "ubernachster ubernachste ubernachstes ubernachsten ubernachstem", "this": "dieser diese dieses diesen diesem", "next": "nachster nachste nachstes nachsten nachstem", "coming": "kommender kommende kommendes kommenden kommendem", "following": "folgender folgende folgendes folgenden folgendem",
			"previous": "voriger vorige voriges vorigen vorigem vergangener vergangene vergangenes vergangenen vorheriger vorherige vorherigen", "current": "aktueller aktuelle aktuellen laufender laufenden",
			"last": "letzter letzte letztes letzten letztem", "week": "woche", "weeks": "wochen", "day": "tag", "days": "tage tagen", "month": "monat monats", "months": "monate monaten",
			"year": "jahr jahres", "years": "jahre jahren", "hour": "stunde", "quarterhour": "viertelstunde viertelstunden", "threequarterhour": "dreiviertelstunde dreiviertelstunden", "hours": "stunden std", "minute": "minute", "second": "sekunde", "seconds": "sekunden", "more": "weitere", "weekend": "wochenende",
			"later": "spater", "earlier": "fruher", "end": "ende", "beginning": "anfang", "noon": "mittag mittags", "midnight": "mitternacht", "now": "jetzt sofort",
			"early": "fruhem fruhen", "late": "spat spaten", "minutes": "minuten min",
			"morning": "morgens fruh vormittag vormittags fruhmorgens", "afternoon": "nachmittag nachmittags", "evening": "abend abends spatabend spatabends", "night": "nacht nachts",
			"january": "januar janner", "february": "februar", "march": "marz mrz", "april": "april", "may": "mai", "june": "juni", "july": "juli", "august": "august",
			"september": "september", "october": "oktober okt", "november": "november", "december": "dezember dez",
			"monday": "montag", "tuesday": "dienstag", "wednesday": "mittwoch", "thursday": "donnerstag", "friday": "freitag", "saturday": "samstag sonnabend", "sunday": "sonntag",
			"euro": "euro euros eur", "cent": "cent cents", "dollar": "dollar dollars", "pound": "pfund", "franc": "franken frankens chf", "swiss": "schweizer", "yen": "yen", "krona": "kronen krone", "zloty": "zloty",
			"option": "nummer option punkt",
		},
		Number: germanNumber, Compound: germanApart, NumberWords: slices.Concat(germanOnes[2:], germanTens), Respell: germanRespelled,
		Ordinals: germanOrdinals(),
		Days: map[int]string{
			0: "heute | heute abend | heute morgen | heute nachmittag | heute vormittag | heute mittag | heute nacht | heutigen tag | heutige tag | heutigen datum",
			1: "morgen | morgigen tag | morgige tag", 2: "ubermorgen", 3: "uberubermorgen", -1: "gestern | gestrigen tag", -2: "vorgestern", -3: "vorvorgestern",
		},
		DayParts: "morgen", Sharp: "genau exakt punkt punktlich",
		Feasts: map[string]string{
			"12-25": "weihnachten", "12-24": "heiligabend | heiliger abend", "12-31": "silvester", "01-01": "neujahr", "12-06": "nikolaus",
		},
		Now:     "gerade | gerade eben | jetzt gerade | im moment | in diesem moment | zurzeit | momentan",
		Endings: "te ter ten tes tem", PartsOfDays: "fruh morgen vormittag mittag nachmittag abend nacht", ShortWeekdays: "so mo di mi do fr sa",
		Ago:   "vor",
		Since: "ab", Lasting: "fur", Rates: "pro je per", Times: "mal male", Capitals: true,
		True: "ja wahr an ein", False: "nein falsch aus",
		Ands: "und sowie plus auch", Without: "kein keine keinen keinem keiner ohne null",
		Called:   map[string]string{"phone": "Nummer | Telefon | Telefonnummer | Handy | Handynummer", "email": "Mail | E-Mail | Adresse | Mailadresse"},
		DayFirst: true, HalfTo: true, ScalesAlone: true, Parties: map[string]int{"zweit": 2, "dritt": 3, "viert": 4, "funft": 5, "sechst": 6, "siebt": 7, "acht": 8, "neunt": 9, "zehnt": 10}, Point: ',',
	},
	Fractions: Fractions{
		Over:   "von aus",
		Parts:  germanParts(),
		Alone:  germanFractions(),
		Wholes: "alles | das ganze | ganz | komplett",
	},
	Ranges: Ranges{
		Between: "zwischen | irgendwo zwischen", And: "und",
		From: "von | vom | ab | ab dem", To: "bis | bis zu | bis zum | bis zur",
		Least: "mindestens | wenigstens | minimal | minimum | nicht weniger als | nicht unter | fruhestens | fruhestens am | nicht vor | nicht vor dem | ab | ab dem | seit | seit dem",
		Most:  "hochstens | maximal | maximum | nicht mehr als | nicht uber | spatestens | spatestens am | bis spatestens | bis | bis zu | bis zum | bis zur",
		Above: "mehr als | uber | nach | nach dem | spater als", Below: "weniger als | unter | vor | vor dem | fruher als",
		More: "oder mehr | und mehr | oder daruber | und daruber | aufwarts | oder spater | und spater", Less: "oder weniger | und weniger | oder darunter | und darunter | abwarts | oder fruher | und fruher",
	},
	Zones: Zones{
		Before: "zeit in | zeit von | ortszeit in | zeitzone von | zeitzone | uhrzeit in",
		Behind: "zeit | ortszeit | zeitzone",
		Places: map[string]string{
			"America/New_York": "ostkustenzeit", "America/Los_Angeles": "westkustenzeit",
		},
	},
	Alike: []string{
		"kind kinder kindern", "person personen leute leuten gast gaste", "erwachsene erwachsener erwachsenen", "mann manner", "frau frauen", "karte karten",
		"tag tage tagen", "nacht nachte", "zimmer zimmern", "platz platze",
	},
	Sayings: []string{
		"ich mochte | ich will | ich wurde gern | ich hatte gern", "was ist | wie ist | wie lautet", "wie viel | wieviel",
	},
	Change:   "ändere ",
	Suffixes: "en er es em e n s t",
	Elsewhere: `regnet es morgen | erzahl mir einen witz | wer hat gestern das spiel gewonnen | wie weit ist der mond weg | spiel etwas ruhige musik | was soll ich heute abend kochen | mein hund will nichts fressen |
		wie schreibt man rhythmus | was ist die hauptstadt von australien | ich bin heute so mude | was heisst gute nacht auf franzosisch | wie viele menschen leben in japan | stell den wecker auf halb sieben | mach das licht in der kuche aus |
		wer hat faust geschrieben | lauft heute ein guter film | erinnere mich daran die blumen zu giessen | was bedeutet dieses wort | wie alt ist das weltall | schreib eier auf die einkaufsliste | mein nachbar ist sehr laut |
		wie lange mussen kartoffeln kochen | was ist die wurzel aus einundachtzig | wann fahrt der nachste zug | hast du heute die nachrichten gesehen | wo leben pinguine | kannst du ein lied singen | ich hatte einen komischen traum |
		was ist ein guter name fur eine katze | wie bekomme ich einen fleck aus dem hemd | wie hoch ist der hochste berg | wer ist prasident von brasilien | hast du geschwister | was hast du an | bist du ein roboter |
		mir tut der rucken weh | empfiehl mir ein buch uber geschichte | wie machen pflanzen sauerstoff | wie spat ist es in new york | welche sprache spricht man in peru | ich mag das meer im winter | das wetter ist heute schon |
		wie viele kalorien hat eine banane | soll ich ein fahrrad oder einen roller kaufen | was geschah im jahr 1066 | wie bindet man eine fliege | wann ist muttertag | ist kaffee gesund | meine schwester heiratet bald |
		such ein rezept fur apfelkuchen | was ist das schnellste tier an land | wie lerne ich gitarre spielen | wer hat dieses bild gemalt | warum ist der himmel blau | wo kann ich hier angeln gehen | wurfle bitte |
		was denkst du uber politik | erzahl mir etwas interessantes | gibt es gerade stau | wie flickt man einen reifen | meine pflanzen gehen ein und ich weiss nicht warum | welche schuhgrosse hat ein kind | wie steht der aktienmarkt |
		starte die waschmaschine | lies mir meine neuen nachrichten vor | wie viel wiegt ein elefant | wer hat das telefon erfunden | mach ein foto | was ist der sinn des lebens | wie schreibt man einen guten aufsatz | wirf eine munze | offne das garagentor |
		welcher wein passt zu fisch | konnen hunde farben sehen | mein freund hat mich verlassen | wie sagt man kase auf italienisch | steht mir diese jacke | was ist dein lieblingsessen | mach lauter | wann wurde die mauer gebaut |
		wie komme ich von hier zum bahnhof | ich mochte im urlaub an den strand | einen tisch fur zwei um acht | wie oft soll man haare waschen | auf welchem kanal kommt das spiel | du bist sehr lustig | kann ich in einer wohnung ein kaninchen halten |
		was ist zehn mal zwolf | was hilft gegen schluckauf | der bildschirm von meinem handy ist schmutzig | gib mir die nummer von einem klempner | was ass man im mittelalter | wie wirkt eine impfung | ich habe schon wieder verloren`,
	Commands: []CommandWords{
		{Cancel, "", []string{
			"(abbrechen|abbruch|stopp|stop|halt) [das|bitte|alles]", "brich [das|es] ab", "brechen sie [das|es] ab", "(bitte|ich will|ich möchte) [das] abbrechen", "vergiss (es|das)", "vergessen sie (es|das)", "hör auf", "hören sie auf",
			"[alles|ich will|ich möchte] (abbrechen|beenden|aufhören)", "ich (breche ab|höre auf)", "[noch mal|nochmal] neu (anfangen|beginnen)", "schon gut vergiss es", "lass (es|das) [sein]", "lassen (wir|sie) (es|das) [sein]", "storniere (das|es|alles)", "[eigentlich|dann|lieber] doch nicht", "von vorn", "von vorne",
			"(brich|brechen sie) [bitte] [alles|das alles|den vorgang] ab", "(beende|beenden sie) (das|es|alles|den vorgang)", "(schon gut|schon ok|ist schon gut)", "(lass mal|lassen sie mal|lass gut sein|lassen wir das)",
			"(abbrechen|abbruch|stopp|stop) [das|bitte|alles] bitte", "kommando zurück", "bitte nicht mehr",
		}},
		{Cancel, Telling, germanExcuses},
		{Cancel, Unneeded, []string{"nicht mehr nötig", "nicht mehr erforderlich", "ich brauche (das|es) (nicht mehr|doch nicht)"}},
		{Skip, Unneeded, []string{"[das|es|ist|das ist] nicht (nötig|notwendig|erforderlich)", "[das|den|die] (brauche|brauchen|benötige|benötigen) (ich|wir) nicht", "ich (brauche|benötige) (das|das nicht|es|keinen|keine|keins) [nicht]", "unnötig"}},
		{Repeat, "", []string{
			"(wie|was|hä) [bitte]", "was (hast du|haben sie) gesagt", "was war die frage", "noch (mal|einmal) [bitte]", "nochmal [bitte]", "(wiederhole|wiederholen sie) (das|es) [bitte]", "wiederholen", "ich habe [das|dich|sie] nicht verstanden", "das habe ich nicht verstanden", "(wie|was) (war|ist|lautet) [nochmal|noch mal|noch einmal] die frage", "(kannst du|können sie) das [bitte] [noch einmal|nochmal|noch mal] (wiederholen|sagen)", "was (wolltest du|wollten sie) wissen",
		}},
		{Skip, "", []string{
			"überspringen [bitte]", "überspring (das|es)", "überspringe (das|es)", "weiter ohne", "weiß [ich] nicht", "ich weiß [es] nicht", "keine ahnung", "keine angabe", "[ist|das ist|ist mir|das ist mir|mir] [ganz|völlig] egal [wann|wo|wer|was|wie|welche|welcher|welches]", "will ich nicht sagen", "(das ist|ist) [mir|zu|sehr|streng] (privat|persönlich|vertraulich|geheim)", "[das|es] geht (dich|sie|euch) [gar|überhaupt] nichts an", "[das] sage ich [ihnen|dir] nicht", "[das] verrate ich [ihnen|dir] nicht", "kein kommentar", "möchte ich nicht sagen", "auslassen", "später", "nächste [frage]",
		}},
		{Handoff, "", []string{
			"(mit|zu) [einem|einer] [echten] (menschen|mensch|mitarbeiter|mitarbeiterin|person|berater|kollegen) [sprechen|reden|verbinden]", "[einen|ein|eine] [echten|echte|echter] (mensch|menschen|mitarbeiter|mitarbeiterin|berater)",
			"(verbinde|verbinden sie) mich [mit einem menschen|mit jemandem]", "ich (möchte|will) mit (jemandem|einem menschen|einem mitarbeiter) (sprechen|reden)", "kann ich mit (jemandem|einem menschen|einem mitarbeiter) (sprechen|reden)", "kundendienst", "kundenservice",
		}},
		{Back, "", []string{
			"[bitte|können wir|kann ich|ich will|ich möchte] [einen schritt|eine frage] zurück [gehen] [bitte]", "geh [bitte] [einen schritt] zurück", "gehen (sie|wir) [bitte] [einen schritt] zurück", "[zur] (vorige|vorigen|letzte|letzten|vorherige|vorherigen) frage", "rückgängig [machen]", "mach das rückgängig", "machen sie das rückgängig",
			"[ich] [will|möchte|muss|würde gern|kann ich|lass mich] [die|meine|das] (letzte|vorige|vorherige|letzten|vorigen|vorherigen) (antwort|eingabe|angabe|frage|wert) (ändern|korrigieren|berichtigen|wiederholen|neu machen)", "[die|meine|das] (letzte|vorige|vorherige) (antwort|eingabe|angabe) (war|ist) (falsch|ein fehler|nicht richtig)",
			"das war (falsch|ein fehler|ein tippfehler|nicht richtig)", "ich habe (das|es|etwas) falsch (gesagt|eingegeben|geschrieben)", "ich (will|möchte|muss) (das|es|etwas) (ändern|korrigieren)",
		}},
		{Opposite, "", []string{
			"[nein|nicht das|nicht dieses|ich meinte|ich meine] (den|die|das|der|vom|von dem|von der|zum|zur) (andere|anderen|anderes) [bitte]", "[nein|ich meinte|ich meine] (das gegenteil|umgekehrt|andersrum|andersherum)", "[nein|nicht das|nicht dieses|ich meinte|ich meine] (vom|von dem|von der|auf das|auf die|zum|zur|an den|an die|das|den|dem|der|die) (andere|anderen) {about} [bitte]",
		}},
		{Help, "", []string{
			"hilfe [bitte]", "(kannst du|können sie) mir [bitte] helfen", "ich brauche hilfe", "was kannst du [alles] [tun|machen]", "was können sie [alles] [tun|machen|für mich tun]", "was kann ich (sagen|tun|machen|fragen) [hier]", "wie (geht|funktioniert) (das|es) [hier]", "(menü|optionen|befehle)", "welche (möglichkeiten|optionen) (habe ich|gibt es)",
		}},
		{Correct, "", []string{
			"(ich meinte|ich meine|ich wollte sagen|es sollte|es muss|sollte|soll heißen|gemeint war|ich wollte|nimm lieber|nehmen sie lieber|besser|mach lieber) {rest} [sein|heißen|sagen]",
			"nicht {about} (ich meinte|ich meine|sondern|ich wollte|es ist|es sind|lieber|eher) {rest} [sagen]", "(ich meinte|ich meine|ich wollte|es ist|es sind) {rest} [und] (nicht|statt|anstatt) {about}",
			"[bitte] (nimm|nehmen sie|nutze|nutzen sie|schreib|schreiben sie|setze|setzen sie|verwende|verwenden sie) [bitte] {rest} (als|für) [den|die|das|mein|meine|meinen] {about}", "[wir|ich] [müssen|muss|möchte|möchten|will|wollen] [den|die|das|meinen|meine|mein] {about} (auf|in|zu|an) {rest} (ändern|verschieben|setzen|legen|verlegen|korrigieren)",
			"(eigentlich|sondern|lieber|doch|nein|ne|nein warte|warte|ich meine|ich meinte|nein ich meine|nein ich meinte|entschuldigung|sorry|oder doch|doch lieber|nein doch|korrektur) {rest}", "[nein] (mach|machen sie|mach daraus|machen sie daraus|nimm|nehmen sie) {rest} [daraus|draus]",
			"[nein] (ändere|ändern sie|setze|setzen sie|korrigiere|korrigieren sie) [den|die|das|meinen|meine|mein] {about} (auf|in|zu|an) {rest}", "nicht {about} sondern {rest}", "nicht (an|für|am|um|mit|in|nach|zu|von) {about} sondern {rest}", "nicht {about} {rest}", "{rest} statt {about}", "{rest} anstatt {about}", "{rest} nicht {about}",
			"(der|die|das) {about} (soll|sollte|ist eigentlich) {rest} [sein]", "(der|die|das|mein|meine) {about} (ist|war) (falsch|nicht richtig) (es ist|er ist|sie ist|richtig ist) {rest}", "es (soll|sollte) {rest} [sein]", "ich (sagte|habe gesagt) {rest}",
			"[ich] [will|möchte|muss|würde gern|kann ich|können wir|lass mich] [den|die|das|meinen|meine|mein] {about} (ändern|korrigieren|berichtigen|neu eingeben)", "(ändere|ändern sie|korrigiere|korrigieren sie) [den|die|das|meinen|meine|mein] {about}",
		}},
		{Wrong, "", []string{
			"[nein] [der|die|das|mein|meine] {about} (ist falsch|stimmt nicht|ist nicht richtig|sind falsch|stimmen nicht|sind nicht richtig)", "[nein] (falscher|falsche|falsches) {about}",
			"ich (meinte|meine|wollte|sagte) nicht {about}", "(nicht|aber nicht|nur nicht|bloß nicht|es ist nicht|das ist nicht|alles außer) (an|für|von|auf|zu|mit|der|die|das|den) {about}", "(nicht|aber nicht|nur nicht|es ist nicht|alles außer) {about}", "(einen|eine|ein) (anderen|andere|anderes|anderer) {about} [bitte]", "(da ist|es gibt) ein fehler (im|in der|beim|bei der) {about}", "ich habe (den|die|das) (falschen|falsche) {about} (gesagt|genannt|eingegeben|gewählt)",
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
		wahl wald wand ware wasser weg wein weiss weit welt wenig wert wetter wind winter wissen wohnung wort wunsch zahl zeit zelt ziel zimmer zins zucker zug zusammen
		abel achse achzen achzt ader amber auguste aussen aussern debatte dieb diebe diene dienen diener dieter diensten dreh drew eifer eile eilen eimer eisen elfen elite enge ente erde ernste ernsten ernster ernstes ernte ernten
		eroberer ersetzen ersparen erstechen erstellen frida froh fund fung funk gegend geistern gestein grad gran grande half halfen hall halle hallen hals halt halte halten haube haute hefte heftiger heule hindert hute jaguar jane
		jene joni jude judy julia julie julio jury klone koma komm komme kommandeur kommando kommentar krote lest list lost lust mach manch mara marco marcy mari mark marsch marsh marv marx mary match missionen mogen mona monch monty
		morden morgan nachsehen nachsitzen nachos nackt naht nash nenn neuen nimmer paso punk saat sachs schuster semester siegen soeben spalt spar spart spatz spot stande sunde sunden take tape tate taten taugen tragen tres tue
		uberzogen vergangen verlangen vieh viper view wache wachen weck weigere werk zahn zehen zeiten zweig zweige zweit`,
}

// germanRespelled writes umlauts that were written as two letters as they are compared.
func germanRespelled(word string) string { return germanUmlauts.Replace(word) }

var germanUmlauts = strings.NewReplacer("ae", "a", "oe", "o", "ue", "u")
