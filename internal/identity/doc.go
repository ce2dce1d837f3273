// Package identity says when two names are of one person.
//
//	identity.Same("José", "jose\u0301\u200b") // true: one is composed, the other is not, and has a character that nobody sees
//
// It knows no people and no directories. Letters that look alike and are others (a Latin and a Cyrillic a) are different
// names: who is who is decided by the program that authorises, and by the ids that it gives.
package identity
