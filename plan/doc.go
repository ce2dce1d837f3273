// Package plan is the compiled, immutable form of a workflow. Every way of authoring compiles to it, and one engine
// runs it.
//
// An author's package fills a [Definition] and calls [New], which checks all of it and reports every problem at
// once; nodes that read and write named values are wired first, with [Wire]. A [Plan] can say what it looks like
// ([Plan.Mermaid], [Plan.DOT], [Plan.Text]), what it is ([Plan.Fingerprint]) and where it loops ([Plan.Loops]). It holds
// the functions of its nodes and never calls them.
package plan
