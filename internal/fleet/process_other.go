//go:build !linux

package fleet

// machineMark is unknown on this system: a lost process is noticed when its lease ends.
func machineMark() string { return "" }

func processMark(int) string { return "" }
