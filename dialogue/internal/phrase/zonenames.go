package phrase

// zoneNames are the names of time zones in the IANA database, by area: each is that of a city, or of a place in the area.
var zoneNames = map[string]string{
	"Africa": `Abidjan Accra Addis_Ababa Algiers Asmara Bamako Bangui Banjul Bissau Blantyre Brazzaville Bujumbura Cairo Casablanca Ceuta Conakry Dakar Dar_es_Salaam
		Djibouti Douala El_Aaiun Freetown Gaborone Harare Johannesburg Juba Kampala Khartoum Kigali Kinshasa Lagos Libreville Lome Luanda Lubumbashi Lusaka
		Malabo Maputo Maseru Mbabane Mogadishu Monrovia Nairobi Ndjamena Niamey Nouakchott Ouagadougou Porto-Novo Sao_Tome Tripoli Tunis Windhoek`,
	"America": `Adak Anchorage Anguilla Antigua Araguaina Argentina/Buenos_Aires Argentina/Catamarca Argentina/Cordoba Argentina/Jujuy Argentina/La_Rioja
		Argentina/Mendoza Argentina/Rio_Gallegos Argentina/Salta Argentina/San_Juan Argentina/San_Luis Argentina/Tucuman Argentina/Ushuaia Aruba Asuncion
		Atikokan Bahia Bahia_Banderas Barbados Belem Belize Blanc-Sablon Boa_Vista Bogota Boise Cambridge_Bay Campo_Grande Cancun Caracas Cayenne Cayman
		Chicago Chihuahua Ciudad_Juarez Costa_Rica Coyhaique Creston Cuiaba Curacao Danmarkshavn Dawson Dawson_Creek Denver Detroit Dominica Edmonton Eirunepe
		El_Salvador Fort_Nelson Fortaleza Glace_Bay Goose_Bay Grand_Turk Grenada Guadeloupe Guatemala Guayaquil Guyana Halifax Havana Hermosillo
		Indiana/Indianapolis Indiana/Knox Indiana/Marengo Indiana/Petersburg Indiana/Tell_City Indiana/Vevay Indiana/Vincennes Indiana/Winamac Inuvik Iqaluit
		Jamaica Juneau Kentucky/Louisville Kentucky/Monticello Kralendijk La_Paz Lima Los_Angeles Lower_Princes Maceio Managua Manaus Marigot Martinique
		Matamoros Mazatlan Menominee Merida Metlakatla Mexico_City Miquelon Moncton Monterrey Montevideo Montserrat Nassau New_York Nome Noronha
		North_Dakota/Beulah North_Dakota/Center North_Dakota/New_Salem Nuuk Ojinaga Panama Paramaribo Phoenix Port-au-Prince Port_of_Spain Porto_Velho
		Puerto_Rico Punta_Arenas Rankin_Inlet Recife Regina Resolute Rio_Branco Santarem Santiago Santo_Domingo Sao_Paulo Scoresbysund Sitka St_Barthelemy
		St_Johns St_Kitts St_Lucia St_Thomas St_Vincent Swift_Current Tegucigalpa Thule Tijuana Toronto Tortola Vancouver Whitehorse Winnipeg Yakutat`,
	"Antarctica": "Casey Davis DumontDUrville Macquarie Mawson McMurdo Palmer Rothera Syowa Troll Vostok",
	"Arctic":     "Longyearbyen",
	"Asia": `Aden Almaty Amman Anadyr Aqtau Aqtobe Ashgabat Atyrau Baghdad Bahrain Baku Bangkok Barnaul Beirut Bishkek Brunei Chita Colombo Damascus Dhaka Dili
		Dubai Dushanbe Famagusta Gaza Hebron Ho_Chi_Minh Hong_Kong Hovd Irkutsk Jakarta Jayapura Jerusalem Kabul Kamchatka Karachi Kathmandu Khandyga Kolkata
		Krasnoyarsk Kuala_Lumpur Kuching Kuwait Macau Magadan Makassar Manila Muscat Nicosia Novokuznetsk Novosibirsk Omsk Oral Phnom_Penh Pontianak Pyongyang
		Qatar Qostanay Qyzylorda Riyadh Sakhalin Samarkand Seoul Shanghai Singapore Srednekolymsk Taipei Tashkent Tbilisi Tehran Thimphu Tokyo Tomsk
		Ulaanbaatar Urumqi Ust-Nera Vientiane Vladivostok Yakutsk Yangon Yekaterinburg Yerevan`,
	"Atlantic":  "Azores Bermuda Canary Cape_Verde Faroe Madeira Reykjavik South_Georgia St_Helena Stanley",
	"Australia": "Adelaide Brisbane Broken_Hill Darwin Eucla Hobart Lindeman Lord_Howe Melbourne Perth Sydney",
	"Europe": `Amsterdam Andorra Astrakhan Athens Belgrade Berlin Bratislava Brussels Bucharest Budapest Busingen Chisinau Copenhagen Dublin Gibraltar Guernsey
		Helsinki Isle_of_Man Istanbul Jersey Kaliningrad Kirov Kyiv Lisbon Ljubljana London Luxembourg Madrid Malta Mariehamn Minsk Monaco Moscow Oslo Paris
		Podgorica Prague Riga Rome Samara San_Marino Sarajevo Saratov Simferopol Skopje Sofia Stockholm Tallinn Tirane Ulyanovsk Vaduz Vatican Vienna Vilnius
		Volgograd Warsaw Zagreb Zurich`,
	"Indian": "Antananarivo Chagos Christmas Cocos Comoro Kerguelen Mahe Maldives Mauritius Mayotte Reunion",
	"Pacific": `Apia Auckland Bougainville Chatham Chuuk Easter Efate Fakaofo Fiji Funafuti Galapagos Gambier Guadalcanal Guam Honolulu Kanton Kiritimati Kosrae
		Kwajalein Majuro Marquesas Midway Nauru Niue Norfolk Noumea Pago_Pago Palau Pitcairn Pohnpei Port_Moresby Rarotonga Saipan Tahiti Tarawa Tongatapu
		Wake Wallis`,
}

// shortZones are names of the database without an area.
const shortZones = "UTC GMT CET EET WET"

// oddZones are the zones that are no whole hours ahead of UTC, in summer as in winter, by minutes.
var oddZones = map[int]string{
	-570: "Pacific/Marquesas", 210: "Asia/Tehran", 270: "Asia/Kabul", 330: "Asia/Kolkata Asia/Colombo", 345: "Asia/Kathmandu",
	390: "Asia/Yangon Indian/Cocos", 525: "Australia/Eucla", 570: "Australia/Darwin",
}

// rarePlaces are cities of zoneNames whose names mean other things or greater places, too: they need their area.
const rarePlaces = `Easter Christmas Center Wake Midway Davis Casey Vostok Troll Syowa Mawson Rothera Palmer Knox Vincennes Marengo Monticello Vevay Winamac Petersburg
	Beulah Resolute Chatham Norfolk Stanley Jersey Nome Eucla Cordoba San_Juan La_Rioja Merida Tell_City New_Salem Santa_Isabel Johnston Central Eastern Cocos
	St_Johns Louisville Creston Pacific Panama_City Victoria Canary South_Georgia Chagos Kerguelen Matamoros San_Luis Santarem Metlakatla Blanc-Sablon Costa_Rica`

// zonePlaces are what else zones are called, by their names: cities, countries that have one time, and abbreviations, in English, German
// and French. Several names share what may be either.
var zonePlaces = map[string]string{
	"Europe/Berlin": `munich | münchen | münchner | hamburg | cologne | köln | frankfurt | stuttgart | düsseldorf | leipzig | germany | german | deutschland | deutsche | allemagne | allemande |
		berliner | hamburger | kölner | frankfurter`,
	"Europe/Vienna": "wien | wiener | vienne | graz | salzburg | austria | austrian | österreich | österreichische | autriche | autrichienne",
	"Europe/Zurich": "zürich | zürcher | zuerich | geneva | genf | genfer | genève | bern | berne | basel | bâle | switzerland | swiss | schweiz | schweizer | suisse",
	"Europe/Paris":  "pariser | lyon | marseille | toulouse | france | french | frankreich | französische | française",
	"Europe/London": `londoner | londres | manchester | edinburgh | glasgow | uk | united kingdom | great britain | britain | british | england | scotland | wales | grossbritannien | britische |
		royaume uni | grande bretagne | britannique | angleterre`,
	"Europe/Dublin":                  "ireland | irland | irische | irlande",
	"Europe/Madrid":                  "barcelona | barcelone | seville | spain | spanish | spanien | spanische | espagne | espagnole",
	"Europe/Rome":                    "rom | milan | milano | mailand | naples | neapel | turin | italy | italian | italien | italienische | italie | italienne",
	"Europe/Lisbon":                  "lissabon | lisbonne | porto | portugal",
	"Europe/Brussels":                "brüssel | bruxelles | antwerp | belgium | belgian | belgien | belgique | belge",
	"Europe/Amsterdam":               "rotterdam | the hague | netherlands | dutch | niederlande | niederländische | holland | pays bas",
	"Europe/Luxembourg":              "luxemburg",
	"Europe/Copenhagen":              "kopenhagen | copenhague | denmark | danish | dänemark | danemark", //nolint:misspell // as German and French have it
	"Europe/Stockholm":               "gothenburg | sweden | swedish | schweden | schwedische | suède",
	"Europe/Oslo":                    "norway | norwegian | norwegen | norvège",
	"Europe/Helsinki":                "finland | finnish | finnland | finnische | finlande",
	"Europe/Warsaw":                  "warschau | varsovie | krakow | krakau | poland | polish | polen | polnische | pologne",
	"Europe/Prague":                  "prag | prager | czech republic | czechia | tschechien | tchéquie",
	"Europe/Budapest":                "hungary | ungarn | hongrie",
	"Europe/Athens":                  "athen | athènes | greece | greek | griechenland | griechische | grèce",
	"Europe/Bucharest":               "bukarest | bucarest | romania | rumänien | roumanie",
	"Europe/Sofia":                   "bulgaria | bulgarien | bulgarie",
	"Europe/Belgrade":                "belgrad | serbia | serbien | serbie",
	"Europe/Zagreb":                  "croatia | kroatien | croatie",
	"Europe/Kyiv":                    "kiev | kiew | ukraine",
	"Europe/Moscow":                  "moskau | moskauer | moscou | msk",
	"Europe/Istanbul":                "ankara | turkey | turkish | türkei | türkische | turquie",
	"Asia/Jerusalem":                 "tel aviv | haifa | israel | israeli | israël",
	"Asia/Tokyo":                     "tokio | osaka | kyoto | japan | japanese | japanische | japon | japonaise | jst",
	"Asia/Seoul":                     "séoul | south korea | korea | südkorea | corée du sud | kst",
	"Asia/Shanghai":                  "beijing | peking | pékin | shenzhen | china | chinese | chinesische | chine | chinoise",
	"Asia/Hong_Kong":                 "hongkong | hkt",
	"Asia/Singapore":                 "singapur | singapour | sgt",
	"Asia/Kolkata":                   "calcutta | mumbai | bombay | delhi | new delhi | neu delhi | bangalore | bengaluru | chennai | hyderabad | india | indian | indien | indische | inde | indienne",
	"Asia/Karachi":                   "pakistan | islamabad | lahore | pkt",
	"Asia/Dubai":                     "abu dhabi | emirates | uae | dubaï | emirate | émirats",
	"Asia/Riyadh":                    "riad | saudi arabia | saudi arabien | arabie saoudite",
	"Asia/Tehran":                    "teheran | téhéran | iran",
	"Asia/Kathmandu":                 "katmandu | nepal | népal",
	"Asia/Bangkok":                   "thailand | thaïlande",
	"Asia/Ho_Chi_Minh":               "saigon | hanoi | vietnam",
	"Asia/Yangon":                    "rangoon | rangun",
	"Asia/Manila":                    "philippines | philippinen",
	"Asia/Taipei":                    "taiwan | taïwan",
	"Asia/Kuala_Lumpur":              "malaysia | malaisie",
	"Africa/Cairo":                   "kairo | le caire | egypt | ägypten | égypte",
	"Africa/Johannesburg":            "cape town | kapstadt | le cap | durban | pretoria | south africa | südafrika | afrique du sud | sast",
	"Africa/Lagos":                   "abuja | nigeria",
	"Africa/Nairobi":                 "kenya | kenia",
	"Africa/Casablanca":              "rabat | morocco | marokko | maroc",
	"Africa/Tunis":                   "tunisia | tunesien | tunisie",
	"America/New_York":               "boston | washington | washington dc | philadelphia | miami | atlanta | new york city | nyc | new yorker | us eastern | edt",
	"America/Chicago":                "houston | dallas | austin | new orleans | minneapolis | us central",
	"America/Denver":                 "salt lake city | us mountain | mdt",
	"America/Los_Angeles":            "san francisco | seattle | las vegas | san diego | california | kalifornien | californie | silicon valley | us pacific | pdt",
	"America/Phoenix":                "arizona",
	"America/Anchorage":              "alaska | akst | akdt",
	"Pacific/Honolulu":               "hawaii | hst",
	"America/Toronto":                "ottawa | montreal | montréal | quebec city",
	"America/Vancouver":              "british columbia",
	"America/Sao_Paulo":              "rio de janeiro | rio | brasilia | brt",
	"America/Argentina/Buenos_Aires": "buenos aires | argentina | argentinien | argentine",
	"America/Bogota":                 "colombia | kolumbien | colombie",
	"America/Lima":                   "peru | pérou",
	"America/Mexico_City":            "mexiko stadt | mexico",
	"Australia/Sydney":               "canberra | new south wales | aedt",
	"Australia/Melbourne":            "victoria australia",
	"Pacific/Auckland":               "wellington | new zealand | neuseeland | nouvelle zélande | nzst | nzdt",

	"CET": "cest | mez | mesz | central european time | central european summer time | mitteleuropäische zeit | mitteleuropäische sommerzeit | heure d'europe centrale | hnec",
	"EET": "eest | oez | osteuropäische zeit | eastern european time | heure d'europe de l'est",
	"WET": "wez | westeuropäische zeit | western european time | heure d'europe de l'ouest",
	"UTC": "zulu | zulu time | universal time | coordinated universal time | weltzeit | temps universel",
	"GMT": "greenwich | greenwich mean time",

	"Asia/Kolkata Asia/Jerusalem Europe/Dublin":                              "ist",
	"America/Chicago Asia/Shanghai America/Havana":                           "cst",
	"America/Chicago America/Havana":                                         "cdt",
	"Europe/London Asia/Dhaka":                                               "bst",
	"America/New_York America/Panama":                                        "est",
	"America/Los_Angeles Asia/Manila":                                        "pst",
	"America/Denver America/Phoenix":                                         "mst",
	"America/Halifax Asia/Riyadh":                                            "ast",
	"Australia/Sydney Australia/Brisbane":                                    "aest",
	"Australia/Adelaide Australia/Darwin":                                    "acst",
	"Asia/Dubai Atlantic/South_Georgia":                                      "gst",
	"America/Argentina/Cordoba Europe/Madrid":                                "cordoba",
	"America/Puerto_Rico America/Argentina/San_Juan":                         "san juan",
	"America/Merida Europe/Madrid":                                           "merida",
	"America/St_Johns America/Antigua":                                       "st johns | saint johns",
	"America/New_York America/Chicago America/Denver America/Los_Angeles":    "usa | us | america | american | united states | vereinigte staaten | amerika | etats unis",
	"America/Toronto America/Winnipeg America/Edmonton America/Vancouver":    "canada | kanada",
	"Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Perth": "australia | australian | australien | australie", //nolint:misspell // as German and French have it
	"Europe/Moscow Asia/Yekaterinburg Asia/Novosibirsk Asia/Vladivostok":     "russia | russian | russland | russie",
	"America/Sao_Paulo America/Manaus America/Noronha":                       "brazil | brasilien | brésil",
	"Asia/Jakarta Asia/Makassar Asia/Jayapura":                               "indonesia | indonesien | indonésie", //nolint:misspell // as German and French have it
	"Europe/Paris Europe/Athens Europe/London":                               "europe | european | europa | europäische",
}
