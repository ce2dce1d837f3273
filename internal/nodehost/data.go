package nodehost

// Modes of a [Data].
const (
	DataFinal    = "final"    // the whole value as it is in the end
	DataPatch    = "patch"    // how the value goes on
	DataSnapshot = "snapshot" // the value so far
	DataDropped  = "dropped"  // what was shown so far does not hold; observers see structured-data.invalidated
)

// Data is a typed value that is shown, while it is made or in the end.
type Data struct {
	DataType string // its type, for the programs that show it
	Mode     string // DataFinal, DataPatch, DataSnapshot or DataDropped
	Value    []byte // JSON: the value or, of a patch, the list of its operations; of DataDropped, why, as text

	SchemaID, SchemaVersion string // of its schema; "" for none

	Whole func() []byte // of a patch: the value with it, for readers that come late
}
