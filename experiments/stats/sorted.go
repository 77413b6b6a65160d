package stats

import "slices"

// sortedKeys returns the keys of m in lexicographic order, because the order of
// a map must not reach a random draw.
func sortedKeys[V any](m map[[8]int]V) [][8]int {
	keys := make([][8]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b [8]int) int { return slices.Compare(a[:], b[:]) })
	return keys
}
