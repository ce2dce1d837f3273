package phrase

import "strings"

// english is the words of English.
func english() *language {
	l := &language{
		classes:    make(map[string]class),
		units:      make(map[string]int64),
		ordinals:   make(map[string]int),
		currencies: make(map[string]coin),
		ands:       set([]string{"and", "plus", "also", "n"}),
		scales:     map[string]int{"thousand": 3, "thousands": 3, "grand": 3, "k": 3, "million": 6, "millions": 6, "mio": 6, "mn": 6, "m": 6, "billion": 9, "bn": 9, "b": 9, "trillion": 12, "tn": 12},
		adjectives: set(strings.Fields("us canadian australian american british hong singapore zealand swedish norwegian danish czech")),
		booleans: map[string]bool{
			"true": true, "false": false, "yes": true, "no": false, "on": true, "off": false, "enabled": true, "disabled": false,
			"enable": true, "disable": false,
		},
		sayings: [][]string{
			{"what is", "whats"},
			{"where is", "wheres"},
			{"how is", "hows"},
			{"that is", "thats"},
			{"i am", "im"},
			{"i have", "ive"},
			{"i would", "id"},
			{"i will", "ill"},
			{"it is", "its"},
			{"cannot", "can not", "cant"},
			{"do not", "dont"},
			{"does not", "doesnt"},
			{"is not", "isnt"},
			{"forgot", "forgotten", "have forgotten", "ive forgotten"},
		},
		without: set([]string{"no", "without", "zero"}),
		alike: [][]string{
			{"child", "children", "kid", "kids"},
			{"person", "persons", "people", "guest", "guests"},
			{"man", "men"},
			{"woman", "women"},
			{"adult", "adults", "grownup", "grownups"},
			{"foot", "feet"},
			{"baby", "babies"},
			{"party", "parties"},
			{"copy", "copies"},
		},
		polite: set(strings.Fields("please pls plz thanks thx ta cheers")),
		point:  '.',
	}
	for c, words := range map[class]string{
		filler: `i id ill im ive like want wanna need to would could can you please pls plz just me my let lets kindly hi
			hey hello so well ok okay okey thanks thank thx cheers now gonna going get make do some help with actually really
			yes yeah good morning afternoon evening there sorry oh ah right then maam sir mate`,
		function: `a an the of for in on at by from into onto about as and or but if is are am was were be been being it its
			this that these those he she we they him her us them his our your their what which who whom whose how when
			where why will shall should may might must has have had does did any all one ones up out over`,
		hum:      `um uh er erm uhm umm hmm hm mm uhh ehm eh`,
		negation: `not dont never no cant wont cannot doesnt didnt isnt arent wasnt werent without couldnt shouldnt wouldnt stop nor neither aint`,
	} {
		for w := range strings.FieldsSeq(words) {
			l.classes[w] = c
		}
	}
	englishNumbers(l)
	englishMoney(l)
	englishTime(l)
	englishMoods(l)
	englishAround(l)
	englishSlips(l)
	englishKnown(l)
	l.findValueWords()
	l.commands, l.change = englishCommands, "change"
	l.common = commonMatcher(l)
	return l
}

func englishNumbers(l *language) {
	for n, w := range strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen
		fifteen sixteen seventeen eighteen nineteen`) {
		l.units[w] = int64(n)
	}
	for n, w := range strings.Fields("twenty thirty forty fifty sixty seventy eighty ninety") {
		l.units[w] = int64(20 + 10*n)
	}
	l.units["nought"], l.units["nil"] = 0, 0
	for n, w := range strings.Fields("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth") {
		l.ordinals[w] = n + 1
	}
	l.ordinals["last"] = -1
}

// englishKnown makes known all words that mean something, so that none is taken for a slip.
func englishKnown(l *language) {
	l.known = set(strings.Fields(englishWords))
	for _, words := range []map[string]bool{l.amiss, l.stops, l.ands, l.polite} {
		for w := range words {
			l.known[w] = true
		}
	}
	for w := range l.classes {
		l.known[w] = true
	}
	for w := range l.units {
		l.known[w] = true
	}
	for w := range l.ordinals {
		l.known[w] = true
	}
	for w := range l.currencies {
		l.known[w] = true
	}
	for w := range l.months {
		l.known[w] = true
	}
	for w := range l.weekdays {
		l.known[w] = true
	}
}

func englishMoney(l *language) {
	for words, c := range map[string]coin{
		"euro euros eur":                         {codes: []string{"EUR"}},
		"dollar dollars buck bucks dollah":       {codes: dollars},
		"usd american":                           {codes: []string{"USD"}},
		"cad canadian":                           {codes: []string{"CAD"}},
		"aud australian":                         {codes: []string{"AUD"}},
		"nzd":                                    {codes: []string{"NZD"}},
		"sgd":                                    {codes: []string{"SGD"}},
		"hkd":                                    {codes: []string{"HKD"}},
		"pound pounds gbp quid sterling british": {codes: pounds},
		"yen jpy":                                {codes: []string{"JPY"}},
		"yuan renminbi cny rmb":                  {codes: []string{"CNY"}},
		"franc francs chf":                       {codes: []string{"CHF"}},
		"krona kronor krone kroner crown crowns kr": {codes: crowns},
		"sek swedish":                     {codes: []string{"SEK"}},
		"nok norwegian":                   {codes: []string{"NOK"}},
		"dkk danish":                      {codes: []string{"DKK"}},
		"czk koruna":                      {codes: []string{"CZK"}},
		"zloty zlotys pln":                {codes: []string{"PLN"}},
		"forint forints huf":              {codes: []string{"HUF"}},
		"rupee rupees inr":                {codes: []string{"INR"}},
		"rouble roubles ruble rubles rub": {codes: []string{"RUB"}},
		"won krw":                         {codes: []string{"KRW"}},
		"lira liras try":                  {codes: []string{"TRY"}},
		"peso pesos mxn":                  {codes: []string{"MXN"}},
		"real reais brl":                  {codes: []string{"BRL"}},
		"rand zar":                        {codes: []string{"ZAR"}},
		"shekel shekels ils":              {codes: []string{"ILS"}},
		"dirham dirhams aed":              {codes: []string{"AED"}},
		"bitcoin bitcoins btc":            {codes: []string{"BTC"}},
		"ether ethereum eth":              {codes: []string{"ETH"}},
		"cent cents":                      {codes: cents, minor: true},
		"pence penny pennies p":           {codes: pounds, minor: true},
	} {
		for w := range strings.FieldsSeq(words) {
			l.currencies[w] = c
		}
	}
	delete(l.currencies, "try") // people try things
}

func englishMoods(l *language) {
	l.moods.add(saysYes, strings.Split(`yes | yep | yup | yeah | yea | yah | ya | yas | yess | yeh | aye | y | ja | uh huh | uhuh | uhhuh | mhm | mm hmm | ok | okay | okey | okey dokey | 
		okie dokie | k | kk | oki | sure | sure thing | for sure | surely | of course | certainly | absolutely | definitely | 		totally | indeed | exactly | precisely | correct | right | thats right | that is right | that is correct | thats correct | you are right | youre right | 
		thats it | that is it | true | affirmative | agreed | i agree | i do | i am | it is | it does | please do | do it | do that | do so | do this | lets do it | lets do that | lets do this | lets go | go | 
		lets go ahead | just do it | go ahead | go for it | go on | please go ahead | proceed | please proceed | continue | confirm | confirmed | i confirm | 
		approve | approved | i approve | accept | accepted | i accept | sounds good | sounds great | sounds right | sounds fine | looks good | looks great | looks right | looks fine | 
		looks correct | all correct | all right | alright | allright | very well | perfect | great | excellent | brilliant | wonderful | fantastic | awesome | cool | lovely | fine | thats fine | that is fine | 
		fine by me | fine with me | works for me | that works | thats good | that is good | thats ok | thats okay | thats perfect | thats great | 
		good to go | by all means | you bet | you got it | got it right | naturally | gladly | with pleasure | make it so | send it | ship it | book it | yes sir | yessir | 
		i said yes | thats a yes | that is a yes | its a yes | a yes from me | i would | id love to | id like that | i would like that | i want that | 
		i say yes | say yes | roger | roger that | ten four | permission granted | granted | as you say | deal | its a deal | without a doubt | no doubt about it | yes i am sure | i am sure | im sure | im certain | i am certain | positive | 
		hundred percent | one hundred percent | 100 percent | why yes | oh yes | hell yes | heck yes`, "|")...)
	l.moods.add(saysNo, strings.Split(`no | nope | nah | nay | naw | noo | n | nop | nuh uh | no way | no thanks | no thank you | no thx | no ta | not really | not now | not today | not yet | not this time | 
		not right now | not at all | not at this time | not quite | not exactly | not correct | not right | thats not right | that is not right | thats not correct | that is not correct | 
		thats not it | thats not what i said | that is not what i said | thats not what i want | thats not what i meant | that isnt right | its not | it is not | it isnt | not that | not this | 
		not like that | not in the slightest | not likely | not a chance | not on your life | not ok | not okay | not fine | not good | not sure thing | absolutely not | certainly not | definitely not | 
		of course not | surely not | hell no | heck no | god no | oh no | please no | please dont | please do not | dont do it | do not do it | dont do that | do not do that | 
		dont | do not | i dont | i do not | i dont want to | i do not want to | i dont want that | i do not want that | i dont want it | i dont want this | i dont think so | i do not think so | 
		i wouldnt | i would not | id rather not | i would rather not | rather not | better not | negative | negatory | never | never ever | by no means | no i said | i said no | thats a no | 
		that is a no | its a no | a no from me | wrong | thats wrong | that is wrong | its wrong | incorrect | thats incorrect | that is incorrect | false | disagree | 
		i disagree | i refuse | refuse | refused | decline | declined | i decline | deny | denied | reject | rejected | i reject | disapprove | no sir | no maam | none of that | no deal | not interested | im not interested | 
		wont | i wont | i will not | cant | i cant | i cannot | i am not | im not | it doesnt | it does not | it wont | forget no | heavens no | no siree | under no circumstances | not ever | hard no | hard pass | pass on that`, "|")...)
	l.moods.add(bars, "dont", "do not", "dont you", "please dont", "please do not", "i dont want", "i do not want", "i dont want you to",
		"i do not want you to", "dont you dare", "never", "you should not", "you shouldnt", "stop short of")
	l.moods.add(weakNo, "i guess not", "guess not", "probably not", "i suppose not", "i think not", "i hope not", "id say no", "i would say no", "i think no",
		"i dont believe so", "i dont suppose so", "not particularly", "not so much", "not necessarily", "hardly", "i doubt it", "doubt it")
	l.moods.add(doubts, strings.Split(`maybe | maybe not | perhaps | perhaps not | possibly | probably | i guess | i guess so | guess so | i think | i think so | think so | i suppose | i suppose so | suppose so | 
		i believe so | i hope so | hopefully | not sure | im not sure | i am not sure | not so sure | not too sure | not certain | im not certain | unsure | not entirely | not completely | not 100 percent | 
		i dont know | dont know | i do not know | dunno | i dunno | idk | no idea | i have no idea | i dont care | dont care | who knows | who cares | it depends | that depends | depends | kind of | kinda | 
		sort of | sorta | more or less | almost | nearly | partly | partially | in part | in a way | somewhat | mostly | 
		yes and no | yes no | yes no maybe | yeah no | yes or no | no yes | yeah right | yea right | yeah sure right | sure right | oh sure | as if | like i care | you wish | if you say so | if you like | if you want | whatever | whatever you say | either | either way | neither | 
		both | up to you | its up to you | you decide | hold on | hang on | wait | one moment | one second | just a moment | just a second | a moment | let me think | let me see | let me check | i need to think | 
		im good | im fine | im ok | im okay | im alright | i am good | i am fine | i am ok | we are good | were good | all good | no problem | no problems | no worries | not a problem | no doubt | no rush | no hurry | no matter | no preference | 
		why not | not bad | cant complain | cannot complain | dont mind | i dont mind | i do not mind | wouldnt mind | i wouldnt mind | i would not mind | could be | might be | may be | it might | i might | it could | i could | 
		should be | i should | who me | right or wrong | true or false | not no | not a no | not never | never say never | not wrong | not incorrect | not false | not disagree | dont disagree | i dont disagree | i do not disagree | 
		if only | i wish | fat chance | okay then what | fine whatever | ok whatever | sure whatever | sure jan | great job | great question | good question | 
		right now | right away | right after | right before | no one | nobody | no more | no longer | no less | no matter what | no need | there is no | no sooner | no other | 
		i am not so sure | hmm yes | i do not have | i dont have | i dont understand | i do not understand | dont understand | i dont get it | i dont follow | i dont remember | dont remember | i dont recall | dont recall | 
		i dont think | i do not think | cant say | i cant say | i cannot say | cant decide | i cant decide | cant tell | i cant tell | cant wait | i cant wait`, "|")...)
	l.moods.add(around, strings.Fields(`um uh er erm uhm hmm hm umm mm oh ah eh ehm well please pls plz thanks thx cheers so then now just hey hi hello very much really quite
		sir maam mate dear man dude buddy friend bro honey`)...)
	l.moods.add(around, "thank you", "thank you very much", "thanks a lot", "many thanks", "you know", "i mean", "i said", "i say", "i would say", "id say")
	l.moods.add(saysYes, "very much so")
	l.moods.add(doubts, "so-so", "just great", "just perfect", "just wonderful", "just lovely")
	l.moods.add(turns, "but", "and", "however", "although", "though", "also", "instead", "rather", "i mean", "i meant")
	l.amiss = set(strings.Fields(`if unless maybe perhaps probably possibly hopefully guess suppose think believe hope wonder unsure doubt depends depending provided
		providing assuming until till once only except before after later first wait hold hang stop cancel abort quit undo pause what whats how hows why who whos where which whose when or wrong incorrect
		false nothing none nobody neither nor hardly barely almost nearly might could should otherwise kidding joking joke sarcasm lol haha hah not
		dunno idk whatever yet though although however mistake nah nope nay disagree refuse decline deny reject forget no ish opposite theory theoretically
		provisionally conditionally soon thought thoughts oops sorry mind leave`))
	l.plainYes = set(strings.Fields("yes yep yup yeah yea yeh ya yah ok okay sure y"))
	l.stops = set(strings.Fields(`no stop cancel wait abort quit hold hesitate end bother worry forget reject refuse decline deny delete undo`))
	for w := range strings.FieldsSeq("absolutely definitely certainly correct confirm confirmed proceed continue approve approved accept accepted perfect agreed exactly affirmative") {
		l.longYes = append(l.longYes, vocable{w, shape(w)})
	}
}
