package executor

import (
	"github.com/fermata-go/fermata/internal/machine"
)

// queue holds starts in order. Taking the first takes constant time.
type queue struct {
	list []machine.Start // taken ones are left until the list is empty
	at   int             // index of the first
}

func (q *queue) len() int { return len(q.list) - q.at }

func (q *queue) push(all []machine.Start) {
	if q.at > 0 && q.at >= len(q.list)-q.at && len(q.list)+len(all) > cap(q.list) {
		n := copy(q.list, q.list[q.at:])
		clear(q.list[n:])
		q.list, q.at = q.list[:n], 0
	}
	q.list = append(q.list, all...)
}

func (q *queue) pop() machine.Start {
	s := q.list[q.at]
	q.list[q.at] = machine.Start{}
	if q.at++; q.at == len(q.list) {
		q.list, q.at = q.list[:0], 0
	}
	return s
}

func (q *queue) clear() {
	clear(q.list)
	q.list, q.at = q.list[:0], 0
}
