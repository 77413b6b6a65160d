package published

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Figure is a printed number. Value keeps the unit of the table: a share of 1, or
// percent where the title says so.
type Figure struct {
	Printed string
	Value   float64
	K, N    int      // of a printed fraction; 0 otherwise
	Lo, Hi  *float64 // the printed 95% interval
	Error   *float64 // the printed standard error
}

var printed = regexp.MustCompile(`^([+−-]?\d+(?:\.\d+)?)(?:/(\d+))?(%?)(?: ?± ?(\d+(?:\.\d+)?)%?)?(?: \[([−-]?\d+(?:\.\d+)?), ?([−-]?\d+(?:\.\d+)?)\])?$`)

// Parse reads a printed cell: "0.76", "10/11", "+0.47", "56.40%", "27.43 ±0.31",
// "0.89 [0.84, 0.94]". Anything else is an error.
func Parse(cell string) (Figure, error) {
	m := printed.FindStringSubmatch(cell)
	if m == nil {
		return Figure{}, fmt.Errorf("%q is no printed number", cell)
	}
	f := Figure{Printed: cell}
	number := func(s string) float64 {
		v, _ := strconv.ParseFloat(strings.ReplaceAll(s, "−", "-"), 64) // the pattern admits digits only
		return v
	}
	f.Value = number(m[1])
	if m[2] != "" {
		k, errK := strconv.Atoi(m[1])
		n, errN := strconv.Atoi(m[2])
		if errK != nil || errN != nil || n == 0 || k < 0 || k > n {
			return Figure{}, fmt.Errorf("%q is no fraction", cell)
		}
		f.K, f.N, f.Value = k, n, float64(k)/float64(n)
	}
	if m[4] != "" {
		v := number(m[4])
		f.Error = &v
	}
	if m[5] != "" {
		lo, hi := number(m[5]), number(m[6])
		f.Lo, f.Hi = &lo, &hi
	}
	return f, nil
}

// figure is Parse for a cell of this package's own tables.
func figure(cell string) *Figure {
	f, err := Parse(cell)
	if err != nil {
		panic("published: " + err.Error())
	}
	return &f
}
