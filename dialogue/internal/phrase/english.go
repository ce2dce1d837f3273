package phrase

import "strings"

// English is how people say things in English, and what they are told. The grammar of values is written in its words.
var English = &Language{
	Tag: "en",
	And: " and ", Or: " or ",
	Months:   "January February March April May June July August September October November December",
	Weekdays: "Sunday Monday Tuesday Wednesday Thursday Friday Saturday",
	Texts: Texts{
		Quoted: "“{said}”",
		Yes:    "yes",
		No:     "no",
		Empty:  "none",

		NotOfType:            "{value} is not {type}.",
		Impossible:           "{value} is not possible here.",
		WrongForm:            "{said} does not have the expected form.",
		WrongList:            "I cannot read {said} as a list.",
		WrongMember:          "Member {place}: {reason}",
		SeveralMeanings:      "{said} can be {choices}.",
		NoSuchChoice + One:   "There is {count} choice and no {said}.",
		NoSuchChoice + Other: "There are {count} choices and no {said}.",
		NoneTaken:            "None of the choices was taken.",
		AnyTaken:             "Please choose one yourself.",
		AllTaken:             "Only one of the choices is possible, and you named several.",
		SeveralTaken:         "Only one of the choices is possible, and you named several: {said}.",
		LongNumber:           "A number has at most {digits} digits.",
		NotWhole:             "{value} is not a whole number.",
		LongAmount:           "An amount has at most {digits} digits.",
		NoMoney:              "I cannot read {said} as an amount of money.",
		OtherCurrency:        "{said} is not in {currency}.",
		TwoCurrencies:        "{said} is in two currencies.",
		SmallAmount + One:    "An amount in {currency} has at most {count} decimal place, and {value} has more.",
		SmallAmount + Other:  "An amount in {currency} has at most {count} decimal places, and {value} has more.",
		NoMonth:              "There is no month {month}.",
		NoDay:                "{month} has no day {day}.",
		NoLeapDay:            "{month} {year} has no day {day}.",
		FarAway:              "That is too far away to be a date.",
		OtherWeekday:         "{date} is a {weekday} and not a {said}.",
		NoWeekday:            "There is no such {weekday}.",
		WhichDay:             "Which day do you mean by {said}?",
		WhichTime:            "Which time do you mean by {said}?",
		WhichOne:             "Which one do you mean: {choices}?",
		NoTime:               "There is no such time as {time}.",
		ClocksForward:        "There is no {time} on {date}: the clocks go forward.",
		TimeMissing:          "A time of day is missing.",
		OneEnd:               "Do you mean from {said}, or up to {said}?",
		Backwards:            "{said} ends before it begins.",
		NoZone:               "I know no time zone called {said}.",
		NoHoliday:            "I know no holiday called {said}.",
		DayShown:             "{day} {month} {year}", DateShown: "{weekday} {day} {month}", DateOfShown: "{weekday} {day} {month} {year}", DateAtShown: "{date} at {time}",
		MoneyShown: "{sign}{amount}", CodeShown: "{code} {amount}", HolidayShown: "{name} ({date})",
		FirstShown: "1", TimeShown: "{hour}:{minute}", HourShown: "{hour}:00", ClockShown: "{time}", PercentShown: "{number}%",
		"years.one": "{count} year", "years.other": "{count} years", "months.one": "{count} month", "months.other": "{count} months", "days.one": "{count} day", "days.other": "{count} days",
		"hours.one": "{count} hour", "hours.other": "{count} hours", "minutes.one": "{count} minute", "minutes.other": "{count} minutes", "seconds.one": "{count} second", "seconds.other": "{count} seconds",
		RangeBoth: "{from} to {to}", RangeLeast: "at least {from}", RangeMost: "at most {to}", RangeSince: "from {from}", RangeUntil: "until {to}",

		"type.text":      "a text",
		"type.number":    "a number",
		"type.integer":   "a whole number",
		"type.money":     "an amount of money",
		"type.date":      "a date",
		"type.time":      "a time",
		"type.datetime":  "a date and time",
		"type.choice":    "one of the choices",
		"type.boolean":   "a yes or a no",
		"type.list":      "a list",
		"type.object":    "what is needed here",
		"type.duration":  "a duration",
		"type.percent":   "a percentage",
		"type.phone":     "a telephone number",
		"type.email":     "an e-mail address",
		"type.fraction":  "a fraction",
		"type.range":     "a range",
		"type.time_zone": "a time zone",
		"type.holiday":   "a holiday",

		"pattern.correction":    "All right, {slot}: {value}.",
		"pattern.too_late":      "That has been done already and cannot be changed any more.",
		"pattern.rejection":     "{reason}",
		"pattern.unsure":        "I am not sure that I got that.",
		"pattern.doubt.text":    "Do you mean {value} as the {slot}?",
		"pattern.doubt":         "I did not understand {left}. Do you mean {value} as the {slot}?",
		"pattern.cancel":        "All right, I have stopped that: {flow}.",
		"pattern.nothing":       "There is nothing to stop.",
		"pattern.digression":    "",
		"pattern.resume":        "Let us go on with: {flow}.",
		"pattern.denied":        "All right, I will not do that.",
		"pattern.cleared":       "All right, {slot}: open again.",
		"pattern.skip":          "",
		"pattern.skip_refused":  "I cannot go on without that.",
		"pattern.clarify":       "Do you mean: {flow}?",
		"pattern.chitchat":      "I am here to help.",
		"pattern.cannot_handle": "I did not understand that.",
		"pattern.handoff":       "I will get somebody to help you. They can read what we have said.",
		"pattern.return":        "I am with you again.",
		"pattern.silence":       "Are you still there?",
		"pattern.close":         "Goodbye.",
		"pattern.failure":       "Sorry, something went wrong, and I had to stop: {flow}.",
		"pattern.refused":       "{reason} I had to stop: {flow}.",
		"pattern.completed":     "Is there anything else?",
		"pattern.repeat":        "What can I do for you?",
		"pattern.stale":         "That was an answer to an earlier question.",
		"pattern.pause":         "Take your time.",
		"pattern.help":          "I can do this for you: {flows}.",
		"pattern.later":         "After that: {flow}.",
		"pattern.language":      "All right, in {language}.",
		"pattern.languages":     "I speak {languages}.",
		"pattern.unavailable":   "That is not possible now: {flow}.",
	},
	Classes: Classes{
		Filler: `i id ill im ive like want wanna need to would could can you please pls plz just me my let lets kindly hi hey hello so well ok okay okey thanks thank thx cheers now gonna going get make do some help with actually
			really yes yeah good morning afternoon evening there sorry oh ah right then maam sir mate`,
		Function: `a an the of for in on at by from into onto about as and or but if is are am was were be been being it its this that these those he she we they him her us them his our your their what which who whom whose how when
			where why will shall should may might must has have had does did any all one ones up out over myself yourself himself herself itself ourselves themselves`,
		Hum:      "um uh er erm uhm umm hmm hm mm uhh ehm eh",
		Negation: "not dont never no cant wont cannot doesnt didnt isnt arent wasnt werent without couldnt shouldnt wouldnt stop nor neither aint",
	},
	Verdicts: Verdicts{
		Yes: `yes | yep | yup | yeah | yea | yah | ya | yas | yess | yeh | aye | y | ja | uh huh | uhuh | uhhuh | mhm | mm hmm | ok | okay | okey | okey dokey | okie dokie | k | kk | oki | sure | sure thing | for sure | surely |
			of course | certainly | absolutely | definitely | totally | indeed | exactly | precisely | correct | right | thats right | that is right | that is correct | thats correct | you are right | youre right | thats it |
			that is it | true | affirmative | agreed | i agree | i do | i am | it is | it does | please do | do it | do that | do so | do this | lets do it | lets do that | lets do this | lets go | go | lets go ahead |
			just do it | go ahead | go for it | go on | please go ahead | proceed | please proceed | continue | confirm | confirmed | i confirm | approve | approved | i approve | accept | accepted | i accept | sounds good |
			sounds great | sounds right | sounds fine | looks good | looks great | looks right | looks fine | looks correct | all correct | all right | alright | allright | very well | perfect | great | excellent | brilliant |
			wonderful | fantastic | awesome | cool | lovely | fine | thats fine | that is fine | fine by me | fine with me | that works | that suits me | suits me | works | that suits | suits | that will do | that does it | im happy with that | i am happy with that | that is all fine | thats all fine | thats good | that is good | thats ok | thats okay | thats perfect |
			thats great | good to go | by all means | you bet | you got it | got it right | naturally | gladly | with pleasure | make it so | send it | ship it | book it | yes sir | yessir | i said yes | thats a yes |
			that is a yes | its a yes | a yes from me | i would | id love to | id like that | i would like that | i want that | i say yes | say yes | roger | roger that | ten four | permission granted | granted | as you say |
			deal | its a deal | without a doubt | no doubt about it | yes i am sure | i am sure | im sure | im certain | i am certain | positive | hundred percent | one hundred percent | 100 percent | why yes | oh yes |
			hell yes | heck yes | very much so | looks good to me | looks great to me | looks fine to me | looks right to me | sounds good to me | sounds great to me | sounds fine to me | sounds right to me` +
			" | definately | definitly", //nolint:misspell // slips that are too far from the word
		Pleased: "all good | all good here | its all good | thats all good | that is all good | everything is fine | everything is good | everything is right | everything is correct | everything looks good | everything looks fine | good for me",
		No: `no | nope | nah | nay | naw | noo | n | nop | nuh uh | no way | no thanks | no thank you | no thank you very much | no thank you so much | no thanks a lot | no thx | no ta | not really | not now | not today | not yet | not this time | not right now | not at all | not at this time |
			not quite | not exactly | not correct | not right | thats not right | that is not right | that doesnt work | that does not work | doesnt work | that doesnt suit | not all good | thats not correct | that is not correct | thats not it | thats not what i said | that is not what i said |
			thats not what i want | thats not what i meant | that isnt right | its not | it is not | it isnt | not that | not this | not like that | not in the slightest | not likely | not a chance | not on your life | not ok |
			not okay | not fine | not good | not sure thing | absolutely not | certainly not | definitely not | of course not | surely not | hell no | heck no | god no | oh no | please no | please dont | please do not |
			dont do it | do not do it | dont do that | do not do that | dont | do not | i dont | i do not | i dont want to | i do not want to | i dont want that | i do not want that | i dont want it | i dont want this |
			i dont think so | i do not think so | i wouldnt | i would not | id rather not | i would rather not | rather not | better not | negative | negatory | never | never ever | by no means | no i said | i said no |
			thats a no | that is a no | its a no | a no from me | wrong | thats wrong | that is wrong | its wrong | incorrect | thats incorrect | that is incorrect | false | disagree | i disagree | i refuse | refuse | refused |
			decline | declined | i decline | deny | denied | reject | rejected | i reject | disapprove | no sir | no maam | none of that | no deal | not interested | im not interested | wont | i wont | i will not | cant |
			i cant | i cannot | i am not | im not | it doesnt | it does not | it wont | forget no | heavens no | no siree | under no circumstances | not ever | hard no | hard pass | pass on that` +
			" | definately not | definitly not", //nolint:misspell // likewise
		Bars:   `dont | do not | dont you | please dont | please do not | i dont want | i do not want | i dont want you to | i do not want you to | dont you dare | never | you should not | you shouldnt | stop short of`,
		WeakNo: `i guess not | guess not | probably not | i suppose not | i think not | i hope not | id say no | i would say no | i think no | i dont believe so | i dont suppose so | not particularly | not so much | not necessarily | hardly | i doubt it | doubt it`,
		Doubts: `maybe | maybe not | perhaps | perhaps not | possibly | probably | i guess | i guess so | guess so | i think | i think so | think so | i suppose | i suppose so | suppose so | i believe so | i hope so | hopefully | not sure | im not sure | i am not sure | not so sure | not too sure | not certain | im not certain | unsure | not entirely | not completely | not 100 percent | i dont know | dont know | i do not know | dunno | i dunno | idk | no idea | i have no idea | i dont care | dont care | who knows | who cares | it depends | that depends | depends | kind of | kinda | sort of | sorta | more or less | almost | nearly | partly | partially | in part | in a way | somewhat | mostly | yes and no | yes no | yes no maybe | yeah no | yes or no | no yes | yeah right | yea right | yeah sure right | sure right | oh sure | as if | like i care | you wish | if you say so | if you like | if you want | whatever | whatever you say | either | either way | neither | both | up to you | its up to you | you decide | hold on | hang on | wait | one moment | one second | in a minute | in a moment | in a second | in a sec | in a bit | in a while | just a moment | just a second | a moment | let me think | let me see | let me check | i need to think | im good | im fine | im ok | im okay | im alright | i am good | i am fine | i am ok | we are good | were good | no problem | no problems | no worries | not a problem | no doubt | no rush | no hurry | no matter | no preference | why not | not bad | cant complain | cannot complain | dont mind | i dont mind | i do not mind | wouldnt mind | i wouldnt mind | i would not mind | could be | might be | may be | it might | i might | it could | i could | should be | i should | who me | right or wrong | true or false | not no | not a no | not never | never say never | not wrong | not incorrect | not false | not disagree | dont disagree | i dont disagree | i do not disagree | if only | i wish | fat chance | okay then what | fine whatever | ok whatever | sure whatever | sure jan | great job | great question | good question | right now | right away | right after | right before | no one | nobody | no more | no longer | no less | no matter what | no need | there is no | no sooner | no other | i am not so sure | hmm yes | i do not have | i dont have | i dont understand | i do not understand | dont understand | i dont get it | i dont follow | i dont remember | dont remember | i dont recall | dont recall | i dont think | i do not think | cant say | i cant say | i cannot say | cant decide | i cant decide | cant tell | i cant tell | cant wait | i cant wait | so-so | ok so | okay so | yes so | sure so | just great | just perfect | just wonderful | just lovely`,
		Around: `for me | for us | with me | with us | by me | to me | have a nice day | have a great day | have a good day | have a nice evening | um | uh | er | erm | uhm | hmm | hm | umm | mm | oh | ah | eh | ehm | well | please | pls | plz | thanks | thx | cheers | so | then | just | very | much | really | quite | sir | maam | mate |
			dear | man | dude | buddy | friend | bro | honey | thank you | thank you very much | thanks a lot | many thanks | anymore | any more | for asking | for offering | for the offer | though | you know | i mean | i said | i say | i would say | id say`,
		Turns: "but | and | however | although | though | also | instead | rather | better | i mean | i meant",
		Amiss: `if unless maybe perhaps probably possibly hopefully guess suppose think believe hope wonder unsure doubt depends depending provided providing assuming until till once only except before after later first wait hold
			hang stop cancel abort quit undo pause what whats how hows why who whos where which whose when or wrong incorrect false nothing none nobody neither nor hardly barely almost nearly might could should otherwise
			kidding joking joke sarcasm lol haha hah not dunno idk whatever yet though although however mistake nah nope nay disagree refuse decline deny reject forget no ish opposite theory theoretically provisionally
			conditionally soon thought thoughts oops sorry mind leave`,
		Plain: "yes yep yup yeah yea yeh ya yah ok okay sure y",
		Long:  "absolutely definitely certainly correct confirm confirmed proceed continue approve approved accept accepted perfect agreed exactly affirmative",
		Lacks: "without",
		Has:   "with",
		Suits: "work works working suit suits fit fits good possible available free ok okay fine convenient great ideal at all unfortunately make",
		Stops: "no stop cancel wait abort quit hold hesitate end bother worry forget reject refuse decline deny delete undo",
		Kept:  "keep | keep it | keep that | keep them | leave it as it is | leave it like that | take your time | no rush | no hurry | thats all | that is all | nothing else | nothing more",
	},
	Answers: Answers{
		Fillers: `id like | i would like | i want | i need | i wanna | i will take | ill take | ill have | i will have | i choose | i pick | ill go with | i will go with | go with | lets go with | lets say | lets do | lets make it |
			make it | make that | give me | id say | i would say | i say | i said | i mean | i meant | i guess | i think | i suppose | i believe | probably | maybe | perhaps | it is | its | thats | that is | that would be |
			it would be | itll be | it will be | should be | it should be | would be | will be | is | it was | was | my answer is | the answer is | answer | about | around | approximately | roughly | exactly | only | precisely |
			just | at | on | for | a | an | the | one | ones | of | option | please | thank you | thanks | thank you very much | if possible | if you can | if i may | as well | total | in total | altogether | all together |
			all in all | or so | sounds good | works | works for me | would be good | would be great | would be nice | would be perfect | is fine | is good | is perfect | is ok | is okay | will do | would do | whole |
			amount | an amount of | the amount of | sum | a sum of | number | the number | then | there | for me | for us | we are | there are | there will be | there is | we have | i have | i am | im | weve | ive | got | i got |
			i have got | years old | year old | um | uh | er | erm | hmm | so | well | ok | okay |
			yes | yeah | sure | now | right | oh | hi | hello | hey | sir | maam | how about | what about | maybe on | somewhere around | some time | sometime | say`,
		Intros:    `its | it is | that is | thats | that would be | it would be | this is | my name is | the name is | name is | names | my names | id say | i would say | i said | i say | lets say | id like | i would like | ill take | i will take | ill have | i want | i choose | well | so | ok | okay | please | it should be | it should say | the answer is | my answer is | make it | make that | write | put | just | just put | just write | hi its | hi this is | hello this is | send it to | give it to | its for | it is for | it ends in | it ends with | it begins with | that is called | we call it`,
		Outros:    `i think | i guess | i suppose | i believe | i mean | i would say | id say | i reckon | if possible | if you can | thank you | thank you very much | thanks a lot | as far as i know`,
		Selves:    "i am | im | we are | i go by | people call me | they call me | everyone calls me | everybody calls me | friends call me | my friends call me | you can call me | you may call me | just call me | call me | i am called | im called",
		NameWords: "name names who called",
		Polite:    "please pls plz thanks thx ta cheers",
		Afresh:    "new fresh second one ones",
		Orders:    "first then afterwards afterward",
		Further:   "else more another other others additional further",
		Enough:    `thats all | that is all | thats it | that is it | that will be all | thatll be all | that would be all | nothing else | nothing more | nothing further | no more | im done | i am done | were done | we are done | done | im good | i am good | enough | thats enough | that is enough | thats everything | that is everything | just that | only that`,
		Joints:    "from to on at by with in for of as via using",
		Present:   "here speaking",
		Owners:    "my our the her his their its",
		Copulas:   "is are was will would should be s im youre theyre",
		Leads: map[string]string{
			"to": "to", "whom": "to for from with", "who": "to for from with", "for": "for", "from": "from", "at": "at", "in": "in", "on": "on",
			"with": "with", "by": "by", "about": "about", "where": "to at in",
		},
	},
	Names: Names{
		Particles: "de la le du di da del della dos van von der den ter ten bin ibn al el mac and y of und et",
		Titles:    "mr mrs ms miss dr prof sir madam saint st aunt uncle",
		Given:     "steven eve mark rose bill grant marc nina april june august chase drew mary anne frank martin miller julia amber art",
		Others: `nobody noone anyone anybody someone somebody everyone everybody whoever him her them me us himself herself myself yourself this that these those here there nothing anything something everything
			complicated difficult easy impossible unknown secret private urgent important expensive cheaper ill sick busy tired sorry ready done asking telling calling sending paying trying looking thinking going coming doing saying
			ask tell know think want need pay owe give try use look going gonna let lets guess suppose hope wonder remember forgot forget ignore continue repeat explain mean meant quick quickly fast slow double single usual previous
			same before after later soon today tomorrow tonight instead again else maybe perhaps possibly probably really very too also just only still already never always whatever whichever`,
		Selves: `i am | im | it is | its | that is | thats | this is | he is | hes | she is | shes | we are | were | they are | theyre | you are | it should be | it must be | it was | i was | i feel | you know | i want | i need`,
	},
	Ways: Ways{
		Points: `same usual before previous previously last always yet know sure certain decide decided tell told ask think thinking look later remember say said already earlier idea clue wherever somewhere`,
		Sites:  "address street where",
		Routes: `goes to | go to | is for | is going to | is meant for | should go to | must go to | has to go to | its for | its going to | thats for | send it to | deliver it to | bring it to | ship it to | give it to | make it out to | i live at | i live in | we live at | i moved to | ive moved to | ive moved | i have moved to | i have moved | i moved | weve moved to | weve moved | we have moved | we moved to | we moved | now`,
	},
	Beside: Beside{
		Bounds: `at most | up to | no more than | not more than | max | maximum | at least | less than | fewer than | under | below | above | over | more than | minimum | min | no less than | not less than | no later than | not later than |
			no earlier than | as of | starting | beginning`,
		Limits: "budget limit maximum max most least minimum",
		Changers: `before after until till since than half quarter except without besides other another every each per times time ago later past or if unless when what which who whom whose how where why not versus vs between
			among within during through throughout`,
		Carriers: `go | going | go back | going back | come | come back | coming | coming back | be back | be there | get back | get there | leave | leaving | return |
			returning | arrival | departure | depart | fly | flying | travel | travelling | drive | meet | meeting | meet up | meetings |
			lets meet | appointment | arrangement | arrangements | appointments | book | booking | reserve | reservation | schedule | scheduled | arrange |
			set up | set it up | set something up | call | table | flight | trip | date | happen | happened | happens | see | seen | visit | move | dated |
			total of | amounts to`,
		Subjects: `born | birthday | birth date | date of birth | pay | paid | payment | price | cost | costs | it costs | spend | budget | owe | owes | owed | send |
			sent | transfer | deliver | delivery | order | task | done | due | deadline | remind | reminder | party | event | lunch | dinner | breakfast |
			brunch | value | arrive | arriving | arrives`,
		Greetings: "good",
		Starts:    "start starts starting begin begins beginning",
		Ages:      "age old aged",
		Persons:   "whom recipient payee surname driver guest customer client patient passenger traveller contact company firm employer person",
	},
	Asides: Asides{
		Openers:  `ah | aah | oh | ooh | ohh | ugh | argh | aw | ow | ow no | eh | huh | btw | by the way | just out of curiosity | out of curiosity | you know what | you know | i have a question | quick question | one question | question | one more thing | one more question | before that | before we go on | excuse me`,
		Soft:     `ok | okay | okey | good | great | cool | nice | fine | perfect | excellent | lovely | right | alright | all right | sure | yes | yeah | yep | yup | thanks | thank you | thx | so | well | now | then | hey | hi | hello | look | listen | see | man | dude | mate | bro | and | but | also | anyway | anyways | anyhow | i see | got it | understood | interesting | please | no problem | no worries | true | gosh | wow | hooray | yay | lol | haha`,
		Turning:  `wait | wait wait | wait a minute | wait a second | wait a sec | wait a moment | hold on | hold up | hang on | hang on a minute | hang on a second | one moment | one moment please | one second | one sec | just a moment | just a second | just a sec | just a minute | a moment | a second | give me a moment | give me a second | give me a minute | sorry | so sorry | im sorry | i am sorry | apologies | my apologies | pardon | actually | oops | whoops | oopsie | ooops | my bad | my mistake | my fault | scratch that | strike that | no wait | no sorry | no actually | wait no | oh no | damn | dammit | damn it | darn | shoot | dang | shit | crap | gee | jeez | geez | hm no | no no wait | on second thought | on second thoughts | come to think of it | correction | i was wrong | i made a mistake | i mistyped | thats wrong | typo | yikes | stop it | let me rephrase | i mean | hmm wait`,
		Asks:     "what whats where wheres when whens why whys who whos whom whose which how hows",
		Modals:   "can could will would shall should may might cant couldnt wont wouldnt",
		Asking:   `is are was were am do does did can could will would shall should have has had may might must cant isnt arent dont doesnt didnt wont wouldnt couldnt havent hasnt`,
		Pronouns: "i you he she it we they there this that these those my your our me anybody anyone somebody someone everything",
		Requests: `tell me | show me | explain | can you tell me | i want to know | i would like to know | id like to know | i wonder | im wondering | i was wondering | what about | how come | what if | any idea | do you know | help me understand | let me know | why not | what the`,
		Cancels:  "cancel cancle abort stop quit undo",
		Drops:    "remove delete drop scrap omit strike",
		Spares:   "want need like anymore any more longer after all out off away from it",
		Things:   "order request process operation transaction conversation booking payment thing task form application everything action step dialogue procedure job whole anymore",
		Finals:   "cancel",
		You:      "you",
		Parts:    map[string]string{"off": "call calling"},
		Inverted: map[string]string{"you": "ould"},
		Links:    "and then also plus but afterwards next besides additionally furthermore moreover likewise",
		Joins:    "as well as | as well | on top of that | in addition | in addition to that | after that | besides that | apart from that | along with that | and another thing | one more thing",
		Pauses: `hard to say | its hard to say | it is hard to say | thats hard to say | that is hard to say | hard to tell | difficult to say | its difficult to say | it is difficult to say | tough to say | i cant say | i cannot say | i couldnt say | i could not say | i cant tell | i wouldnt know |
			wait | wait please | wait up | wait a minute | wait a second | wait a sec | wait a moment | wait a bit | hold on | hold on a second | hang on | hang on a second | hang on a minute | hang on a moment | hang on a sec | one moment | one second | one sec | one minute | just a moment | just a second | just a sec | just a minute | a moment | a second | a minute | give me a moment | give me a second | give me a sec | give me a minute | i need a moment | i need a minute | let me think | let me think about it | let me think about that | let me see | let me check | let me check that | let me look | let me look it up | i need to think | i need to think about it | i have to think | i have to think about it | i need to check | i have to check | i must check | im thinking | i am thinking | still thinking | ill think about it | i will think about it | later | maybe later | not sure | im not sure | i am not sure | not sure yet | im not sure yet | i dont know | i do not know | i dont know yet | i do not know yet | dont know | dont know yet | bear with me | brb | be right back | ill be right back | in a minute | in a moment | in a second | in a sec | in a bit`,
		Firsts: "first before beforehand",
		Vague:  "anybody anyone somebody someone everybody everyone whoever whomever anything something whatever it them",
		Names:  "roger positive",
	},
	Tellings: englishTellings, Askings: englishAskings, Evasions: englishEvasions, Clauses: englishClauses,
	Skips: Skips{
		None: `none | none of them | none of these | none of those | none of the above | no one | not any | not any of them | neither | neither of them | neither one | nothing | nothing of that | nothing at all | not a thing |
			not a single one | none thanks | something else | none at all | no thanks | none thank you | nothing else | nobody`,
		Any: `any | any of them | any of these | any one | anyone | anything | any will do | either | either one | either of them | whichever | whatever | it doesnt matter | doesnt matter | does not matter | i dont mind |
			you choose | you decide | no preference | up to you | surprise me | all the same | all the same to me`,
		All: "both | both of them | all | all of them | all of these | all three | every one | everything | the lot | all of the above",
	},
	Speech: Speech{
		Names: map[string]string{
			"en": "English", "de": "German | Deutsch", "fr": "French | français", "it": "Italian", "es": "Spanish | Castilian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish", "cs": "Czech", "sk": "Slovak",
			"sl": "Slovene | Slovenian", "hr": "Croatian", "sr": "Serbian", "bs": "Bosnian", "hu": "Hungarian", "ro": "Romanian", "bg": "Bulgarian", "ru": "Russian", "uk": "Ukrainian", "tr": "Turkish", "el": "Greek",
			"sv": "Swedish", "da": "Danish", "no": "Norwegian", "fi": "Finnish", "et": "Estonian", "lv": "Latvian", "lt": "Lithuanian", "sq": "Albanian", "ar": "Arabic", "he": "Hebrew", "fa": "Persian | Farsi", "hi": "Hindi",
			"zh": "Chinese | Mandarin", "ja": "Japanese", "ko": "Korean", "vi": "Vietnamese", "th": "Thai",
		},
		Requests: []string{
			"(can|could|may|shall|should) (we|i) [please] (speak|talk|chat|write|continue|go on|carry on|do this) [to you|with you] [in] {language} [with you|from now on|instead]",
			"(can|could|may|shall|should) (we|i) [please] (switch|change|go) [over] [the language] to {language}",
			"(could|would|will) you [please] (speak|talk|write|answer|reply|continue) [to me|with me] [in] {language} [with me|from now on|instead]",
			"can you [please] (talk|write|answer|reply|continue) [to me|with me] in {language}", "can you please speak [to me|with me] [in] {language}", "can you speak (to me|with me) [in] {language}",
			"can you speak in {language}", "(can|could|would|will) you [please] (switch|change|go) [over] [the language] to {language}",
			"(lets|let us) (speak|talk|chat|write|use|continue in|go on in|carry on in) [in] {language} [from now on|instead]", "(lets|let us) (switch|change|go) [over] to {language}",
			"(speak|talk|write|answer|reply|continue|go on|carry on) [to me|with me] [in] {language} [with me|from now on|instead]", "(switch|change|go) [over] [the|my] [language] [back] to {language}",
			"(change|switch|set) (the|my|your) language [back] to {language}", "(i want|i would like|id like|i would prefer|id prefer) to (speak|talk|chat|write|continue|go on|carry on) in {language}",
			"(i want|i would like|id like) to (speak|talk) {language} with you", "(i would|id) (rather|prefer to) (speak|talk|write|continue) [in] {language}",
			"(i want|i would like|id like) to (switch|change) [over] [the language] to {language}", "back to {language}",
		},
		Alone: []string{"{language}", "in {language}"},
		Asks: []string{
			"(do|can) you (speak|talk|understand|know) {language}", "(do|can) you also (speak|understand) {language}", "(which|what) languages (do|can) you (speak|understand|know|offer|have)", "(which|what) languages are there",
			"(which|what) languages are available", "(which|what) languages can (i|we) (speak|use|choose)", "(which|what) language do you speak", "do you (speak|know|understand) [any] other languages",
			"is there another language", "can i change the language", "can we speak another language",
		},
		Please: "please | pls | plz | if you please | if possible",
		Around: "hi | hello | hey | oh | ok | okay | well | so | sorry | excuse me | thanks | thank you | now | then | instead | good morning | good evening | good afternoon",
	},
	Values: Values{
		Units: map[string]int64{
			"zero": 0, "nought": 0, "nil": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
			"eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
			"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
		},
		Ordinals: map[string]int{
			"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
			"eleventh": 11, "twelfth": 12, "last": -1, "former": 1, "latter": -1,
		},
		DayOrdinals: map[string]int{
			"thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17, "eighteenth": 18, "nineteenth": 19, "twentieth": 20,
			"thirtieth": 30,
		},
		Days: map[int]string{
			0: "today | tonight | this morning | this afternoon | this evening", 1: "tomorrow | tmrw | tmr | tmw | 2moro",
			2: "day after tomorrow | the day after tomorrow | overmorrow", -1: "yesterday", -2: "day before yesterday | the day before yesterday",
		},
		Sharp: "exactly precisely sharp promptly",
		Feasts: map[string]string{
			"12-25": "christmas | christmas day | xmas", "12-24": "christmas eve", "12-26": "boxing day", "12-31": "new years eve",
			"01-01": "new years day | new year | new years", "10-31": "halloween", "02-14": "valentines day",
		},
		Now:     "right now | just now | at the moment | at this moment | at present | at the present time | right away | straight away",
		Lasting: "for", Rates: "per each every", Times: "time times",
		True: "true yes on enabled enable", False: "false no off disabled disable",
		Ands: "and plus also n", Without: "no without zero",
		Called:        map[string]string{"phone": "number | phone | phone number | telephone | telephone number | mobile | cell", "email": "email | mail | email address | address"},
		ShortWeekdays: "sun mon tue wed thu fri sat", Endings: "st nd rd th", Point: '.',
	},
	Fractions: Fractions{
		Over:   "in of",
		Parts:  englishParts(),
		Alone:  map[string][2]int64{"half": {1, 2}, "quarter": {1, 4}},
		Wholes: "all | all of it | everything | the whole | the whole thing | the lot",
	},
	Ranges: Ranges{
		Between: "between | anywhere between | somewhere between", And: "and",
		From: "from | anywhere from | of | starting | starting from | starting at | beginning", To: "to | until | till | til | through | up to | thru",
		Least: "at least | no less than | not less than | minimum | a minimum of | min | no earlier than | not earlier than | not before | from | as of | starting | starting from | starting at | beginning | since | upwards of",
		Most:  "at most | up to | no more than | not more than | maximum | a maximum of | max | no later than | not later than | until | till | til | through | by",
		Above: "more than | over | above | greater than | after | later than", Below: "less than | fewer than | under | below | before | earlier than",
		More: "or more | and more | or above | and above | and up | or over | and over | upwards | on | onwards | onward | or later | and later | or higher", Less: "or less | and less | or fewer | or below | and below | or under | and under | or earlier | and earlier | or lower",
	},
	Zones: Zones{
		Before: "time in | time of | local time in | time zone of | time zone | timezone | zone",
		Behind: "time | local time | time zone | timezone",
		Places: map[string]string{
			"America/New_York": "eastern time | eastern daylight time | et", "America/Chicago": "central time | ct", "America/Denver": "mountain time | mountain daylight time | mt",
			"America/Los_Angeles": "pacific time | pacific daylight time | pt", "America/Halifax": "atlantic time", "Pacific/Honolulu": "hawaii time",
			"America/New_York America/Panama": "eastern standard time | eastern", "America/Chicago America/Mexico_City": "central standard time | central",
		},
	},
	Alike: []string{
		"child children kid kids", "person persons people guest guests", "man men", "woman women", "adult adults grownup grownups", "foot feet",
		"baby babies", "party parties", "copy copies",
	},
	Sayings: []string{
		"what is | whats", "where is | wheres", "how is | hows", "that is | thats", "i am | im", "i have | ive", "i would | id", "i will | ill",
		"it is | its", "cannot | can not | cant", "do not | dont", "does not | doesnt", "is not | isnt", "forgot | forgotten | have forgotten | ive forgotten",
	},
	Change:   "change",
	Suffixes: "s ing ed e y",
	Elsewhere: `will it rain tomorrow | tell me a joke | who won the football match last night | how far away is the moon | play some quiet music | what should i cook for dinner | my dog will not eat its food |
		how do you spell necessary | what is the capital of australia | i am so tired today | translate good night into french | how many people live in japan | set an alarm for half past six | turn the lights off in the kitchen |
		who wrote war and peace | is there a good film on tonight | remind me to water the plants | what does this word mean | how old is the universe | add eggs to my shopping list | my neighbour is very loud |
		how long do potatoes have to boil | what is the square root of eighty one | when does the next train leave | did you see the news this morning | where do penguins live | can you sing a song | i had a strange dream |
		what is a good name for a cat | how do i get a stain out of a shirt | how tall is the highest mountain | who is the president of brazil | do you have brothers and sisters | what are you wearing | are you a robot |
		my back hurts when i sit | recommend a book about history | how do plants make oxygen | what time is it in new york | which language do they speak in peru | i love the sea in winter | the weather is lovely today |
		how many calories are in a banana | should i buy a bicycle or a scooter | what happened in the year 1066 | how do i tie a bow tie | when is mothers day | is it healthy to drink coffee | my sister is getting married |
		find a recipe for apple pie | what is the fastest animal on land | how do i learn to play the guitar | who painted that picture | why is the sky blue | where can i go fishing around here | roll the dice |
		what do you think about politics | tell me something interesting | are there any traffic jams | how do i fix a flat tyre | my plants are dying and i do not know why | what size shoe does a child wear | how is the stock market doing |
		start the washing machine | read my new messages to me | how much does an elephant weigh | who invented the telephone | take a photo | what is the meaning of life | how do i write a good essay | flip a coin | open the garage door |
		which wine goes with fish | can dogs see colours | i broke up with my boyfriend | how do you say cheese in italian | does this jacket suit me | what is your favourite food | turn up the volume | when was the wall built |
		how do i get to the station from here | i want to go to the beach on holiday | make a table for two at eight | is my car safe in the rain | how often should i wash my hair | what channel is the game on | you are very funny |
		can i keep a rabbit in a flat | what is ten times twelve | how do i stop hiccups | my phone screen is dirty | give me the number of a plumber | what did people eat in the middle ages | how does a vaccine work | i lost the game again`,
	Commands: []CommandWords{
		{Cancel, "", []string{
			"cancel [it|that|this|everything|all of it|the whole thing] [then|now]", "abort [it|that|this|mission]", "stop [it|this|that|now|right there|everything]", "(never mind|nevermind) [then|that|it|all that|about it|about that]", "forget (it|about it|that|this|everything|the whole thing)",
			"quit", "exit", "(restart|reset) (the conversation|everything|from the beginning)", "(leave|drop|scrap|scratch|skip) (it|the whole thing) [altogether]", "(leave|drop|scrap) (that|this)",
			"lets stop [here|it|this]", "i (want|would like|d like) to (stop|cancel|quit) [it|this|that]", "id like to (stop|cancel|quit) [it|this|that]", "please (stop|cancel)",
			"dont bother", "dont do (it|that|this|anything)", "(stop|cancel) (the conversation|the process|talking)", "call it off", "(start over|start again|start from scratch|begin again)",
			"lets forget (it|about it|that)", "nvm", "get me out [of here]", "no stop", "undo everything", "[lets] (call|leave) the whole thing off", "forget it then", "lets not [do (it|this|that)]",
			"i (dont|do not) (want|wish) to (continue|go on|proceed)",
			"(on second thought|on second thoughts) (no|not|never mind)", "let it (be|go)", "drop that [please]", "get rid of (it|that|this)",
		}},
		{Cancel, Telling, englishExcuses},
		{Cancel, Unneeded, []string{"i (dont|do not|no longer) need (it|this|that) [anymore|any more|after all]", "no longer (needed|necessary)", "not needed [anymore|any more]"}},
		{Skip, Unneeded, []string{"no need", "not necessary", "we dont need it", "its not needed", "its not necessary"}},
		{Repeat, "", []string{
			"(what|sorry what|pardon what) did you (say|ask|want)", "what was that [again]", "come again", "(say|repeat) (that|it|this) [again|once more|one more time|please]", "repeat [please]", "(pardon|pardon me|excuse me|beg your pardon|i beg your pardon)",
			"(again|once more|one more time) please", "say again", "what was the question [again]", "(can|could|would|will) you (repeat|say) (that|it|this|the question) [again|once more]", "i didnt (catch|hear|get|understand) (that|you|it|what you said)",
			"i did not (catch|hear|get|understand) (that|you|it|what you said)", "sorry", "what", "huh", "tell me again", "repeat the (question|last question|last message)", "what do you mean", "come again please", "i missed that", "read that [back|to me] again", "how was that", "ask [me] again", "what were you saying", "(whats|what is) the question", "what was it you (asked|wanted)", "(what|which) question",
		}},
		{Skip, "", []string{
			"skip [it|that|this|this one|that one|this question|the question|this step]", "pass", "next [question|one|please]", "i dont know", "i do not know", "dont know", "dunno", "i dunno", "idk", "no idea", "i have no idea", "ive no idea",
			"no preference", "i have no preference", "i dont have a preference", "(i dont care|dont care)", "(i dont mind|i do not mind|dont mind)", "it (doesnt|does not) matter", "(doesnt|does not) matter", "[i am|im] not sure", "i cant (say|tell|remember)", "i dont remember",
			"(id rather|i would rather|i prefer) not [to] say", "(thats|that is|its|it is) [too|a|very|strictly|my] (private|personal|confidential|secret)", "[thats|that is|its|it is] none of your business", "no comment", "i (wont|will not|dont want to|do not want to) (tell|say) [you] [that|it]", "i (refuse|prefer not) to (say|answer|tell)", "rather not say", "leave (it|that|this) (blank|empty|out)", "(move on|lets move on|go on to the next)", "not applicable", "n/a", "(whatever|anything|whichever|any) [is fine|is ok|will do|works]", "you (choose|decide|pick)", "up to you", "its up to you", "nothing in particular", "(can|could) we skip (that|this|it)", "lets skip (that|this|it)", "i dont want to (say|answer)", "later", "not now", "i dont have (one|any|it)",
		}},
		{Handoff, "", []string{
			"(talk|speak) (to|with) [a|an|the|some|your|another] [real|live|human] (human|person|agent|someone|somebody|operator|representative|rep|advisor|adviser|manager|supervisor|colleague|employee|staff|support|customer service|customer support|human being|clerk)",
			"[a|an|the] [real|live|human] (human|agent|operator|representative|rep|human being|customer service|customer support)", "[a|an|the|some] (real|live|human|actual) person", "a person",
			"(connect|transfer|put|pass) me [through] to [a|an|the|some|your] [real|live|human] (human|person|agent|someone|somebody|operator|representative|rep|advisor|adviser|manager|supervisor|customer service|customer support)",
			"(get|give|find) me [a|an|the|your] [real|live|human] (human|person|agent|operator|representative|rep|manager|supervisor)",
			"(are you|is this) a (bot|robot|machine|real person)", "i (want|need) [a|an|the|your] [real|live] (human|person|agent|operator|representative|manager|supervisor|human being)", "let me (talk|speak) to (someone|somebody|a human|a person|an agent)",
			"(can|could|may) i (talk|speak) (to|with) (someone|somebody|a human|a person|an agent|a manager|a real person)", "can someone (help|call) me", "is there (a human|a person|someone) [there|i can talk to]",
		}},
		{Handoff, Calling, []string{"(call|phone) me [back]"}},
		{Back, "", []string{
			"[can we|could we|can i|let me|lets|please|take me|i want to|i need to] (go|step|move) (back|backwards) [a step|one step|to the previous question|to the last question|one question|a question|please]", "back", "[one] step back", "undo [that|it|the last step|the last answer|my last answer]",
			"[to] [the] (previous|last) (question|step|one)", "[i] [want to|need to|have to|must|would like to|let me|can i|could i] (correct|change|fix|redo|revise|edit|update|undo) [the|my|that] (previous|last) (input|answer|entry|value|one|question|reply|thing|step)",
			"(my|the|that) (previous|last) (input|answer|entry|value|one|reply) (was|is) (wrong|incorrect|a mistake|not right|a typo)", "i (gave|entered|typed|said|wrote) [you] (the wrong (thing|answer|value|one)|something wrong|it wrong|that wrong)", "ask me (that|the last one|the previous one) again",
			"(that|it|the last one|the previous one) was (wrong|a mistake|a typo|not right|incorrect)", "i (answered|got) (that|the last one|it) wrong", "let me (correct|change|fix|redo) (that|it)", "i (want|need|have|would like) to (correct|change|fix|redo) (that|it|something)",
		}},
		{Opposite, "", []string{
			"[no|not that one|not this one|i meant|i mean] [the] other (one|way|{about}) [please]", "[no|not that one|not this one|i meant|i mean] the other", "[no|i meant|i mean] (the opposite|the other way around|the other way round|vice versa)",
		}},
		{Help, "", []string{
			"help [me] [please]", "(can|could) you help [me] [please]", "(i need|need|i want|get me) [some] help [please]", "what can you do [for me]", "what (can i|could i|do i|should i) (say|ask|do) [here|now]", "what are my options", "what are you able to do", "how (does|do) (this|it|you) work", "what is this",
			"what (can|do) you (help|assist) [me] with", "show [me] (the|your) (options|menu|commands)", "(menu|options|commands)", "i (dont know|do not know) what to (do|say)",
		}},
		{Correct, "", []string{
			"(i meant|i mean|i meant to say|i wanted to say|i was trying to say|it should be|should be|should have been|it should have been|make it|make that|i said|that should be|that should have been|its supposed to be|supposed to be|i wanted|it was|i want it to be|i wanted it to be|lets make it|lets change it to|rather make it|better make it|let us say) {rest}",
			"not {about} (i meant|i mean|i meant to say|i said|but rather|rather|but|make it|it should be|it is|its|should be|i wanted|i want) {rest}", "(i meant|i mean|i meant to say|i said|it should be|should be|make it|i wanted|its|it is) {rest} (not|instead of|rather than) {about}",
			"[please] (use|put|take|enter|write|set|save) {rest} (as|for) [the|my] {about} [please|instead]", "[i|we] [need|have|want|would like] [to] (move|change|switch|shift|push|set|update|bring|put) [the|my] {about} (to|into|onto|on) {rest}", "i (didnt|did not) (mean|say|want) {about} (i meant|i said|but|i want|i wanted|rather) {rest}",
			"(actually|rather|sorry|no|wait|no wait|oops|oh wait|correction|i mean|i meant|no i mean|no i meant|no wait i meant|sorry i meant|wait i meant|actually i meant|i meant to say|no sorry|scratch that|wait no|hang on i meant|hold on i meant|i should have said) {rest}",
			"[no] [wait] [sorry] [actually] (make|make it|make that|lets make it|lets say) {rest}", "(make|set) the {about} {rest}", "[no] [wait] [actually] (change|set|switch|update|correct|modify|edit|alter|move) [the|my] {about} to {rest}", "[no] (change|switch|correct|set|move) (it|that|this) to {rest}",
			"(can|could) (you|we|i) (change|set|switch|update|correct|move) [the|my] {about} to {rest}", "(can|could) (you|we|i) (change|make|set) (it|that) [to] {rest}", "not {about} but {rest}", "not {about} {rest}", "[its] {rest} not {about}", "{rest} instead of {about}",
			"{rest} instead", "{rest} rather than {about}", "the {about} (should be|should have been|is actually|is wrong it is|is wrong its|was supposed to be) {rest}", "it should be {rest}", "i said {rest} not {about}", "i said {rest}", "replace {about} (with|by) {rest}",
			"[i|i would|we] [want|like|need|have] [to] (change|correct|update|edit|modify|fix|redo|revise|reenter) [the|my|that] {about}", "(can|could|may) (i|we|you) (change|correct|update|edit|modify|fix|redo|revise|reenter) [the|my|that] {about}",
		}},
		{Wrong, "", []string{
			"[no] [the|my|that] {about} (is|are) (wrong|incorrect|not right|not correct)", "[no] [the|my|that] {about} (isnt|is not) (right|correct)", "[no] [thats] [the] wrong {about}",
			"i (didnt|did not|dont|do not) (mean|say|want|choose|pick) [to say] {about}", "(not|its not|it is not|but not|just not|anything but|anyone but|only not) {about}",
			"[the|my|that] {about} (was|has to be|must be|should be|needs to be) (wrong|incorrect|a mistake|changed|corrected|different|fixed)", "i (want|need|would like) (another|a different|to pick another|to choose another) {about}", "(another|a different|different) {about} [please]",
			"(theres|there is) (a mistake|an error|a typo|something wrong) (in|with) [the|my] {about}", "i (gave|entered|typed|said|wrote|chose|picked) [you] the wrong {about}",
		}},
		{Clear, "", []string{
			"(forget|clear|remove|delete|erase|reset|unset|drop|discard) [the|my|that|this] {about}", "forget about [the|my] {about}", "(forget|ignore) what i said about [the|my] {about}", "take [the|my] {about} (out|off|away)", "(ignore|disregard) [the|my] {about}", "no {about} (anymore|any more|after all)", "leave out [the|my] {about}", "(empty|blank) [the|my] {about}",
		}},
		{Chitchat, "greeting", []string{
			"(hello|hi|hey|hiya|howdy|greetings|yo|hallo|heya) [there|everyone|again|all|bot|you|folks]", "good (morning|afternoon|evening|day)", "nice to meet you", "whats up", "sup", "good to see you",
		}},
		{Chitchat, "thanks", []string{
			"(thanks|thank you|thx|cheers|ta|many thanks|much appreciated) [a lot|so much|very much|a million|again|for your help|for that|for the help]", "i appreciate (it|that|your help)", "(great|perfect|awesome|nice|good) (job|work)", "well done", "you are (great|awesome|the best|amazing|helpful|very helpful)", "that was (helpful|great|very helpful)",
		}},
		{Chitchat, "goodbye", []string{
			"(bye|goodbye|good bye|bye bye|cya|farewell|ciao|cheerio|so long) [now|for now|then]", "see you [later|soon|tomorrow|around]", "good night", "have a (good|nice|great) (day|one|evening|weekend|night)", "take care", "talk to you (later|soon)", "(thats|that is|that will be) all [for now|for today] [thanks|thank you]",
		}},
		{Chitchat, "wellbeing", []string{
			"how (are|r) you [doing] [today]", "hows it going", "how is it going", "how do you do", "how have you been", "are you (ok|okay|well|alright)", "how is your day [going]", "hows your day [going]",
		}},
	},
	Common: `able about above accept access account accounts across action active address advance advice after again against agent agents agree alarm alert alive allow alone along already also alter always amount angle annual
		another answer apart appear apple apply april argue around arrive article aside asleep attend audit august aunt author avoid away baby back badge balance ball band bank banks bare base basic basis bath beach bean
		bear beat been beer before begin behind bell belong below belt bench bend best better between bike bill bills bind bird birth bite black blank blind block blood blow blue board boat body boil bond bone bonus book
		books boot border bore born both bottle bottom bought bound bowl brain brake branch brand brave bread break brick bride bridge brief bright bring broad broke brother brown brush build bulk burn burst business busy
		button cable cafe cake call called calls calm came camera camp cancel candle card cards care career cargo carry cart case cash cast catch cause cell cent chain chair chance change channel chapter charge charges
		chart chase cheap chat check checks cheese cheque chief child choice choose church circle citizen city claim claims class clean clear clerk click client clients climb clock clone close closed cloth cloud club coach
		coal coast coat code coffee coin cold collect college colour come comes common company compare complete complex concert confirm connect contact contain contract control cook cool copy core corn corner correct cost
		costs couch count counter county couple course court cousin cover crash cream create credit crew crime crop cross crowd cruise cure curve cycle daily damage dance danger dare dark data date dated dates daughter dead
		deal dealer dear debit debt december decide deep defend delay delete deliver demand dent deny depart deposit derive desert design desk detail device dial diet dinner direct dirt dirty disc dish disk dive divide
		doctor does dollar done door double doubt down draft drag draw dream dress drink drive drop drug dust duty each earn ears earth ease east easy edge edit editor eight either elder elect email employ empty enable
		ending enemy energy engine enjoy enough enter entry equal error escape even event events every exact exam except excess exchange exist exit expand expect expense expert explain export express extend extra eyes face
		fact fail failed fair fall false fame family farm fast father fault favour fear feed feel fees feet fell felt female fence fever field fight figure file files fill film final find fine finger finish fire firm first
		fish five fixed flag flame flash flat fleet flight flip float flood floor flow flower focus fold follow food fool foot force forest forget forgot fork form format forth found four frame fraud free freeze fresh friend from
		front frozen fruit fuel full fund funds future gain game garden gate gather gave gear general gift girl give given glad glass global goal goes gold golden gone good goods grab grade grand grant grass great green
		greet grey grid ground group grow growth guard guess guest guide guilt hair half hall hand handle hang happen happy hard harm hate have head health hear heard heart heat heavy height held hello help here hero hidden
		hide high hill hint hire history hobby hold hole holiday home honest hook hope horse hospital hotel hour hours house however huge human hundred hunt hurry hurt husband idea image import inch include income index
		inform inner input insert inside install instead insure intend invest invite invoice iron island issue issues item items jacket join joint joke judge juice july jump june jury just keep kept keys kick kill kind king
		kitchen knee knew knife knock know known label lack lady laid lake lamp land lane language large last late later laugh launch lawyer layer lazy lead leader leaf learn lease least leather leave left legal lemon lend
		length less lesson letter level licence life lift light like likely limit limits line link lion lips list listen lists little live load loan loans local lock locked lodge logic logo lonely long look loose lord lose
		loss lost lots loud love lower luck lunch machine made magic mail mails main major make male manage manager manual many march mark market marry mask mass master match matter mayor meal mean meant measure meat media
		medium meet member memory mend mention menu mercy merge mess message metal meter method middle might mile milk mill mind mine minor minus minute mirror miss missing mistake mobile mode model modern moment monday
		money month monthly months mood moon more morning mortgage most mother motion motor mount mouse mouth move moved movie much museum music must name named names nation nature near nearly neck need needs never news
		next nice night nine noise none noon north nose note notes nothing notice november number nurse object obtain occur ocean october offer office often once only open opened opening option options orange order orders
		other others ought outer output outside oven over owner pace pack package page paid pain paint pair palace palm panel panic paper parent park part partner party pass passage past patch path patient pattern pause
		pawn payee payment payments payroll peace pear pencil pension people pepper perfect period permit person petrol phone phones photo piano pick picture piece pilot pink pipe place plain plan plane planes planet plans
		plant plate play player please plenty plug plus pocket poem poet point police policy polite poll pond pool poor port pose position possible post postal postpone pound pounds pour power press pretty prevent price
		prices pride prime print prior prison private prize problem process produce product profile profit program project promise proof proper protect proud prove provide public pull pump pupil purchase pure purple purse
		push puts quality quarter queen query quest question queue quick quiet quit quite quote race radio rail rain raise range rank rare rate rates rather reach read reader reads ready real really reason recall receipt
		receive recent record recover reduce refer refund refunds refuse region register regret reject relate relax release relief rely remain remind remote remove rent rental repair repeat replace reply report request
		rescue reserve reset rest result retire retry return reveal review reward rice rich ride rider right ring rise risk river road rock role roll roof room rooms root rope rose rough round route royal rude rule rules
		rural rush safe safety said sail salad salary sale sales salt same sample sand sauce save saved saver saves saving savings scale scan scene school score screen seal search season seat seats second secret section
		secure see seed seek seem seen sell seller sells senate send sender sends senior sense sent separate series serious serve service session settle seven several shade shake shame shape share shares sharp sheet shelf
		shell shift shine ship shirt shock shoe shoes shoot shop shops shore short shot should shout show shower shown shut sick side sight sign signal silver similar simple since sing single sink sister site size skill
		skin skip slave sleep slice slide slip slow small smart smell smile smoke smooth snow soap social sofa soft soil sold soldier solid solve some someone something son song soon sore sorry sort soul sound soup source
		south space spare speak special speech speed spell spend spends spent spin split spoke spoon sport spot spread spring square stack staff stage stairs stamp stand star start started state statement states station
		status stay steal steam steel steep step stick still stock stole stone stood stop store storm story strange stream street stress strike string strip strong student study stuff style subject submit subway sugar suit
		summer sunday supper supply support sure surface surprise swap sweep sweet swim swing switch system table tail take taken takes tale talk tall tank tape target task taste taxes taxi teach team tear tell temper
		temple tend tent term terms test tests text than thank theft theme then theory these thick thief thin thing things think third this those though thread threat three throw thus ticket tickets tide tight till time
		times tiny tire title toast today toes told toll tomorrow tone tool tooth topic total touch tour towards towel tower town toys trace track trade traffic trail train trains trait trap trash travel tray treat tree
		trend trial tribe trick tried trim trip troop trouble truck true trunk trust truth tube tune turn turns twelve twice twin type ugly uncle under union unique unit unite until update upgrade upon upper upset urban
		urge urgent used user users usual vacant valid valley value vast verify verse very vessel victim video view village visa visit visits voice volume vote wage wages wait waiter wake walk wall want warm warn wash waste
		watch water wave ways weak wealth wear weather week weekly weight well went west what wheat wheel when where which while whip white whole whom wide width wife wild will wind window wine wing winner winter wire wired
		wires wise wish with withdraw without witness woman wonder wood wool word words wore work worker works world worry worse worst worth wound wrap write wrong wrote yard yeah year years yellow young your youth zero
		zone
		augusta boing booing boring bowing cheer christian christians dads dozed elements eros farmer fide fife filth fist foresight formed fort forte foul frida gland grad gran grind hale hallowed halo halt hors jane jude judy jung
		lash lass latte lest litter lust mach marc marco marcy marsh menus midway minds mines mints missions moaning momo mono mont monte monty moor moron moth moths moto mourning nicht nigh nike nile nina nino pint pointy quartet
		semen sever steven sundae sven teeth tents thee thirsty threw toddy trilling valentina valentino weed weeds weep weeps yearn flour junk mornings afternoons evenings nights`,
}

// englishParts are "third" to "twentieth", "hundredth" and "thousandth", of one and of several, by what they divide by.
func englishParts() map[string]int64 {
	all := map[string]int64{"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
	stems := strings.Fields("third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth")
	for n, word := range stems {
		all[word], all[word+"s"] = int64(n+3), int64(n+3)
	}
	for word, n := range map[string]int64{"hundredth": 100, "thousandth": 1000} {
		all[word], all[word+"s"] = n, n
	}
	return all
}
