package main

import "time"

// eventually waits until something is so, for minutes at most: only a failure waits so long.
func eventually(is func() bool, otherwise func()) {
	for deadline := time.Now().Add(2 * time.Minute); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			otherwise()
			return
		}
	}
}
