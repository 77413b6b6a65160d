package stats

// packedCells holds the eight cells of a unit as 16-bit lanes of two words, so
// that adding up a resample of clusters costs two additions a cluster.
type packedCells [2]uint64

// packUnits lists the packed cells of every unit, or nil when a lane of a
// resample could overflow.
func packUnits(kinds []kind, units int) []packedCells {
	packed := make([]packedCells, 0, units)
	for _, k := range kinds {
		var p packedCells
		for c, n := range k.cells {
			if n*units > 1<<16-1 {
				return nil
			}
			p[c/4] |= uint64(n) << (16 * (c % 4))
		}
		for range k.units {
			packed = append(packed, p)
		}
	}
	return packed
}

func (p packedCells) unpack() (cells [8]int) {
	for c := range cells {
		cells[c] = int(p[c/4] >> (16 * (c % 4)) & 0xffff)
	}
	return cells
}

// sumUnits draws as many units as there are, with replacement, and adds them up.
// A word of randomness gives two units.
func sumUnits(s source, units []packedCells) (sum packedCells) {
	n := uint64(len(units))
	// Products whose low half is below the threshold would favour some units
	// (Lemire 2019).
	threshold := uint32(-uint32(n) % uint32(n))
	for i := 0; i < len(units); {
		x := s.Uint64()
		a, b := x>>32*n, x&0xffffffff*n
		if uint32(a) < threshold || uint32(b) < threshold {
			continue
		}
		p := &units[a>>32]
		sum[0] += p[0]
		sum[1] += p[1]
		if i++; i < len(units) {
			p = &units[b>>32]
			sum[0] += p[0]
			sum[1] += p[1]
			i++
		}
	}
	return sum
}
