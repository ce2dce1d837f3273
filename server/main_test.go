package server_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/fermata-go/fermata/internal/lawtest"
)

func TestMain(m *testing.M) {
	lawtest.CollectLess()
	goleak.VerifyTestMain(m)
}
