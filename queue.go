package fermata

import "github.com/fermata-go/fermata/internal/machine"

// queue is what may start, in order. Taking the first one costs the same however many there are.
type queue struct {
	list []machine.Start
	at   int // how many were taken
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
