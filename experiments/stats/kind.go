package stats

import "slices"

// kind is a distinct vector of cells and how many units have it.
type kind struct {
	cells [8]int
	units int
}

// traceKinds has a kind for each cell that is not empty: a trace is in one cell.
func traceKinds(c ReviewCounts) []kind {
	var kinds []kind
	for i, n := range c.cells() {
		if n > 0 {
			k := kind{units: n}
			k.cells[i] = 1
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// clusterKinds collects equal clusters and sorts them, so that the order of the
// instances cannot change a result.
func clusterKinds(clusters []ReviewCounts) []kind {
	seen := make(map[[8]int]int)
	for _, c := range clusters {
		seen[c.cells()]++
	}
	kinds := make([]kind, 0, len(seen))
	for _, cells := range sortedKeys(seen) {
		kinds = append(kinds, kind{cells: cells, units: seen[cells]})
	}
	return kinds
}

func largest(clusters []ReviewCounts) int {
	n := 0
	for _, c := range clusters {
		n = max(n, c.N())
	}
	return n
}

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

// pool adds up the cells of a resample.
func pool(kinds []kind, counts []int) (cells [8]int) {
	for i, n := range counts {
		if n == 0 {
			continue
		}
		for c, x := range kinds[i].cells {
			cells[c] += n * x
		}
	}
	return cells
}

// subsets holds the sums over every subset of four cells, for the defects and
// for the acceptable patches, so that any numerator is two look-ups.
type subsets struct{ defect, acceptable [16]int }

func (s *subsets) fill(cells [8]int) {
	for c := range 4 {
		bit := 1 << c
		for set := range bit {
			s.defect[bit|set] = s.defect[set] + cells[c]
			s.acceptable[bit|set] = s.acceptable[set] + cells[4+c]
		}
	}
}

func (s *subsets) of(mask uint8) int { return s.defect[mask&15] + s.acceptable[mask>>4] }
