package phrase_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fermata-go/fermata/dialogue/internal/phrase"
)

// TestWishesForALanguage reads a table of what people say about the language of a conversation, and of what only names one.
func TestWishesForALanguage(t *testing.T) {
	all := []*phrase.Language{phrase.English, phrase.German, phrase.French}
	for want, said := range map[string]string{
		"de": `can we speak German? | Could we please switch to German | switch to German | Switch to german, please! | change the language to German | please speak German with me | let's speak German |
			Hello, could you speak German please? | I'd like to talk in German | can you answer in German | auf Deutsch weiter | können wir Deutsch sprechen? | Könnten wir bitte auf Deutsch weitermachen? |
			Sprechen Sie bitte Deutsch | sprich deutsch mit mir | Lassen Sie uns Deutsch reden | wechseln Sie bitte zu Deutsch | die Sprache auf Deutsch umstellen | Ich würde lieber Deutsch sprechen |
			parlons allemand | peut-on parler allemand ? | Pouvez-vous répondre en allemand, s'il vous plaît ? | passons à l'allemand | changez la langue en allemand | j'aimerais continuer en allemand`,
		"en": `can we speak English? | back to English | können wir Englisch sprechen | stell die Sprache auf Englisch | on peut parler anglais ? | passer en anglais | parlez-moi anglais avec moi`,
		"fr": `talk to me in French | let us continue in French | sprechen wir Französisch | könntest du auf Französisch antworten? | continuons en français | je préfère parler en français`,
		"it": `could we speak Italian | können wir Italienisch sprechen | pourrait-on parler italien`,
		"de bare": `German please | German, please. | please, German | in German please | Deutsch bitte | bitte Deutsch | Deutsch, bitte! | auf Deutsch bitte | bitte Deutsch sprechen | allemand s'il vous plaît |
			en allemand svp | hello, German please | Deutsch please`,
		"fr bare": `en français s'il vous plaît | français, s'il te plaît | Französisch bitte | French, pls`,
		"de asks": `do you speak German? | can you speak German | sprechen Sie Deutsch? | kannst du Deutsch? | parlez-vous allemand ? | pouvez-vous parler allemand | vous parlez allemand ?`,
		"asks":    `which languages do you speak? | what languages are there | welche Sprachen sprechen Sie? | quelles langues parlez-vous ? | do you speak other languages`,
		"nothing": `German | English | in German | Deutsch | auf Deutsch | hello, German | ok English | I want a German course | I want to learn German | I want to speak German | the German team | a German please | book a table at the German restaurant |
			I don't want to speak German | please don't speak German | not in German please | we cannot speak German | can we speak about German cars? | can we speak German or French? | switch to German beer | switch to German and send 50 to Bob |
			switch to the savings account | change the amount to 60 | I speak German | my mother speaks German | speak up please | can we speak? | can we speak Klingon? | translate this into German | how do you say cheese in German |
			send the letter in German please to Bob | English breakfast please | nicht auf Deutsch bitte | ich spreche Deutsch | ich will einen Deutschkurs | ein deutsches Bier bitte | können wir über Deutsch sprechen |
			sprechen Sie lauter bitte | ich möchte Deutsch lernen | zum Deutschkurs bitte | je parle allemand | un cours d'allemand s'il vous plaît | je voudrais apprendre l'allemand | pas en allemand s'il vous plaît |
			parlez plus fort s'il vous plaît | please | bitte | hello | yes please | change the language to language | zzz german xlanguagex | `,
	} {
		for text := range strings.SplitSeq(want+"|"+said, "|") {
			if text == want {
				continue
			}
			text = strings.TrimSpace(text)
			got := "nothing"
			if w, ok := phrase.WishOf(all, text); ok {
				got = w.Language
				if w.Bare {
					got += " bare"
				}
				if w.Asks {
					got = strings.TrimSpace(got + " asks")
				}
			}
			if got != want {
				t.Errorf("%q is %s; expected %s", text, got, want)
			}
		}
	}
}

// TestEveryLanguageNamesTheOthers finds names that a language does not have, and sentences that no way of saying them reaches.
func TestEveryLanguageNamesTheOthers(t *testing.T) {
	all := []*phrase.Language{phrase.English, phrase.German, phrase.French}
	for _, l := range all {
		for _, other := range all {
			for tag := range other.Speech.Names {
				if l.NameOf(tag) == tag {
					t.Errorf("%s has no name for %s", l.Tag, tag)
				}
			}
			if got, want := l.NameOf(other.Tag+"-AT"), l.NameOf(other.Tag); got != want {
				t.Errorf("%s: a tag with a region is called %q; expected %q", l.Tag, got, want)
			}
		}
		for tag, names := range l.Speech.Names {
			for name := range strings.SplitSeq(names, "|") {
				for _, sentence := range slices.Concat(l.Speech.Requests, l.Speech.Alone) {
					text := phrase.Spelled(sentence)[0]
					text = strings.ReplaceAll(text, "{language}", name)
					if slices.Contains(l.Speech.Alone, sentence) {
						please, _, _ := strings.Cut(l.Speech.Please, "|")
						text += " " + please
					}
					if w, ok := phrase.WishOf(all, text); !ok || w.Language != tag || w.Asks {
						t.Errorf("%s: %q is %+v, %v; expected a request for %s", l.Tag, text, w, ok, tag)
					}
				}
			}
		}
	}
}

// TestAnyOtherWordMakesItNoWish puts a word that means something into every request and question, at every place: it is none then.
func TestAnyOtherWordMakesItNoWish(t *testing.T) {
	all := []*phrase.Language{phrase.English, phrase.German, phrase.French}
	others := strings.Fields("bob course team not never 50 tomorrow or and money only nicht kein oder morgen nur pas ou demain cours seulement xlanguagex")
	for _, l := range all {
		for _, sentence := range slices.Concat(l.Speech.Requests, l.Speech.Alone, l.Speech.Asks) {
			ways := phrase.Spelled(sentence)
			for i, way := range []string{ways[0], ways[len(ways)-1], ways[len(ways)/2]} {
				words := strings.Fields(strings.ReplaceAll(way, "{language}", l.NameOf([]string{"en", "de", "fr"}[i])))
				for at := range len(words) + 1 {
					for _, other := range others {
						text := strings.Join(slices.Insert(slices.Clone(words), at, other), " ")
						if w, ok := phrase.WishOf(all, text); ok {
							t.Errorf("%q is %+v", text, w)
						}
					}
				}
			}
		}
	}
}

func FuzzWishOf(f *testing.F) {
	for _, s := range append(utterances, "can we speak German?", "Deutsch, bitte!", "en français s'il vous plaît", "please please please German", "sprechen Sie Deutsch?") {
		f.Add(s)
	}
	all := []*phrase.Language{phrase.English, phrase.German, phrase.French}
	f.Fuzz(func(t *testing.T, said string) {
		w, ok := phrase.WishOf(all, said)
		if !ok {
			return
		}
		if w.Language == "" && !w.Asks {
			t.Fatalf("%q asks for no language: %+v", said, w)
		}
		if more, still := phrase.WishOf(all, said+" xyzzy"); still {
			t.Fatalf("%q is %+v with another word behind it", said, more)
		}
		if again, still := phrase.WishOf(all, strings.ToUpper(said)); strings.EqualFold(strings.ToUpper(said), said) && len(said) < 100 && (!still || again != w) {
			t.Fatalf("%q is %+v, and %+v in capital letters", said, w, again)
		}
	})
}
