package simulate

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Every evidence form, by class.
var (
	testimony  = []string{"summary", "patch", "trace"}
	structured = []string{"structured", "structured-empty", "structured-missing"}
	grounded   = []string{"official", "official-notes", "checked"}
)

func TestPresets(t *testing.T) {
	t.Parallel()
	forms := slices.Sorted(slices.Values(slices.Concat(testimony, structured, grounded)))
	var names []string
	for _, r := range Presets() {
		names = append(names, r.Name)
		if err := r.Validate(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(forms, slices.Sorted(maps.Keys(r.Forms))); diff != "" {
			t.Errorf("%s: evidence forms (-want +got):\n%s", r.Name, diff)
		}
		got, ok := Preset(r.Name)
		if diff := cmp.Diff(r, got); !ok || diff != "" {
			t.Errorf("Preset(%q): found %t, difference:\n%s", r.Name, ok, diff)
		}
	}
	if diff := cmp.Diff([]string{Strong, Small, Erratic}, names); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	if _, ok := Preset("simulated-none"); ok {
		t.Error("a preset that does not exist was found")
	}
}

// The pattern of paper G §5 that the demonstration shows: each grounded form
// decides right more often than each testimony form in both classes taken
// together, and structured evidence catches more but rejects more good work
// than the patch alone.
func TestPresetsFollowThePattern(t *testing.T) {
	t.Parallel()
	right := func(c Confusion) float64 { return (c.Acceptable.Accept + c.Defective.Reject) / 2 }
	for _, r := range Presets() {
		for _, g := range grounded {
			for _, w := range testimony {
				if right(r.For(g)) <= right(r.For(w)) {
					t.Errorf("%s: %s is right %.3f of the time, %s %.3f", r.Name, g, right(r.For(g)), w, right(r.For(w)))
				}
			}
		}
		patch, packet, official := r.For("patch"), r.For("structured"), r.For("official")
		if packet.Defective.Reject <= patch.Defective.Reject || packet.Acceptable.Reject <= patch.Acceptable.Reject {
			t.Errorf("%s: structured evidence should raise catch and over-rejection", r.Name)
		}
		if official.Defective.Reject <= packet.Defective.Reject || official.Acceptable.Reject >= packet.Acceptable.Reject {
			t.Errorf("%s: official evidence should improve both rates", r.Name)
		}
	}
}
