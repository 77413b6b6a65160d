package stats

import (
	"cmp"
	"slices"
)

// multinomial draws how often each kind appears in a resample, with
// replacement, of as many units as there are. That is all a statistic of counts
// can see of a bootstrap resample, and it costs one binomial a kind instead of
// one draw a unit.
type multinomial struct {
	units, kinds int
	// order lists the kinds that exist, the largest first: the fewer units are
	// left, the cheaper a binomial is.
	order    []int
	binomial []binomial
	// tables[i] holds the tables of binomial[i] that were needed so far, by the
	// number of units left. Building one consumes no randomness, so which exist
	// already cannot change a draw. It is nil above aliasLimit.
	tables [][]*aliasTable
	// unit maps a unit to its kind. It is set when there are so many kinds that
	// drawing unit by unit is faster.
	unit []int32
}

func newMultinomial(sizes []int) *multinomial {
	m := &multinomial{kinds: len(sizes)}
	for k, n := range sizes {
		if n > 0 {
			m.order = append(m.order, k)
			m.units += n
		}
	}
	if 8*len(m.order) > m.units {
		m.unit = make([]int32, 0, m.units)
		for _, k := range m.order {
			for range sizes[k] {
				m.unit = append(m.unit, int32(k))
			}
		}
		return m
	}
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(sizes[b], sizes[a]) })
	left := m.units
	for _, k := range m.order {
		m.binomial = append(m.binomial, newBinomial(float64(sizes[k])/float64(left)))
		left -= sizes[k]
	}
	m.tabulate()
	return m
}

func (m *multinomial) tabulate() {
	if m.units > aliasLimit {
		return
	}
	m.tables = make([][]*aliasTable, len(m.order))
	for i := range m.tables {
		m.tables[i] = make([]*aliasTable, m.units+1)
	}
}

// newTrials is the multinomial of n trials over kinds with the given
// probabilities, which need not sum to 1 exactly. Without a positive one nothing
// is drawn.
func newTrials(n int, probabilities []float64) *multinomial {
	m := &multinomial{kinds: len(probabilities)}
	left := 0.0
	for k, p := range probabilities {
		if p > 0 {
			m.order = append(m.order, k)
			left += p
		}
	}
	if len(m.order) == 0 {
		return m
	}
	m.units = max(n, 0)
	slices.SortStableFunc(m.order, func(a, b int) int { return cmp.Compare(probabilities[b], probabilities[a]) })
	for _, k := range m.order {
		m.binomial = append(m.binomial, newBinomial(probabilities[k]/left))
		left -= probabilities[k]
	}
	m.tabulate()
	return m
}

// draw fills counts, one entry a kind, with a resample.
func (m *multinomial) draw(s source, counts []int) {
	clear(counts)
	if m.unit != nil {
		for range m.units {
			counts[m.unit[s.below(uint64(m.units))]]++
		}
		return
	}
	left := m.units
	last := len(m.order) - 1
	for i, k := range m.order {
		if left == 0 {
			return
		}
		if i == last {
			counts[k] = left
			return
		}
		x := m.part(s, i, left)
		counts[k] = x
		left -= x
	}
}

// part draws how many of the units left are of the i-th kind in order.
func (m *multinomial) part(s source, i, left int) int {
	if m.tables == nil {
		return m.binomial[i].draw(s, left)
	}
	t := m.tables[i][left]
	if t == nil {
		t = newAliasTable(&m.binomial[i], left)
		m.tables[i][left] = t
	}
	return t.draw(s)
}
