package main

import "time"

// eventually waits until something is so, for half a minute at most.
func eventually(is func() bool, otherwise func()) {
	for deadline := time.Now().Add(30 * time.Second); !is(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			otherwise()
			return
		}
	}
}
