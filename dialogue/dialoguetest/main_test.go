package dialoguetest_test

import (
	"os"
	"testing"

	"github.com/fermata-go/fermata/internal/lawtest"
)

func TestMain(m *testing.M) {
	lawtest.CollectLess()
	lawtest.KeepFilesInMemory()
	os.Exit(m.Run())
}
