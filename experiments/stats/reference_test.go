package stats

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// referenceCase is one case of a fixture. Every key of input and expected has to
// be read: done fails on a key that was passed over.
type referenceCase struct {
	t         *testing.T
	ID        string
	tolerance float64
	input     map[string]json.RawMessage
	expected  map[string]json.RawMessage
}

// reference reads a fixture from $PLUMBLINE_REFERENCE, by default from
// ../shared/reference next to the module root, and runs check on every case.
func reference(t *testing.T, name string, check func(c *referenceCase)) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(referenceFolder(t), name))
	if err != nil {
		t.Fatalf("reading the fixture: %v", err)
	}
	var file struct {
		Name      string   `json:"name"`
		Source    string   `json:"source"`
		Notes     []string `json:"notes"`
		Tolerance float64  `json:"tolerance"`
		Cases     []struct {
			ID       string                     `json:"id"`
			Input    map[string]json.RawMessage `json:"input"`
			Expected map[string]json.RawMessage `json:"expected"`
		} `json:"cases"`
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		t.Fatalf("decoding the fixture: %v", err)
	}
	if len(file.Cases) == 0 || !(file.Tolerance > 0) {
		t.Fatal("the fixture has no cases or no tolerance")
	}
	for _, c := range file.Cases {
		t.Run(c.ID, func(t *testing.T) {
			rc := &referenceCase{t, c.ID, file.Tolerance, c.Input, c.Expected}
			check(rc)
			for _, key := range slices.Sorted(maps.Keys(rc.input)) {
				t.Errorf("input %q is not used", key)
			}
			for _, key := range slices.Sorted(maps.Keys(rc.expected)) {
				t.Errorf("expected %q is not checked", key)
			}
		})
	}
}

func referenceFolder(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("PLUMBLINE_REFERENCE"); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "..", "shared", "reference")
		}
		if filepath.Dir(dir) == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

func (c *referenceCase) has(key string) bool { _, ok := c.input[key]; return ok }

// expects reports whether key is among the keys still to be checked.
func (c *referenceCase) expects(key string) bool { _, ok := c.expected[key]; return ok }

func (c *referenceCase) in(key string, dst any) { c.t.Helper(); c.take(c.input, key, dst) }

func (c *referenceCase) want(key string, dst any) { c.t.Helper(); c.take(c.expected, key, dst) }

func (c *referenceCase) take(from map[string]json.RawMessage, key string, dst any) {
	c.t.Helper()
	raw, ok := from[key]
	if !ok {
		c.t.Fatalf("no key %q", key)
	}
	delete(from, key)
	decode(c.t, raw, dst)
}

func decode(t *testing.T, raw json.RawMessage, dst any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(dst); err != nil {
		t.Fatalf("decoding %s: %v", raw, err)
	}
}

// number compares a float that may be null.
func (c *referenceCase) number(key string, got Number) {
	c.t.Helper()
	var want *float64
	c.want(key, &want)
	c.same(key, got.Value, want)
	if got.Value == nil && got.Reason == "" {
		c.t.Errorf("%s is undefined without a reason", key)
	}
}

func (c *referenceCase) float(key string, got float64) {
	c.t.Helper()
	var want *float64
	c.want(key, &want)
	c.same(key, &got, want)
}

func (c *referenceCase) int(key string, got int) {
	c.t.Helper()
	var want int
	c.want(key, &want)
	if got != want {
		c.t.Errorf("%s = %d, want %d", key, got, want)
	}
}

func (c *referenceCase) floats(key string, got []float64) {
	c.t.Helper()
	var want []float64
	c.want(key, &want)
	if len(got) != len(want) {
		c.t.Fatalf("%s has %d values, want %d", key, len(got), len(want))
	}
	for i := range got {
		c.same(key, &got[i], &want[i])
	}
}

func (c *referenceCase) same(key string, got, want *float64) {
	c.t.Helper()
	switch {
	case got == nil && want == nil:
	case got == nil:
		c.t.Errorf("%s is undefined, want %v", key, *want)
	case want == nil:
		c.t.Errorf("%s = %v, want undefined", key, *got)
	case !(math.Abs(*got-*want) <= c.tolerance*max(1, math.Abs(*got), math.Abs(*want))):
		c.t.Errorf("%s = %.17g, want %.17g", key, *got, *want)
	}
}
