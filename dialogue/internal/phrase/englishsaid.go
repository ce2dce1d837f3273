package phrase

import "strings"

// Answers to a choice that choose nothing.
const (
	isNone none = "none of the choices was taken"
	isAny  none = "one of the choices has to be taken, and any would do"
	isAll  none = "one of the choices can be taken, and several were said"
)

func englishAround(l *language) {
	l.fillers.add(true, strings.Split(`id like | i would like | i want | i need | i wanna | i will take | ill take | ill have | i will have | i choose | i pick | ill go with | 
		i will go with | go with | lets go with | lets say | lets do | lets make it | make it | make that | give me | id say | i would say | i say | i said | i mean | i meant | i guess | i think | 
		i suppose | i believe | probably | maybe | perhaps | it is | its | thats | that is | that would be | it would be | itll be | it will be | should be | it should be | would be | will be | is | it was | was | 
		my answer is | the answer is | answer | about | around | approximately | roughly | exactly | only | precisely | just | at | on | for | a | an | the | one | ones | of | 
		option | please | thank you | thanks | thank you very much | if possible | if you can | if i may | as well | total | in total | altogether | all together | all in all | or so | 
		sounds good | works | works for me | would be good | would be great | would be nice | would be perfect | is fine | is good | is perfect | is ok | is okay | will do | would do | 
		whole | full | amount | an amount of | the amount of | sum | a sum of | number | the number | then | there | for me | for us | we are | there are | there will be | there is | we have | i have | i am | im | weve | ive | got | i got | i have got | at most | up to | no more than | not more than | max | maximum | at least | less than | under | below | above | over | more than | years old | year old`, "|")...)
	l.fillers.add(true, strings.Fields("um uh er erm hmm so well ok okay yes yeah sure now right oh hi hello hey sir maam")...)
	l.intros.add(true, strings.Split(`its | it is | that is | thats | that would be | it would be | this is | my name is | the name is | name is | names | my names | call me | i am called | im called | 
		id say | i would say | i said | i say | lets say | id like | i would like | ill take | i will take | ill have | i want | i choose | well | so | ok | okay | please | it should be | it should say | 
		the answer is | my answer is | make it | make that | write | put | just | just put | just write | to | for | hi its | hi this is | hello this is | send it to | give it to`, "|")...)
	delete(l.intros.of, "to")
	delete(l.intros.of, "for")
	l.intros.add(true, "its for", "it is for", "it ends in", "it ends with", "it begins with", "that is called", "we call it")
	l.selves.add(true, "i am", "im", "we are", "i go by", "people call me")
	l.nameWords = strings.Fields("name names who called")
	l.outros.add(true, strings.Split(`i think | i guess | i suppose | i believe | i mean | i would say | id say | i reckon | if possible | if you can | thank you | 
		thank you very much | thanks a lot | as far as i know`, "|")...)
	l.further = set(strings.Fields("else more another other others additional further"))
	l.enough.add(true, strings.Split(`thats all | that is all | thats it | that is it | that will be all | thatll be all | that would be all | nothing else | nothing more | nothing further | 
		no more | im done | i am done | were done | we are done | done | im good | i am good | enough | thats enough | that is enough | thats everything | that is everything | just that | only that`, "|")...)
	l.joints = set(strings.Fields("from to on at by with in for of as via using"))
	l.present = set([]string{"here", "speaking"})
	l.owners = set(strings.Fields("my our the her his their its"))
	l.copulas = set(strings.Fields("is are was will would should be s"))
	l.leads = map[string][]string{
		"to": {"to"}, "whom": {"to", "for", "from", "with"}, "who": {"to", "for", "from", "with"}, "for": {"for"}, "from": {"from"}, "at": {"at"}, "in": {"in"}, "on": {"on"},
		"with": {"with"}, "by": {"by"}, "about": {"about"}, "where": {"to", "at", "in"},
	}
	l.skips.add(isNone, strings.Split(`none | none of them | none of these | none of those | none of the above | no one | not any | not any of them | neither | neither of them | neither one | nothing | 
		nothing of that | nothing at all | not a thing | not a single one | none thanks | something else | none at all | no thanks | none thank you | nothing else | nobody`, "|")...)
	l.skips.add(isAny, strings.Split(`any | any of them | any of these | any one | anyone | anything | any will do | either | either one | either of them | whichever | whatever | 
		it doesnt matter | doesnt matter | does not matter | i dont mind | you choose | you decide | no preference | up to you | surprise me | all the same | all the same to me`, "|")...)
	l.skips.add(isAll, strings.Split(`both | both of them | all | all of them | all of these | all three | every one | everything | the lot | all of the above`, "|")...)
}

var englishCommands = []commandSaying{
	{Cancel, "", []string{
		"cancel [it|that|this|everything|all of it|the whole thing]", "abort", "stop [it|this|that|now]", "(never mind|nevermind)", "forget (it|about it|that|this|everything|the whole thing)",
		"quit", "exit", "(leave|drop|scrap|scratch|skip) (it|the whole thing) [altogether]", "(leave|drop|scrap) (that|this)", "i changed my mind", "i have changed my mind", "ive changed my mind",
		"lets stop [here|it|this]", "i (want|would like|d like) to (stop|cancel|quit) [it|this|that]", "id like to (stop|cancel|quit) [it|this|that]", "please (stop|cancel)",
		"dont bother", "dont do (it|that|this|anything)", "(stop|cancel) (the conversation|the process|talking)", "i dont want (this|that|it) (anymore|any more)", "not any more", "call it off", "(start over|start again|start from scratch|begin again)",
		"lets forget (it|about it|that)", "nvm", "get me out [of here]", "no stop", "undo everything", "i give up", "enough",
	}},
	{Repeat, "", []string{
		"(what|sorry what|pardon what) did you (say|ask|want)", "what was that [again]", "come again", "(say|repeat) (that|it|this) [again|once more|one more time|please]", "repeat [please]", "(pardon|pardon me|excuse me|beg your pardon|i beg your pardon)",
		"(again|once more|one more time) please", "say again", "what was the question [again]", "(can|could|would|will) you (repeat|say) (that|it|this|the question) [again|once more]", "i didnt (catch|hear|get|understand) (that|you|it|what you said)",
		"i did not (catch|hear|get|understand) (that|you|it|what you said)", "sorry", "what", "huh", "tell me again", "repeat the (question|last question|last message)", "what do you mean", "come again please", "i missed that", "read that [back|to me] again", "how was that", "ask [me] again", "what were you saying",
	}},
	{Skip, "", []string{
		"skip [it|that|this|this one|that one|this question|the question|this step]", "pass", "next [question|one|please]", "i dont know", "i do not know", "dont know", "dunno", "i dunno", "idk", "no idea", "i have no idea", "ive no idea",
		"no preference", "i have no preference", "i dont have a preference", "(i dont care|dont care)", "(i dont mind|i do not mind|dont mind)", "it (doesnt|does not) matter", "(doesnt|does not) matter", "[i am|im] not sure", "i cant (say|tell|remember)", "i dont remember",
		"(id rather|i would rather|i prefer) not [to] say", "rather not say", "leave (it|that|this) (blank|empty|out)", "(move on|lets move on|go on to the next)", "not applicable", "n/a", "(whatever|anything|whichever|any) [is fine|is ok|will do|works]", "you (choose|decide|pick)", "up to you", "its up to you", "nothing in particular", "(can|could) we skip (that|this|it)", "lets skip (that|this|it)", "i dont want to (say|answer)", "later", "not now", "i dont have (one|any|it)",
	}},
	{Handoff, "", []string{
		"(talk|speak) (to|with) [a|an|the|some|your|another] [real|live|human] (human|person|agent|someone|somebody|operator|representative|rep|advisor|adviser|manager|supervisor|colleague|employee|staff|support|customer service|customer support|human being|clerk)",
		"[a|an|the] [real|live|human] (human|person|agent|operator|representative|rep|human being|customer service|customer support)",
		"(connect|transfer|put|pass) me [through] to [a|an|the|some|your] [real|live|human] (human|person|agent|someone|somebody|operator|representative|rep|advisor|adviser|manager|supervisor|customer service|customer support)",
		"(get|give|find) me [a|an|the|your] [real|live|human] (human|person|agent|operator|representative|rep|manager|supervisor)",
		"(are you|is this) a (bot|robot|machine|real person)", "i (want|need) [a|an|the|your] [real|live] (human|person|agent|operator|representative|manager|supervisor|human being)", "let me (talk|speak) to (someone|somebody|a human|a person|an agent)",
		"(can|could|may) i (talk|speak) (to|with) (someone|somebody|a human|a person|an agent|a manager|a real person)", "(call|phone) me", "can someone (help|call) me", "is there (a human|a person|someone) [there|i can talk to]",
	}},
	{Correct, "", []string{
		"(actually|rather|sorry|no|wait|no wait|oops|oh wait|correction|i mean|i meant|no i mean|no i meant|no wait i meant|sorry i meant|wait i meant|actually i meant|i meant to say|no sorry|scratch that|wait no|hang on i meant|hold on i meant|i should have said) {rest}",
		"[no] [wait] [sorry] [actually] (make|make it|make that|lets make it|lets say) {rest}", "(make|set) the {about} {rest}", "[no] [wait] [actually] (change|set|switch|update|correct|modify|edit|alter|move) [the|my] {about} to {rest}", "[no] (change|switch|correct|set|move) (it|that|this) to {rest}",
		"(can|could) (you|we|i) (change|set|switch|update|correct|move) [the|my] {about} to {rest}", "(can|could) (you|we|i) (change|make|set) (it|that) [to] {rest}", "[i|i would] [want|like|need] [to] (change|correct|update|edit|modify|fix) [the|my] {about}", "not {about} but {rest}", "not {about} {rest}", "[its] {rest} not {about}", "{rest} instead of {about}",
		"{rest} instead", "{rest} rather than {about}", "the {about} (should be|should have been|is actually|is wrong it is|is wrong its|was supposed to be) {rest}", "it should be {rest}", "i said {rest} not {about}", "i said {rest}", "replace {about} (with|by) {rest}",
	}},
	{Wrong, "", []string{
		"[no] [the|my|that] {about} is (wrong|incorrect|not right|not correct)", "[no] [the|my|that] {about} (isnt|is not) (right|correct)", "[no] [thats] [the] wrong {about}",
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
}
