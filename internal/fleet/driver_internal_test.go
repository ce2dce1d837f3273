package fleet

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
)

// A process of this machine that has ended is known to be gone, and no other is.
func TestJ10_AProcessThatIsGone(t *testing.T) {
	mine := newDriver("Anna Blum/x")
	if !strings.HasPrefix(mine, "Anna-Blum-x@") || strings.Count(mine, "/") != 1 {
		t.Errorf("found the name %q", mine)
	}
	if one, other := newDriver("a"), newDriver("a"); one == other {
		t.Error("two runtimes have one name")
	}
	for _, name := range []string{mine, "", "a", "a/", "a/1", "a/1-2-3-4", "a/x-" + machineMark() + "-1-2", "b@elsewhere/1-0123456789ab-7-ffffffff"} {
		if isGone(name) {
			t.Errorf("%q counts as gone", name)
		}
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells of other processes")
	}
	c := exec.Command(os.Args[0], "-test.run=^$")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	gone := fmt.Sprintf("b@here/%d-%s-%s-ffffffff", c.Process.Pid, machineMark(), "1")
	reused := fmt.Sprintf("b@here/%d-%s-%s-ffffffff", os.Getpid(), machineMark(), "1")
	for _, name := range []string{gone, reused} {
		if !isGone(name) {
			t.Errorf("%q does not count as gone", name)
		}
	}
}
