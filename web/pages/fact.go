package pages

// Fact is a name and a value of a list of facts; an empty value is shown as
// unknown. Mono marks a hash, an id or a version.
type Fact struct {
	Name, Value, Href string
	Mono              bool
}
