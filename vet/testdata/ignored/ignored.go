package ignored

import (
	"os"

	"github.com/fermata-go/fermata/node"
)

func letters(ctx node.Context, ok bool) (bool, error) {
	_ = os.WriteFile("a", nil, 0o600) //fermata:ignore the file is the same each time
	//fermata:ignore the file is the same
	// each time, too
	_ = os.WriteFile("b", nil, 0o600)
	_ = os.WriteFile("c", nil, 0o600) // want `os.WriteFile happens again`
	//fermata:ignored is another comment
	_ = os.WriteFile("d", nil, 0o600) // want `os.WriteFile happens again`
	return node.Interrupt[bool](ctx, ok)
}
