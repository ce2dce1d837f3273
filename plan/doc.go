// Package plan is the compiled, immutable form that every way of authoring comes to, and that one engine runs.
//
// An author's package fills a [Definition] and calls [New], which checks all of it and reports every problem at
// once; nodes that read and write named values are wired first, with [Wire]. A [Plan] can say what it looks like
// ([Plan.Mermaid], [Plan.DOT], [Plan.Text]), what it is ([Plan.Fingerprint]) and where it loops ([Plan.Loops]). It holds
// the functions of its nodes and never calls them.
package plan
