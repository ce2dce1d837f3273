package phrase

// The words of Evasions by language.
var (
	englishEvasions = Evasions{
		Near:  `have haves find found know knows known remember remembers recall tell telling say give share describe explain disclose provide see seen hand here yet heart mind anywhere away anymore more wish prefer rather memory head still ready tip moment able there none`,
		Gone:  `lost forgot forgotten misplaced unknown mislaid threw thrown deleted got get receive received`,
		Codes: `number numbers code codes iban id pin plate reference serial vin zip postcode password username account address addresses`,
	}
	frenchEvasions = Evasions{
		Near:  `ai lai nai nen nous trouve trouver trouvee connais connait connu connue sais sait souviens souvient retiens rappelle ny na dire donner communiquer indiquer decrire expliquer raconter prefere preferons main coeur tete ici encore plus sous vois voir retrouve retrouver possible dispo disponible maintenant moment`,
		Gone:  `perdu perdue oublie oubliee egare egaree inconnu inconnue jete jetee efface effacee recu recue`,
		Codes: `numero numeros code codes iban id pin plaque reference matricule identifiant compte adresse postal`,
	}
	germanEvasions = Evasions{
		Near:  `habe hab hast haben finde finden gefunden weiss kenne kennen bekannt merken gemerkt sage sagen nennen angeben geben verraten beschreiben erklaren hier da dabei hand parat auswendig kopf mehr noch gerade derzeit momentan gibt moglich lieber leider daheim vorliegen vorliegend nirgends`,
		Gone:  `verloren vergessen verlegt unbekannt weggeworfen geloscht verschlampt erhalten bekommen bekam`,
		Codes: `nummer nummern code codes iban id pin kennzeichen kennwort passwort zeichen postleitzahl plz konto adresse anschrift`,
	}
)
