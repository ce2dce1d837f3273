package fermatatest

import (
	"errors"

	"github.com/fermata-go/fermata"
)

func asError(err error) (*fermata.Error, bool) { return errors.AsType[*fermata.Error](err) }
