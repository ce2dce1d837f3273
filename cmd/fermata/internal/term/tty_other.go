//go:build !(linux || darwin || freebsd)

package term

import "os"

// Mute does nothing here.
func Mute(*os.File) (restore func()) { return func() {} }

// Discard does nothing here.
func Discard(*os.File) {}
