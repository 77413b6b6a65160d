package charts

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"plumbline/experiments/trace"
	"plumbline/web/components"
)

func p(v float64) *float64 { return &v }

// hostile is a name that tries to leave the data block and a text that is not
// shown by itself.
const hostile = "</script><img src=x onerror=alert(1)>{a|b}\u202e@accept"

func arms(n int, name string) []Arm {
	out := make([]Arm, n)
	for i := range out {
		out[i] = Arm{ID: fmt.Sprintf("a%d", i), Name: fmt.Sprintf("%s %d", name, i), Index: i}
	}
	return out
}

// figures draws every kind of figure for the arms; value makes each number.
func figures(as []Arm, value func() *float64) []Figure {
	e := func() Estimate { return Estimate{K: 1, N: 2, Value: value(), Lo: value(), Hi: value()} }
	var curves []Curve
	var trades []Trade
	var mixes []Mix
	var scales []Scale
	var splits []VoteSplits
	var bins []Calibration
	var rungs []Rung
	var changes []Change
	var over []Published
	var votes []PublishedScale
	for i, a := range as {
		curves = append(curves, Curve{Arm: a, Coverage: e(), Risk: e(), Points: []CurvePoint{
			{Coverage: value(), Risk: value(), Lo: value(), Hi: value(), Confidence: value(), Href: "/x"}, {Coverage: value(), Risk: value(), Lo: value(), Hi: value()},
		}})
		t := Trade{Arm: a, Catch: e(), Over: e(), Href: "/x"}
		if i > 0 {
			t.From = as[i-1].ID
		}
		trades = append(trades, t)
		r := Rung{Arm: a, Form: []string{"structured", "official"}[i%2], Size: value(), Value: e(), From: t.From, Href: "/x"}
		rungs = append(rungs, r)
		changes = append(changes, Change{Kind: "more votes", Name: a.Name, First: value(), Second: value(), Value: value(), Lo: value(), Hi: value(), N: 3, Why: a.Name, Href: "/x"})
		p := Published{Key: a.ID, Name: a.Name, Source: "paper G, Table 9", Href: "/x", Catch: e(), Over: e(), Coverage: e(), Risk: e(), Size: value()}
		if i > 0 {
			p.From = as[i-1].ID
		}
		over = append(over, p)
		votes = append(votes, PublishedScale{K: i + 1, Value: value(), Name: a.Name, Source: "paper G, S9", Href: "/x"})
		n := 0
		if v := value(); v != nil && !math.IsNaN(*v) {
			n = 3
		}
		mixes = append(mixes, Mix{Arm: a, Label: trace.Acceptable, Parts: []Part{{Mark: components.Accept, Count: n, Href: "/x"}, {Mark: components.Errored, Count: n}, {Mark: components.Missing, Count: n}}})
		scales = append(scales, Scale{Arm: a, Points: []ScalePoint{{K: 1, N: n, Value: value(), Lo: value(), Hi: value()}, {K: 2, N: n, Value: value()}, {K: 3, N: n, Value: value(), Lo: value(), Hi: value()}}})
		splits = append(splits, VoteSplits{Arm: a, Splits: []Split{{Text: "5", Right: n, Href: "/x"}, {Text: "3–2", Wrong: n}}})
		bins = append(bins, Calibration{Arm: a, Bins: []Bin{{From: 0, To: 0.5, N: n, Score: value(), Outcome: value(), Lo: value(), Hi: value()}, {From: 0.5, To: 1}}})
	}
	wrong := 1
	if value() == nil {
		wrong = 0
	}
	return []Figure{
		RiskCoverage(append(curves, Curve{Arm: Arm{Name: as[0].Name}, Coverage: e(), Risk: e(), Baseline: true, Says: "baseline", Href: "/x"}), over...), Tradeoff(trades, over...),
		Composition(mixes), Scaling("catch", scales, votes...), Interventions("catch", changes), LadderFigure("catch", "parameters (billions)", rungs, over, func(p Published) Estimate { return p.Catch }), Agreement(splits), Reliability(bins),
		Errors("repository", []Group{{Name: as[0].Name, Misses: wrong, Rejections: wrong, Traces: 4, MissHref: "/x"}}),
	}
}

func render(t *testing.T, f Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := Show(f).Render(context.Background(), &b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFiguresEncodeForAnyNumberOfArms(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 6, 7, 18, 30} {
		for _, f := range figures(arms(n, "arm"), func() *float64 { return p(0.5) }) {
			if f.Option == nil {
				t.Errorf("%d arms: %s is not drawn: %s", n, f.ID, f.Why)
				continue
			}
			raw, err := json.Marshal(f.Option)
			if err != nil {
				t.Errorf("%d arms: %s: %v", n, f.ID, err)
			}
			if bytes.Contains(raw, []byte("NaN")) {
				t.Errorf("%s holds a NaN", f.ID)
			}
			if len(f.Table.Rows) == 0 {
				t.Errorf("%s has no table", f.ID)
			}
			for _, r := range f.Table.Rows {
				if len(r.Cells) != len(f.Table.Columns) {
					t.Errorf("%s: a row of %d cells under %d heads", f.ID, len(r.Cells), len(f.Table.Columns))
				}
			}
			if f.DefURL == "" || f.Says == "" {
				t.Errorf("%s says neither how to read it nor where it is defined", f.ID)
			}
		}
	}
}

// What is undefined is a gap with a note or an empty figure with a reason, and
// never stops the page.
func TestUndefinedValuesAreGaps(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]func() *float64{
		"nil": func() *float64 { return nil }, "NaN": func() *float64 { return p(math.NaN()) }, "infinite": func() *float64 { return p(math.Inf(1)) },
	} {
		for _, f := range figures(arms(2, "arm"), value) {
			if f.Option == nil {
				if f.Why == "" {
					t.Errorf("%s: %s gives no reason for being empty", name, f.ID)
				}
				if page := render(t, f); !strings.Contains(page, "empty") {
					t.Errorf("%s: %s shows no empty state", name, f.ID)
				}
				continue
			}
			if _, err := json.Marshal(f.Option); err != nil {
				t.Errorf("%s: %s: %v", name, f.ID, err)
			}
		}
	}
	f := Scaling("catch", []Scale{{Arm: Arm{ID: "a", Name: "a"}, Points: []ScalePoint{{K: 1, Value: p(0.5)}, {K: 2}, {K: 3, Value: p(0.7)}}}, {Arm: Arm{ID: "b", Name: "b"}, Points: []ScalePoint{{K: 1}}}})
	raw, err := json.Marshal(f.Option)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(raw, []byte(`"value":[2,null]`)) {
		t.Error("the missing K = 2 is not a gap")
	}
	if len(f.Notes) != 1 || !strings.Contains(f.Notes[0], "b is not drawn") {
		t.Errorf("notes %q do not name the arm that is not drawn", f.Notes)
	}
}

func TestHostileNamesStayText(t *testing.T) {
	t.Parallel()
	for _, f := range figures(arms(3, hostile), func() *float64 { return p(0.25) }) {
		page := render(t, f)
		root, err := html.Parse(strings.NewReader(page))
		if err != nil {
			t.Fatal(err)
		}
		scripts := 0
		for n := range root.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if n.Data == "img" {
				t.Errorf("%s: a name became an element", f.ID)
			}
			if n.Data == "script" {
				scripts++
				var option map[string]any
				if err := json.Unmarshal([]byte(n.FirstChild.Data), &option); err != nil {
					t.Errorf("%s: the data block is not whole: %v", f.ID, err)
				}
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: attribute %s", f.ID, a.Key)
				}
			}
		}
		if scripts != 1 {
			t.Errorf("%s: %d script elements, want the data block alone", f.ID, scripts)
		}
	}
}

func TestWithoutLinks(t *testing.T) {
	t.Parallel()
	for _, f := range figures(arms(2, "arm"), func() *float64 { return p(0.5) }) {
		before, err := json.Marshal(f.Option)
		if err != nil {
			t.Fatal(err)
		}
		bare := WithoutLinks(f)
		raw, err := json.Marshal(bare.Option)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(raw, []byte(`"href"`)) || bare.DefURL != "" {
			t.Errorf("%s still links", f.ID)
		}
		after, err := json.Marshal(f.Option)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(before, after) {
			t.Errorf("%s: the original was changed", f.ID)
		}
	}
}

func TestEighteenArmsLookDifferent(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i := range 18 {
		a := Arm{Index: i}
		seen[a.Colour()+a.Dash()+a.Symbol()] = true
	}
	if len(seen) != 18 {
		t.Errorf("%d looks for 18 arms", len(seen))
	}
	for i := range 40 {
		for _, meaning := range []string{"accept", "reject", "uncertain", "unparseable", "error", "missing"} {
			if strings.Contains(Arm{Index: i}.Colour(), meaning) {
				t.Errorf("arm %d takes the colour of %s", i, meaning)
			}
		}
	}
}

func TestCompositionSharesAddUp(t *testing.T) {
	t.Parallel()
	f := Composition([]Mix{{Arm: Arm{ID: "a", Name: "a"}, Label: trace.Defective, Parts: []Part{
		{Mark: components.Accept, Count: 1}, {Mark: components.Reject, Count: 2}, {Mark: components.Missing, Count: 1},
	}}})
	sum := 0.0
	for _, s := range f.Option["series"].([]any) {
		for _, d := range s.(map[string]any)["data"].([]any) {
			if m, ok := d.(map[string]any); ok {
				sum += m["value"].([]any)[0].(float64)
			}
		}
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("shares add up to %v", sum)
	}
}
