package nodehost

import (
	"strconv"
	"strings"
)

// Info says which piece of work a node function is doing.
type Info struct {
	Run     string // the run's id, "run_…"
	Plan    string // the plan's name
	Node    string // path of the node, "inner/review"
	Visit   int    // which visit of the node in this run, from 1
	Attempt int    // which try of this visit, from 1
	Began   string // the task's id before migrations gave its node another name: its idempotency keys have it; else ""

	// TasksLeft is how many tasks the run's limit of tasks let start when this one began, itself included: 1 is the last
	// one. 0 is no limit. It stays the same on a replay (law F4).
	TasksLeft int

	// Undoes is what the function undoes: a task, "book_hotel#1", or a task and its step, "trip#1/step:hotel#1". It is "" for a
	// function that undoes nothing (law F10).
	Undoes string
}

// Task is the task's id: the node's path and the visit, "review#2".
func (i Info) Task() string { return TaskID(i.Node, i.Visit) }

// TaskID formats the id of one visit of a node: "review#2".
func TaskID(node string, visit int) string { return node + "#" + strconv.Itoa(visit) }

// CutTask takes the id of a task apart: the path of its node, and the visit; 0 where the id is none.
func CutTask(id string) (path string, visit int) {
	i := strings.LastIndexByte(id, '#')
	if i < 0 {
		return id, 0
	}
	n, err := strconv.ParseUint(id[i+1:], 10, 31)
	if err != nil {
		return id, 0
	}
	return id[:i], int(n)
}

// NodeOf is the node of a task's path: "notify/send" for "notify#1.3/send", the third item of a map.
func NodeOf(path string) string {
	if !strings.Contains(path, "#") {
		return path
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		parts[i], _, _ = strings.Cut(part, "#")
	}
	return strings.Join(parts, "/")
}
