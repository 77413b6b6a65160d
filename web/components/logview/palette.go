package logview

import "strconv"

// extended reads the colour after SGR 38 or 48: 5;n of the 256 palette or
// 2;r;g;b. It returns palette entry + 1 (0 when it cannot be read) and how many
// fields were used. Every colour becomes the nearest of the 16 entries, because
// the page allows no inline style and the 16 follow the light and dark theme.
func extended(fields []string) (colour int8, used int) {
	num := func(i int) int {
		if i >= len(fields) {
			return -1
		}
		n, err := strconv.Atoi(fields[i])
		if err != nil || n > 255 {
			return -1
		}
		return n
	}
	switch num(0) {
	case 5:
		n := num(1)
		switch {
		case n < 0:
			return 0, min(2, len(fields))
		case n < 16:
			return int8(n + 1), 2
		case n < 232:
			n -= 16
			level := func(v int) int {
				if v == 0 {
					return 0
				}
				return 55 + 40*v
			}
			return nearest(level(n/36), level(n/6%6), level(n%6)), 2
		}
		grey := 8 + 10*(n-232)
		return nearest(grey, grey, grey), 2
	case 2:
		r, g, b := num(1), num(2), num(3)
		if r < 0 || g < 0 || b < 0 {
			return 0, min(4, len(fields))
		}
		return nearest(r, g, b), 4
	}
	return 0, min(1, len(fields))
}

// xterm's default 16 colours.
var palette = [16][3]int{
	{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0}, {0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	{127, 127, 127}, {255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
}

func nearest(r, g, b int) int8 {
	best, at := 1<<30, 0
	for i, p := range palette {
		dr, dg, db := p[0]-r, p[1]-g, p[2]-b
		if d := dr*dr + dg*dg + db*db; d < best {
			best, at = d, i
		}
	}
	return int8(at + 1)
}
