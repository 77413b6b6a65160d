package review

// Current is the prompt version that a new reviewer gets.
const Current = "v1"

// Versions lists the prompt versions, oldest first. A version never changes once
// a vote has used it.
func Versions() []string { return []string{"v1"} }

// KnownVersion reports whether v is in Versions.
func KnownVersion(v string) bool {
	for _, x := range Versions() {
		if x == v {
			return true
		}
	}
	return false
}
