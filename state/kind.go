package state

import (
	"reflect"
	"sync"

	"github.com/fermata-go/fermata/internal/persistent"
	"github.com/fermata-go/fermata/internal/value"
)

var kinds sync.Map // of the types of elements that were needed so far, by type

// kindOf is the kind of elements of type T.
func kindOf[T any]() *persistent.Kind {
	t := reflect.TypeFor[T]()
	if k, ok := kinds.Load(t); ok {
		return k.(*persistent.Kind) //nolint:forcetypeassert // nothing else is put in
	}
	made := persistent.KindOf[T]()
	value.Element(made, t)
	k, _ := kinds.LoadOrStore(t, made)
	return k.(*persistent.Kind) //nolint:forcetypeassert // as above
}
