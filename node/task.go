package node

import "github.com/fermata-go/fermata/internal/nodehost"

// Info says which piece of work a node function is doing: run, plan, node, visit and attempt.
//
//	type Info struct {
//	    Run     string // the run's id, "run_…"
//	    Plan    string // the plan's name
//	    Node    string // path of the node, "inner/review"
//	    Visit   int    // which visit of the node in this run, from 1
//	    Attempt int    // which try of this visit, from 1
//	    Began   string // the task's id before migrations gave its node another name
//	    // TasksLeft is how many tasks the run's limit of tasks let start when this one began, itself included.
//	    TasksLeft int
//	    // Undoes is what the function undoes.
//	    Undoes string
//	}
//
//	// Task is the task's id.
//	func (Info) Task() string
type Info = nodehost.Info

// TaskID formats the id of one visit of a node: "review#2".
func TaskID(node string, visit int) string { return nodehost.TaskID(node, visit) }

// CutTask splits the id of a task into the path of its node and the visit. Events and questions show such ids. The visit
// is 0 if id is none.
func CutTask(id string) (path string, visit int) { return nodehost.CutTask(id) }

// NodeOf returns the node of a task's path. It is "notify/send" for "notify#1.3/send", the third item of a map.
func NodeOf(path string) string { return nodehost.NodeOf(path) }
