package phrase

import (
	"strings"
	"time"
)

// called is the sayings of a holiday in English, in German and in French. The first one in each is its name.
//
//go:noinline // its map would be built anew at each of two hundred holidays
func called(english, german, french string) map[string]string {
	return map[string]string{"en": english, "de": german, "fr": french}
}

// calendars are the holidays that people of a country or a church know, by their names.
var calendars = withLands(map[string][]holiday{
	"christian": christian, "orthodox": orthodox(), "us": us, "uk": uk, "de": german, "fr": french, "international": international,
})

var christian = []holiday{
	{in: fromEaster(0), names: called("Easter | Easter Sunday | Easter Day | Resurrection Sunday", "Ostern | Ostersonntag | Osterfest", "Pâques | dimanche de Pâques | le dimanche de Pâques | jour de Pâques")},
	{in: fromEaster(-2), names: called("Good Friday | Holy Friday | Great Friday", "Karfreitag | Stiller Freitag | Hoher Freitag", "Vendredi saint")},
	{in: fromEaster(-1), names: called("Holy Saturday | Easter Saturday | Easter Eve", "Karsamstag | Ostersamstag | Karsonnabend | Stiller Samstag", "Samedi saint")},
	{in: fromEaster(1), names: called("Easter Monday", "Ostermontag", "lundi de Pâques | le lundi de Pâques")},
	{in: fromEaster(-3), names: called("Maundy Thursday | Holy Thursday | Covenant Thursday | Sheer Thursday | Thursday of Mysteries | Great Thursday", "Gründonnerstag | Hoher Donnerstag | Heiliger Donnerstag | Weißer Donnerstag", "Jeudi saint")},
	{in: fromEaster(-4), names: called("Spy Wednesday | Holy Wednesday", "Karmittwoch", "Mercredi saint")},
	{in: fromEaster(-7), names: called("Palm Sunday | Branch Sunday | Passion Sunday", "Palmsonntag", "dimanche des Rameaux | les Rameaux | Rameaux")},
	{in: fromEaster(7), names: called("Low Sunday | Divine Mercy Sunday", "Weißer Sonntag", "dimanche de Quasimodo")},
	{in: fromEaster(-46), names: called("Ash Wednesday", "Aschermittwoch | Aschertag | Aschetag", "mercredi des Cendres | les Cendres")},
	{in: fromEaster(-47), names: called("Shrove Tuesday | Pancake Day | Pancake Tuesday | Mardi Gras | Fat Tuesday", "Faschingsdienstag | Fastnachtsdienstag | Fastnacht | Veilchendienstag", "Mardi gras")},
	{in: fromEaster(-48), names: called("Shrove Monday | Rose Monday", "Rosenmontag | Fastnachtsmontag | Faschingsmontag", "lundi gras")},
	{in: fromEaster(-49), names: called("Shrove Sunday", "Fastnachtssonntag | Faschingssonntag | Tulpensonntag", "dimanche gras")},
	{in: fromEaster(-50), names: called("", "Fastnachtssamstag | Faschingssamstag | Nelkensamstag", "")},
	{in: fromEaster(-52), names: called("Fat Thursday", "Weiberfastnacht | Altweiber | Schmutziger Donnerstag", "jeudi gras")},
	{in: fromEaster(39), names: called("Ascension Day | Ascension Thursday | Feast of the Ascension | Holy Thursday of the Ascension", "Christi Himmelfahrt | Himmelfahrt | Himmelfahrtstag | Auffahrt", "Ascension | jeudi de l'Ascension | l'Ascension | le jeudi de l'Ascension")},
	{in: fromEaster(49), names: called("Pentecost | Pentecost Sunday | Whitsun | Whit Sunday | Whitsunday | White Sunday", "Pfingsten | Pfingstsonntag | Pfingstfest", "Pentecôte | dimanche de Pentecôte | la Pentecôte | le dimanche de Pentecôte")},
	{in: fromEaster(50), names: called("Whit Monday | Pentecost Monday | Monday of the Holy Spirit", "Pfingstmontag", "lundi de Pentecôte | le lundi de Pentecôte")},
	{in: fromEaster(56), names: called("Trinity Sunday", "Trinitatis | Dreifaltigkeitssonntag | Dreifaltigkeitsfest | Goldener Sonntag", "dimanche de la Trinité | Sainte Trinité")},
	{in: fromEaster(60), names: called("Corpus Christi | Feast of Corpus Christi", "Fronleichnam | Fronleichnamsfest", "Fête-Dieu | la Fête-Dieu")},
	{in: onDay(1, 6), names: called("Epiphany | Three Kings Day | Three Kings' Day | Twelfth Night", "Heilige Drei Könige | Dreikönigstag | Dreikönig | Dreikönigsfest | Epiphanias", "Épiphanie | l'Épiphanie | fête des Rois")},
	{in: onDay(2, 2), names: called("Candlemas", "Lichtmess | Mariä Lichtmess", "Chandeleur | la Chandeleur")},
	{in: onDay(3, 25), names: called("Annunciation | Lady Day", "Mariä Verkündigung", "Annonciation")},
	{in: onDay(6, 24), names: called("St John's Day | Midsummer Day", "Johannistag", "Saint-Jean | la Saint-Jean")},
	{in: onDay(6, 29), names: called("Feast of Saints Peter and Paul", "Peter und Paul", "Saint-Pierre et Saint-Paul")},
	{in: onDay(8, 15), names: called("Assumption Day | Assumption of Mary | Assumption", "Mariä Himmelfahrt", "Assomption | l'Assomption")},
	{in: onDay(10, 31), names: called("Reformation Day", "Reformationstag | Reformationsfest", "fête de la Réformation")},
	{in: onDay(11, 1), names: called("All Saints' Day | All Saints | All Hallows | All Hallows' Day", "Allerheiligen | Allerheiligentag", "Toussaint | la Toussaint")},
	{in: onDay(11, 2), names: called("All Souls' Day | All Souls", "Allerseelen", "jour des Morts | fête des Morts")},
	{in: onDay(11, 11), names: called("St Martin's Day | Martinmas", "Martinstag | St Martin | Sankt Martin", "Saint-Martin | la Saint-Martin")},
	{in: onDay(12, 4), names: called("St Barbara's Day", "Barbaratag", "Sainte-Barbe")},
	{in: onDay(12, 6), names: called("St Nicholas Day | St Nicholas' Day", "Nikolaus | Nikolaustag", "Saint-Nicolas | la Saint-Nicolas")},
	{in: onDay(12, 8), names: called("Immaculate Conception", "Mariä Empfängnis", "Immaculée Conception")},
	{in: onDay(12, 13), names: called("St Lucy's Day", "Luciafest", "Sainte-Lucie")},
	{in: onDay(12, 24), names: called("Christmas Eve | Xmas Eve", "Heiligabend | Heiliger Abend | Weihnachtsabend", "veille de Noël | la veille de Noël | réveillon de Noël")},
	{in: onDay(12, 25), names: called("Christmas | Christmas Day | Xmas | Xmas Day", "Weihnachten | erster Weihnachtstag | erster Weihnachtsfeiertag | 1. Weihnachtstag | 1. Weihnachtsfeiertag | Weihnachtstag", "Noël | jour de Noël")},
	{in: onDay(12, 26), names: called("St Stephen's Day | Boxing Day", "zweiter Weihnachtstag | zweiter Weihnachtsfeiertag | 2. Weihnachtstag | 2. Weihnachtsfeiertag | Stephanstag | Stefanitag", "Saint-Étienne | lendemain de Noël")},
	{in: onDay(12, 28), names: called("Holy Innocents' Day", "Unschuldige Kinder", "Saints Innocents")},
	{in: fromAdvent(0), names: called("First Sunday of Advent | Advent Sunday | first Advent", "erster Advent | 1. Advent | erster Adventssonntag | 1. Adventssonntag", "premier dimanche de l'Avent")},
	{in: fromAdvent(7), names: called("Second Sunday of Advent | second Advent", "zweiter Advent | 2. Advent | zweiter Adventssonntag | 2. Adventssonntag", "deuxième dimanche de l'Avent")},
	{in: fromAdvent(14), names: called("Third Sunday of Advent | third Advent", "dritter Advent | 3. Advent | dritter Adventssonntag | 3. Adventssonntag", "troisième dimanche de l'Avent")},
	{in: fromAdvent(21), names: called("Fourth Sunday of Advent | fourth Advent", "vierter Advent | 4. Advent | vierter Adventssonntag | 4. Adventssonntag", "quatrième dimanche de l'Avent")},
	{in: fromAdvent(-7), names: called("", "Totensonntag | Ewigkeitssonntag", "")},
	{in: fromAdvent(-11), names: called("Repentance Day", "Buß- und Bettag | Bußtag", "jour de Pénitence")},
}

// orthodox are the moving feasts of the eastern churches. They are called as those of the western ones are, and "orthodox" besides.
func orthodox() []holiday {
	feasts := []holiday{
		{in: fromPascha(0), names: called("Easter | Easter Sunday | Easter Day | Pascha", "Ostern | Ostersonntag | Osterfest", "Pâques | dimanche de Pâques")},
		{in: fromPascha(-1), names: called("Holy Saturday | Great Saturday | Easter Saturday", "Karsamstag | Ostersamstag", "Samedi saint")},
		{in: fromPascha(-2), names: called("Good Friday | Great Friday | Holy Friday", "Karfreitag", "Vendredi saint")},
		{in: fromPascha(-3), names: called("Holy Thursday | Great Thursday | Maundy Thursday", "Gründonnerstag", "Jeudi saint")},
		{in: fromPascha(-7), names: called("Palm Sunday | Branch Sunday", "Palmsonntag", "dimanche des Rameaux")},
		{in: fromPascha(1), names: called("Easter Monday | Bright Monday", "Ostermontag", "lundi de Pâques")},
		{in: fromPascha(39), names: called("Ascension | Ascension Day", "Himmelfahrt | Christi Himmelfahrt", "Ascension")},
		{in: fromPascha(49), names: called("Pentecost | Pentecost Sunday", "Pfingsten | Pfingstsonntag", "Pentecôte")},
		{in: fromPascha(50), names: called("Whit Monday | Pentecost Monday", "Pfingstmontag", "lundi de Pentecôte")},
		{in: onDay(1, 7), names: called("Christmas | Christmas Day", "Weihnachten", "Noël")},
	}
	for _, h := range feasts {
		plain := h.names
		h.names["en"] = each(plain["en"], "Orthodox ", "") + " | " + plain["en"]
		h.names["de"] = plain["de"] + " | " + each(plain["de"], "orthodoxer ", "") + " | " + each(plain["de"], "orthodoxe ", "") + " | " + each(plain["de"], "orthodoxes ", "")
		h.names["fr"] = plain["fr"] + " | " + each(plain["fr"], "", " orthodoxe") + " | " + each(plain["fr"], "", " orthodoxes")
	}
	return append(feasts,
		holiday{in: fromPascha(-8), names: called("Lazarus Saturday", "Lazarus-Samstag | Lazarussamstag", "samedi de Lazare")},
		holiday{in: fromPascha(-48), names: called("Clean Monday | Pure Monday | Ash Monday | Orthodox Shrove Monday | Monday of Lent | Green Monday", "Reiner Montag | Sauberer Montag | Aschermontag", "lundi pur")},
		holiday{in: fromPascha(-49), names: called("Forgiveness Sunday | Cheesefare Sunday", "Vergebungssonntag", "dimanche du Pardon")},
		holiday{in: onDay(1, 14), names: called("Orthodox New Year | Old New Year", "orthodoxes Neujahr | altes Neujahr", "Nouvel An orthodoxe")},
	)
}

// each is some sayings with words before and behind each of them.
func each(sayings, before, behind string) string {
	all := strings.Split(sayings, " | ")
	for i, s := range all {
		all[i] = before + s + behind
	}
	return strings.Join(all, " | ")
}

var us = []holiday{
	{in: onDay(1, 1), names: called("New Year's Day", "Neujahr", "jour de l'An")},
	{in: onNth(3, time.Monday, 1, 0), names: called("Martin Luther King Jr Day | Martin Luther King Day | MLK Day | MLK Jr Day | Dr Martin Luther King Day | Civil Rights Day", "Martin-Luther-King-Tag", "jour de Martin Luther King")},
	{in: onDay(2, 2), names: called("Groundhog Day", "Murmeltiertag", "jour de la marmotte")},
	{in: onDay(2, 12), names: called("Lincoln's Birthday | Abraham Lincoln's Birthday", "", "")},
	{in: onNth(3, time.Monday, 2, 0), names: called("Presidents' Day | Washington's Birthday | George Washington's Birthday | George Washington Day", "Präsidententag", "jour des Présidents")},
	{in: onNth(2, time.Sunday, 3, 0), names: called("start of daylight saving time | daylight saving start | daylight saving start day | daylight savings start | daylight savings start day", "", "")},
	{in: onDay(3, 17), names: called("St Patrick's Day | St Paddy's Day", "St Patrick's Day", "Saint-Patrick")},
	{in: onDay(4, 1), names: called("April Fools' Day | April Fools", "", "")},
	{in: onDay(4, 10), names: called("Siblings Day | National Siblings Day", "", "")},
	{in: emancipation, names: called("Emancipation Day", "", "")},
	{in: taxDay, names: called("Tax Day", "", "")},
	{in: onDay(4, 22), names: called("Earth Day", "", "")},
	{in: onNth(-1, time.Saturday, 4, -3), names: called("Administrative Professionals' Day | Secretaries' Day | Admins Day", "", "")},
	{in: onNth(-1, time.Friday, 4, 0), names: called("Arbor Day", "", "")},
	{in: onDay(5, 1), names: called("Law Day | Loyalty Day | Lei Day", "", "")},
	{in: onDay(5, 5), names: called("Cinco de Mayo", "", "")},
	{in: onNth(2, time.Sunday, 5, -2), names: called("Military Spouse Day", "", "")},
	{in: onNth(2, time.Sunday, 5, 0), names: called("Mother's Day", "Muttertag", "fête des Mères")},
	{in: onNth(3, time.Saturday, 5, 0), names: called("Armed Forces Day", "", "")},
	{in: onNth(-1, time.Monday, 5, 0), names: called("Memorial Day | Decoration Day", "Memorial Day", "Memorial Day")},
	{in: onDay(6, 14), names: called("Flag Day", "", "")},
	{in: onDay(6, 19), names: called("Juneteenth | Juneteenth National Independence Day", "Juneteenth", "Juneteenth")},
	{in: onNth(3, time.Sunday, 6, 0), names: called("Father's Day", "", "")},
	{in: onDay(7, 4), names: called("Independence Day | Fourth of July | 4th of July", "Unabhängigkeitstag", "jour de l'Indépendance")},
	{in: onNth(1, time.Monday, 9, 0), names: called("Labor Day | Labour Day", "Labor Day", "Labor Day")},
	{in: onNth(1, time.Monday, 9, 6), names: called("Grandparents Day | National Grandparents Day", "", "")},
	{in: onDay(9, 11), names: called("Patriot Day", "", "")},
	{in: onNth(2, time.Monday, 10, 0), names: called("Columbus Day | Indigenous Peoples' Day", "Kolumbus-Tag", "Columbus Day")},
	{in: func(year int) day { return day{year, time.October, 16}.nearWeekday() }, names: called("Boss's Day | Boss Day | Bosses Day | National Boss Day", "", "")},
	{in: onDay(10, 31), names: called("Halloween | Halloween Day", "Halloween", "Halloween")},
	{in: onNth(1, time.Sunday, 11, 0), names: called("end of daylight saving time | daylight saving end | daylight saving end day | daylight savings end | daylight savings end day", "", "")},
	{in: onNth(1, time.Monday, 11, 1), names: called("Election Day", "", "")},
	{in: onDay(11, 11), names: called("Veterans Day", "Veterans Day", "Veterans Day")},
	{in: onNth(4, time.Thursday, 11, 0), names: called("Thanksgiving | Thanksgiving Day", "Thanksgiving", "Thanksgiving")},
	{in: onNth(4, time.Thursday, 11, 1), names: called("Black Friday", "Black Friday", "Black Friday")},
	{in: onNth(4, time.Thursday, 11, 4), names: called("Cyber Monday", "Cyber Monday", "Cyber Monday")},
	{in: onNth(4, time.Thursday, 11, 5), names: called("Giving Tuesday", "", "")},
	{in: onDay(12, 7), names: called("Pearl Harbor Day", "", "")},
	{in: onDay(12, 25), names: called("Christmas | Christmas Day", "Weihnachten", "Noël")},
	{in: onDay(12, 26), names: called("Kwanzaa", "", "")},
	{in: onDay(12, 31), names: called("New Year's Eve", "Silvester", "Saint-Sylvestre")},
}

var uk = []holiday{
	{in: onDay(1, 1), names: called("New Year's Day", "Neujahr", "jour de l'An")},
	{in: onDay(1, 25), names: called("Burns Night", "", "")},
	{in: onDay(3, 1), names: called("St David's Day", "", "")},
	{in: onDay(3, 17), names: called("St Patrick's Day | St Paddy's Day", "", "Saint-Patrick")},
	{in: fromEaster(-21), names: called("Mothering Sunday | Mother's Day", "", "")},
	{in: fromEaster(-2), names: called("Good Friday", "Karfreitag", "Vendredi saint")},
	{in: fromEaster(1), names: called("Easter Monday", "Ostermontag", "lundi de Pâques")},
	{in: onDay(4, 1), names: called("April Fools' Day | April Fools", "", "")},
	{in: onDay(4, 23), names: called("St George's Day", "", "")},
	{in: onNth(1, time.Monday, 5, 0), names: called("Early May bank holiday | May Day bank holiday | first May bank holiday", "", "")},
	{in: onNth(-1, time.Monday, 5, 0), names: called("Spring bank holiday | late May bank holiday | second May bank holiday", "", "")},
	{in: onNth(3, time.Sunday, 6, 0), names: called("Father's Day", "", "")},
	{in: onDay(7, 12), names: called("Battle of the Boyne | Orangemen's Day | The Twelfth", "", "")},
	{in: onNth(-1, time.Monday, 8, 0), names: called("Summer bank holiday | August bank holiday | late summer bank holiday", "", "")},
	{in: onDay(11, 5), names: called("Guy Fawkes Night | Bonfire Night | Guy Fawkes Day", "", "")},
	{in: onDay(11, 11), names: called("Armistice Day", "", "")},
	{in: onNth(2, time.Sunday, 11, 0), names: called("Remembrance Sunday", "", "")},
	{in: onDay(11, 30), names: called("St Andrew's Day", "", "")},
	{in: onDay(12, 25), names: called("Christmas Day | Christmas", "Weihnachten", "Noël")},
	{in: onDay(12, 26), names: called("Boxing Day | St Stephen's Day", "", "")},
	{in: onDay(12, 31), names: called("New Year's Eve | Hogmanay", "Silvester", "Saint-Sylvestre")},
}

// german are the days that Germany keeps. Those with lands are public holidays there, "*" in all of them.
var german = []holiday{
	{in: onDay(1, 1), names: called("New Year's Day", "Neujahr | Neujahrstag", "jour de l'An"), lands: "*"},
	{in: onDay(1, 6), names: called("Epiphany", "Heilige Drei Könige | Dreikönigstag | Dreikönig", "Épiphanie"), lands: "bw by st"},
	{in: onDay(2, 14), names: called("", "Valentinstag", "")},
	{in: onDay(3, 8), names: called("Women's Day", "Frauentag | Weltfrauentag | Internationaler Frauentag", ""), lands: "be mv"},
	{in: fromEaster(-2), names: called("Good Friday", "Karfreitag", "Vendredi saint"), lands: "*"},
	{in: fromEaster(0), names: called("Easter Sunday | Easter", "Ostersonntag | Ostern", "dimanche de Pâques"), lands: "bb"},
	{in: fromEaster(1), names: called("Easter Monday", "Ostermontag", "lundi de Pâques"), lands: "*"},
	{in: onDay(4, 30), names: called("Walpurgis Night", "Walpurgisnacht | Tanz in den Mai", "")},
	{in: onDay(5, 1), names: called("German Labour Day", "Tag der Arbeit | Maifeiertag | erster Mai", ""), lands: "*"},
	{in: onNth(2, time.Sunday, 5, 0), names: called("", "Muttertag", "")},
	{in: fromEaster(39), names: called("Ascension Day", "Christi Himmelfahrt | Himmelfahrt | Himmelfahrtstag", "Ascension"), lands: "*"},
	{in: fromEaster(39), names: called("", "Vatertag | Herrentag | Männertag", "")},
	{in: fromEaster(49), names: called("Whit Sunday", "Pfingstsonntag | Pfingsten", "dimanche de Pentecôte"), lands: "bb"},
	{in: fromEaster(50), names: called("Whit Monday", "Pfingstmontag", "lundi de Pentecôte"), lands: "*"},
	{in: fromEaster(60), names: called("Corpus Christi", "Fronleichnam", "Fête-Dieu"), lands: "bw by he nw rp sl"},
	{in: onDay(8, 8), names: called("Augsburg Peace Festival", "Augsburger Friedensfest | Friedensfest", "")},
	{in: onDay(8, 15), names: called("Assumption Day", "Mariä Himmelfahrt", "Assomption"), lands: "by sl"},
	{in: onDay(9, 20), names: called("World Children's Day", "Weltkindertag", ""), lands: "th"},
	{in: onDay(10, 3), names: called("German Unity Day", "Tag der Deutschen Einheit | Tag der Einheit", ""), lands: "*"},
	{in: onNth(1, time.Sunday, 10, 0), names: called("", "Erntedankfest | Erntedank | Erntedanktag", "")},
	{in: onDay(10, 31), names: called("Reformation Day", "Reformationstag", "fête de la Réformation"), lands: "bb hb hh mv ni sh sn st th"},
	{in: onDay(10, 31), names: called("", "Halloween", "")},
	{in: onDay(11, 1), names: called("All Saints' Day", "Allerheiligen", "Toussaint"), lands: "bw by nw rp sl"},
	{in: onDay(11, 9), names: called("", "Tag des Mauerfalls", "")},
	{in: fromAdvent(-14), names: called("", "Volkstrauertag", "")},
	{in: fromAdvent(-11), names: called("Repentance Day", "Buß- und Bettag | Bußtag", ""), lands: "sn"},
	{in: onDay(12, 24), names: called("", "Heiligabend | Heiliger Abend", "")},
	{in: onDay(12, 25), names: called("Christmas Day", "erster Weihnachtstag | erster Weihnachtsfeiertag | 1. Weihnachtstag | 1. Weihnachtsfeiertag | Weihnachten", "Noël"), lands: "*"},
	{in: onDay(12, 26), names: called("Second Day of Christmas", "zweiter Weihnachtstag | zweiter Weihnachtsfeiertag | 2. Weihnachtstag | 2. Weihnachtsfeiertag", "lendemain de Noël"), lands: "*"},
	{in: onDay(12, 31), names: called("New Year's Eve", "Silvester | Silvesterabend | Silvestertag", "Saint-Sylvestre")},
}

var french = []holiday{
	{in: onDay(1, 1), names: called("New Year's Day", "Neujahr", "jour de l'An | Nouvel An | le Nouvel An | le jour de l'An | Premier de l'An")},
	{in: onDay(1, 6), names: called("Epiphany", "Dreikönigstag", "Épiphanie | fête des Rois")},
	{in: onDay(2, 2), names: called("Candlemas", "Lichtmess", "Chandeleur | la Chandeleur")},
	{in: onDay(2, 14), names: called("", "", "Saint-Valentin | la Saint-Valentin")},
	{in: fromEaster(-47), names: called("", "", "Mardi gras")},
	{in: onDay(4, 1), names: called("", "", "poisson d'avril")},
	{in: fromEaster(0), names: called("Easter Sunday | Easter", "Ostersonntag | Ostern", "Pâques | dimanche de Pâques")},
	{in: fromEaster(1), names: called("Easter Monday", "Ostermontag", "lundi de Pâques | le lundi de Pâques")},
	{in: onDay(5, 1), names: called("French Labour Day", "Tag der Arbeit", "fête du Travail | premier mai | la fête du Travail")},
	{in: onDay(5, 8), names: called("Victory in Europe Day | VE Day", "Tag des Sieges", "Victoire 1945 | fête de la Victoire | armistice de 1945 | Victoire de 1945")},
	{in: fromEaster(39), names: called("Ascension Day", "Christi Himmelfahrt", "Ascension | jeudi de l'Ascension | l'Ascension | le jeudi de l'Ascension")},
	{in: fromEaster(49), names: called("Whit Sunday", "Pfingstsonntag", "Pentecôte | dimanche de Pentecôte | la Pentecôte")},
	{in: fromEaster(50), names: called("Whit Monday", "Pfingstmontag", "lundi de Pentecôte | le lundi de Pentecôte")},
	{in: frenchMothersDay, names: called("", "", "fête des Mères | la fête des Mères")},
	{in: onNth(3, time.Sunday, 6, 0), names: called("", "", "fête des Pères | la fête des Pères")},
	{in: onDay(6, 21), names: called("", "", "fête de la Musique | la fête de la Musique")},
	{in: onDay(7, 14), names: called("Bastille Day", "Bastille-Tag | französischer Nationalfeiertag", "fête nationale | la fête nationale | quatorze juillet | prise de la Bastille")},
	{in: onDay(8, 15), names: called("Assumption Day", "Mariä Himmelfahrt", "Assomption | l'Assomption")},
	{in: onDay(10, 31), names: called("", "", "Halloween")},
	{in: onDay(11, 1), names: called("All Saints' Day", "Allerheiligen", "Toussaint | la Toussaint")},
	{in: onDay(11, 11), names: called("Armistice Day", "Waffenstillstandstag", "Armistice | l'Armistice | armistice de 1918")},
	{in: onDay(12, 24), names: called("", "", "veille de Noël | la veille de Noël | réveillon de Noël")},
	{in: onDay(12, 25), names: called("Christmas Day | Christmas", "Weihnachten", "Noël | jour de Noël")},
	{in: onDay(12, 26), names: called("", "", "Saint-Étienne | lendemain de Noël")},
	{in: onDay(12, 31), names: called("New Year's Eve", "Silvester", "Saint-Sylvestre | la Saint-Sylvestre | réveillon du Nouvel An")},
}

var international = []holiday{
	{in: onDay(1, 1), names: called("New Year's Day | New Year", "Neujahr | Neujahrstag", "jour de l'An | Nouvel An")},
	{in: onDay(2, 14), names: called("Valentine's Day | Valentines", "Valentinstag", "Saint-Valentin | la Saint-Valentin")},
	{in: onDay(3, 8), names: called("International Women's Day | Women's Day", "Weltfrauentag | Internationaler Frauentag", "journée des femmes | journée internationale des droits des femmes")},
	{in: onDay(4, 7), names: called("World Health Day", "Weltgesundheitstag", "journée mondiale de la santé")},
	{in: onDay(4, 22), names: called("Earth Day", "Tag der Erde", "jour de la Terre")},
	{in: onDay(5, 1), names: called("International Workers' Day | May Day", "Internationaler Tag der Arbeit", "fête internationale des travailleurs")},
	{in: onDay(6, 5), names: called("World Environment Day", "Weltumwelttag", "journée mondiale de l'environnement")},
	{in: onDay(10, 31), names: called("Halloween | Halloween Day", "Halloween", "Halloween")},
	{in: onDay(11, 1), names: called("World Vegan Day", "Weltvegantag", "")},
	{in: onDay(11, 19), names: called("International Men's Day | Men's Day", "Internationaler Männertag", "")},
	{in: onDay(12, 10), names: called("Human Rights Day", "Tag der Menschenrechte", "journée des droits de l'homme")},
	{in: onDay(12, 31), names: called("New Year's Eve", "Silvester", "Saint-Sylvestre | la Saint-Sylvestre")},
}

// emancipation is 16 April, or the working day that is nearest.
func emancipation(year int) day { return day{year, time.April, 16}.nearWeekday() }

// taxDay is 15 April, or the next working day.
func taxDay(year int) day {
	d := day{year, time.April, 15}
	for d.weekday() == time.Saturday || d.weekday() == time.Sunday || d == emancipation(year) {
		d = d.add(1)
	}
	return d
}

// nearWeekday is the nearest day that is not on a weekend.
func (d day) nearWeekday() day {
	switch d.weekday() {
	case time.Saturday:
		return d.add(-1)
	case time.Sunday:
		return d.add(1)
	}
	return d
}

// frenchMothersDay is the last Sunday in May, or a week later where that is Pentecost.
func frenchMothersDay(year int) day {
	last := day{year, time.May, 1}.nth(-1, time.Sunday)
	if last == easter(year).add(49) {
		return last.add(7)
	}
	return last
}

// lands are the German Länder, whose calendars have the days on which people there need not work.
const lands = "bb be bw by hb he hh mv ni nw rp sh sl sn st th"

// withLands adds a calendar for each of the lands: "de-by".
func withLands(all map[string][]holiday) map[string][]holiday {
	for land := range strings.FieldsSeq(lands) {
		for _, h := range all["de"] {
			if h.lands == "*" || strings.Contains(h.lands, land) {
				all["de-"+land] = append(all["de-"+land], h)
			}
		}
	}
	return all
}
